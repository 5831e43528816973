import type { Dirent } from "node:fs";
import { mkdir, readdir, rename, rmdir, stat } from "node:fs/promises";
import path from "node:path";
import { codeOf, isMissing } from "./errors.ts";

/** Entries of a folder below `root`. Empty if the folder has been removed; rejects if the root has. */
export const entriesOf = async (root: string, folder: string): Promise<Dirent[]> => {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (folder === root || !isMissing(error)) throw error;
    return [];
  }
};

/** Renames a file and creates the target's folder. Retries, because removeEmpty may delete that folder in between. */
export const moveInto = async (root: string, from: string, to: string): Promise<void> => {
  for (let retries = 2; ; retries -= 1) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (retries === 0 || codeOf(error) !== "ENOENT") throw error;
    }
    try {
      await makeUnder(root, path.dirname(to));
    } catch (error) {
      if (retries === 0 || codeOf(error) !== "ENOENT") throw error;
      await stat(root);
    }
  }
};

/**
 * Creates a folder and its parents below the root, but never the root: if that is a mount which has just
 * disappeared, files written to a new folder in its place would be hidden once it is mounted again.
 */
export const makeUnder = async (root: string, folder: string): Promise<void> => {
  let at = root;
  for (const segment of path.relative(root, folder).split(path.sep)) {
    at = path.join(at, segment);
    try {
      await mkdir(at, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
};

/** Removes a folder and its parents below the root as long as they are empty. */
export const removeEmpty = async (root: string, folder: string): Promise<void> => {
  for (let at = folder; at.startsWith(`${root}${path.sep}`); at = path.dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      return;
    }
  }
};
