import type { Folder, FolderCommand } from "../../domain/catalogue/projects/folders.ts";
import { type ActiveProject, projectDecider } from "../../domain/catalogue/projects/project.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import type { Receipt } from "../kernel/receipt.ts";
import { type Expected, organizationOf, type Written, write } from "./changes.ts";

/** A folder and the project whose stream contains it. */
export type FolderOf = { readonly folderId: string; readonly projectId: string };

export const folderCommands = (loop: CommandLoop) => ({
  createFolder: createFolder.bind(null, loop),
  renameFolder: renameFolder.bind(null, loop),
  moveFolder: moveFolder.bind(null, loop),
  deleteFolder: deleteFolder.bind(null, loop),
});

const writeFolder = (
  loop: CommandLoop,
  context: CommandContext,
  projectId: string,
  command: FolderCommand,
): Promise<Written<ActiveProject>> => {
  const on = { projectId, organizationId: organizationOf(context), expectedVersions: null };
  return write(loop, projectDecider, projectId, { ...command, ...on }, context);
};

/** Throws `folder.unknown` if the command was a repeat and the folder has been deleted since. */
const folderIn = (
  { state, ...rest }: Written<ActiveProject>,
  folderId: string,
): Written<Folder> => {
  const folder = state.folders.get(folderId);
  if (!folder) throw new DomainError("folder.unknown", `There is no folder ${folderId}.`);
  return { ...rest, id: folderId, state: folder };
};

/** Throws `project.unknownInRequest`, `project.foreign`, `folder.unknownParent`, `folder.nameTaken`, `folder.tooDeep`, `folder.tooMany`. */
const createFolder = async (
  loop: CommandLoop,
  context: CommandContext,
  folder: {
    readonly projectId: string;
    readonly name: string;
    readonly parentId: string | null;
  },
): Promise<Written<Folder>> => {
  const folderId = idFor(context, "folder");
  const { projectId, name, parentId } = folder;
  try {
    const command = { type: "createFolder", folderId, name, parentId } as const;
    return folderIn(await writeFolder(loop, context, projectId, command), folderId);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== "project.unknown") throw error;
    throw new DomainError("project.unknownInRequest", `project_id: ${error.message}`);
  }
};

const renameFolder = async (
  loop: CommandLoop,
  context: CommandContext,
  { folderId, projectId }: FolderOf,
  name: string,
  expectedFolderVersions: Expected,
): Promise<Written<Folder>> => {
  const command = { type: "renameFolder", folderId, name, expectedFolderVersions } as const;
  return folderIn(await writeFolder(loop, context, projectId, command), folderId);
};

/** Throws `folder.cycle` and the errors of `createFolder`. */
const moveFolder = async (
  loop: CommandLoop,
  context: CommandContext,
  { folderId, projectId }: FolderOf,
  parentId: string | null,
  expectedFolderVersions: Expected,
): Promise<Written<Folder>> => {
  const command = { type: "moveFolder", folderId, parentId, expectedFolderVersions } as const;
  return folderIn(await writeFolder(loop, context, projectId, command), folderId);
};

/** Deletes a folder and all folders below it. Their tests stay in the project. */
const deleteFolder = async (
  loop: CommandLoop,
  context: CommandContext,
  { folderId, projectId }: FolderOf,
  expectedFolderVersions: Expected,
): Promise<Receipt> => {
  const command = { type: "deleteFolder", folderId, expectedFolderVersions } as const;
  return (await writeFolder(loop, context, projectId, command)).receipt;
};
