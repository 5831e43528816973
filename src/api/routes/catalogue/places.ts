import type { CommandContext } from "../../../commands/kernel/commandLoop.ts";
import { ApiError } from "../../apiError.ts";
import type { Services } from "../../services.ts";

/** Where a body puts a test: a folder is named with its project or alone. What is absent was not said. */
export type Place = {
  readonly projectId?: string | null;
  readonly folderId?: string | null;
};

/**
 * Reads where a body puts a test; a folder alone means the project that it is in.
 * Throws 422 for a folder that is not there or is in another project, 403 for another organisation's.
 */
export const placeOf = async (
  services: Services,
  context: CommandContext,
  body: {
    readonly project_id?: string | null | undefined;
    readonly folder_id?: string | null | undefined;
  },
): Promise<Place> => {
  const { project_id: projectId, folder_id: folderId } = body;
  if (typeof folderId !== "string") {
    return {
      ...(projectId === undefined ? {} : { projectId }),
      ...(folderId === undefined ? {} : { folderId }),
    };
  }
  // What comes again may have been done while the folder was there.
  const deletedToo = context.again === true;
  const folder = await services.catalogue.queries.findFolder(folderId, { deletedToo });
  if (!folder) throw new ApiError(422, `folder_id: there is no folder ${folderId}.`);
  if (folder.organization_id !== context.organizationId) {
    throw new ApiError(403, "This folder belongs to another organisation.");
  }
  if (projectId !== undefined && projectId !== folder.project_id) {
    throw new ApiError(422, "folder_id: the folder is not in the project of project_id.");
  }
  return { projectId: folder.project_id, folderId };
};
