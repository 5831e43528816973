import { assertNever, DomainError } from "../../kernel/errors.ts";
import { mustBeCurrent } from "../../kernel/versions.ts";
import type { FolderEvent } from "./events.ts";

/**
 * `parentId` is null at the top level. `version` counts the events of this folder only, so that a change of one
 * folder does not make another one stale.
 */
export type Folder = {
  readonly name: string;
  readonly parentId: string | null;
  readonly version: number;
};

/** `expectedFolderVersions: null` skips the version check. */
type OnFolder = {
  readonly folderId: string;
  readonly expectedFolderVersions: readonly number[] | null;
};

/** The folders of a project by id and the ids of deleted ones. */
export type FolderTree = {
  readonly folders: ReadonlyMap<string, Folder>;
  readonly deletedFolders: ReadonlySet<string>;
};

export const emptyTree: FolderTree = { folders: new Map(), deletedFolders: new Set() };

const MAX_FOLDERS = 2_000;
const MAX_DEPTH = 20;

export type FolderCommand =
  | {
      readonly type: "createFolder";
      readonly folderId: string;
      readonly name: string;
      readonly parentId: string | null;
    }
  | ({ readonly type: "renameFolder"; readonly name: string } & OnFolder)
  | ({ readonly type: "moveFolder"; readonly parentId: string | null } & OnFolder)
  /** Deletes the folder and all folders below it. Their tests stay in the project. */
  | ({ readonly type: "deleteFolder" } & OnFolder);

export const evolveFolders = (tree: FolderTree, event: FolderEvent): FolderTree => {
  const { folderId } = event.data;
  const folder = tree.folders.get(folderId);
  switch (event.type) {
    case "FolderCreated": {
      const { name, parentId } = event.data;
      return withFolder(tree, folderId, { name, parentId, version: 1 });
    }
    case "FolderRenamed":
      return folder ? changed(tree, folderId, folder, { name: event.data.name }) : tree;
    case "FolderMoved":
      return folder ? changed(tree, folderId, folder, { parentId: event.data.parentId }) : tree;
    case "FolderDeleted": {
      const folders = new Map(tree.folders);
      folders.delete(folderId);
      return { folders, deletedFolders: new Set(tree.deletedFolders).add(folderId) };
    }
    default:
      return assertNever(event);
  }
};

const withFolder = (tree: FolderTree, id: string, folder: Folder): FolderTree => ({
  ...tree,
  folders: new Map(tree.folders).set(id, folder),
});

const changed = (
  tree: FolderTree,
  id: string,
  folder: Folder,
  values: Partial<Folder>,
): FolderTree => withFolder(tree, id, { ...folder, ...values, version: folder.version + 1 });

/** A folder is never below itself; names are unique among siblings. */
export const decideFolder = (
  command: FolderCommand,
  projectId: string,
  tree: FolderTree,
): readonly FolderEvent[] => {
  const { folderId } = command;
  switch (command.type) {
    case "createFolder": {
      const { name, parentId } = command;
      if (tree.folders.has(folderId) || tree.deletedFolders.has(folderId)) return [];
      if (tree.folders.size >= MAX_FOLDERS) {
        throw new DomainError("folder.tooMany", `A project has at most ${MAX_FOLDERS} folders.`);
      }
      mustBePlace(tree, parentId, 1);
      mustBeFree(tree, folderId, parentId, name);
      return [{ type: "FolderCreated", data: { projectId, folderId, name, parentId } }];
    }
    case "renameFolder": {
      const { name } = command;
      const folder = find(tree, command);
      if (folder.name === name) return [];
      mustBeFree(tree, folderId, folder.parentId, name);
      return [{ type: "FolderRenamed", data: { projectId, folderId, name } }];
    }
    case "moveFolder": {
      const { parentId } = command;
      const folder = find(tree, command);
      if (folder.parentId === parentId) return [];
      if (parentId !== null && [parentId, ...above(tree, parentId)].includes(folderId)) {
        throw new DomainError(
          "folder.cycle",
          "A folder cannot be moved into itself or below itself.",
        );
      }
      mustBePlace(tree, parentId, 1 + depthBelow(tree, folderId));
      mustBeFree(tree, folderId, parentId, folder.name);
      return [{ type: "FolderMoved", data: { projectId, folderId, parentId } }];
    }
    case "deleteFolder":
      if (tree.deletedFolders.has(folderId)) return [];
      find(tree, command);
      // Deepest first, so that no event leaves a folder without its parent.
      return [...below(tree, folderId).reverse(), folderId].map((id) => ({
        type: "FolderDeleted",
        data: { projectId, folderId: id },
      }));
    default:
      return assertNever(command);
  }
};

/** Ids of the ancestors, nearest first. */
export const above = ({ folders }: FolderTree, folderId: string): readonly string[] => {
  const ids: string[] = [];
  let at = folders.get(folderId)?.parentId ?? null;
  while (at !== null && !ids.includes(at)) {
    ids.push(at);
    at = folders.get(at)?.parentId ?? null;
  }
  return ids;
};

/** Ids of the descendants, level by level. */
export const below = ({ folders }: FolderTree, folderId: string): string[] => {
  const children = new Map<string, string[]>();
  for (const [id, { parentId }] of folders) {
    if (parentId === null) continue;
    const siblings = children.get(parentId);
    if (siblings) siblings.push(id);
    else children.set(parentId, [id]);
  }
  const found: string[] = [];
  for (let level = [folderId]; level.length > 0; ) {
    level = level.flatMap((id) => children.get(id) ?? []);
    found.push(...level);
  }
  return found;
};

const depthBelow = (tree: FolderTree, folderId: string): number =>
  below(tree, folderId).reduce((deepest, id) => {
    const path = above(tree, id);
    return Math.max(deepest, path.indexOf(folderId) + 1);
  }, 0);

const find = (tree: FolderTree, { folderId, expectedFolderVersions }: OnFolder): Folder => {
  const folder = tree.folders.get(folderId);
  if (!folder) throw new DomainError("folder.unknown", `There is no folder ${folderId}.`);
  mustBeCurrent("folder.stale", "The folder", folder.version, expectedFolderVersions);
  return folder;
};

const mustBePlace = (tree: FolderTree, parentId: string | null, levels: number): void => {
  if (parentId === null) return;
  if (!tree.folders.has(parentId)) {
    throw new DomainError(
      "folder.unknownParent",
      "parent_id: there is no such folder in this project.",
    );
  }
  if (above(tree, parentId).length + 1 + levels > MAX_DEPTH) {
    throw new DomainError("folder.tooDeep", `Folders are nested at most ${MAX_DEPTH} deep.`);
  }
};

const mustBeFree = (
  tree: FolderTree,
  folderId: string,
  parentId: string | null,
  name: string,
): void => {
  for (const [id, folder] of tree.folders) {
    if (id !== folderId && folder.parentId === parentId && folder.name === name) {
      throw new DomainError("folder.nameTaken", "There is already a folder of this name.");
    }
  }
};
