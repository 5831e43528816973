import type { CommandContext } from "../../../commands/kernel/commandLoop.ts";
import { ApiError } from "../../apiError.ts";
import type { Services } from "../../services.ts";

/** The project and folder of a body; absent fields stay absent. */
export type Place = {
  readonly projectId?: string | null;
  readonly folderId?: string | null;
};

/**
 * Reads the project and folder of a body. A folder alone implies its project. Throws ApiError 422 for an unknown folder
 * or one of another project, 403 for a foreign one.
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
  // A repeated request may precede the deletion of the folder.
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
