import { type FileHandle, mkdir, open, stat } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "./errors.ts";
import { makeUnder } from "./files.ts";

export type Root = {
  readonly path: string;
  /** Folder of incomplete files. In the root, so that a rename out of it is atomic; no key starts with a dot. */
  readonly temporary: string;
  /** The root is created only once: see makeUnder. */
  isMade: boolean;
};

export const rootAt = (folder: string): Root => {
  const root = path.resolve(folder);
  return { path: root, temporary: path.join(root, ".incoming"), isMade: false };
};

/** Rejects with an error of the file system if the root does not exist, so that its content is unknown. */
export const checkRoot = async (root: Root): Promise<void> => {
  if (!(await stat(root.path)).isDirectory()) {
    throw Object.assign(new Error(`${root.path} is not a folder`), { code: "ENOTDIR" });
  }
};

export const makeTemporary = async (root: Root): Promise<void> => {
  if (!root.isMade) await makeRoot(root);
  await checkRoot(root);
  await makeUnder(root.path, root.temporary);
  root.isMade = true;
};

const makeRoot = async (root: Root): Promise<void> => {
  try {
    await mkdir(root.path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
};

/** Creates a temporary file. Creates its folder only if that is missing, which saves system calls per blob. */
export const openTemporary = async (root: Root, file: string): Promise<FileHandle> => {
  if (!root.isMade) await makeTemporary(root);
  try {
    return await open(file, "wx", 0o600);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    await makeTemporary(root);
    return open(file, "wx", 0o600);
  }
};
