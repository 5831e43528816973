import { ApiError } from "../../apiError.ts";

/**
 * What was looked up by an id of the path, if it is the caller's organisation's.
 * Throws 404 when there is none, 403 when it is another's. `what`: "run", "execution".
 */
export const owned = <Found extends { readonly organizationId: string }>(
  found: Found | null,
  principal: { readonly organizationId: string },
  what: string,
): Found => {
  if (!found) throw new ApiError(404, `There is no ${what} of this id.`);
  if (found.organizationId !== principal.organizationId) {
    throw new ApiError(403, `This ${what} belongs to another organisation.`);
  }
  return found;
};
