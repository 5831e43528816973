import { ApiError } from "../../apiError.ts";

/** A row of a read model with its organisation. */
type Owned = { readonly organizationId: string } | { readonly organization_id: string };

/**
 * Returns a resource of the caller's organisation. Throws ApiError 404 if it does not exist, 403 if it belongs to
 * another organisation. `kind` names the resource in the message: "run", "execution".
 */
export const owned = <Found extends Owned>(
  found: Found | null,
  principal: { readonly organizationId: string },
  kind: string,
): Found => {
  if (!found) throw new ApiError(404, `There is no ${kind} of this id.`);
  const owner = "organizationId" in found ? found.organizationId : found.organization_id;
  if (owner !== principal.organizationId) {
    throw new ApiError(403, `This ${kind} belongs to another organisation.`);
  }
  return found;
};
