import { projectDecider } from "../../domain/catalogue/projects/project.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";

/**
 * Checks that a test or a test set can be put into the project and folder.
 * Throws `project.unknownInRequest`, `project.foreign`, `folder.unknownInRequest`.
 */
export const checkPlace = async (
  loop: CommandLoop,
  organizationId: string,
  { projectId, folderId }: { readonly projectId: string; readonly folderId: string | null },
): Promise<void> => {
  const { state } = await loop.load(projectDecider, projectId);
  if (state.status !== "active") {
    throw new DomainError(
      "project.unknownInRequest",
      `project_id: there is no project ${projectId}.`,
    );
  }
  if (state.organizationId !== organizationId) {
    throw new DomainError("project.foreign", "The project belongs to another organisation.");
  }
  if (folderId !== null && !state.folders.has(folderId)) {
    throw new DomainError(
      "folder.unknownInRequest",
      `folder_id: there is no folder ${folderId} in this project.`,
    );
  }
};

/**
 * Clears references to a deleted project or folder. Deleting a project or folder appends no event to the streams of
 * its tests and test sets, so their states still contain the old ids.
 */
export const withoutDeletedPlace = async <
  Item extends { readonly projectId: string | null; readonly folderId?: string | null },
>(
  loop: CommandLoop,
  item: Item,
): Promise<Item> => {
  if (!item.projectId) return item;
  const { state } = await loop.load(projectDecider, item.projectId);
  const hasFolder = typeof item.folderId === "string";
  if (state.status !== "active") {
    return { ...item, projectId: null, ...(hasFolder ? { folderId: null } : {}) };
  }
  return hasFolder && !state.folders.has(item.folderId) ? { ...item, folderId: null } : item;
};
