import { randomBytes } from "node:crypto";
import type { Dirent } from "node:fs";
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { noParts, PartAwayError, type Parts } from "../parts.ts";
import { createGate } from "./gate.ts";
import { isSegment, segmentsOf } from "./key.ts";
import type { BlobStore } from "./port.ts";

const HEADER_MAX = 1_024;
/** A file that is not read or written by then: the disk or the network behind the folder hangs. */
const ANSWER_MS = 3_500;
/**
 * So many files are read or written at once. Node has four threads for everything that blocks; a folder that hangs
 * (a network file system that is away) must leave some for passwords and names of hosts.
 */
const AT_ONCE = 2;

/**
 * Keeps blobs as files under a folder: a line of JSON (the content type), then the bytes, in one file,
 * so that a rename puts both in place at once and no reader sees half a blob.
 * Every call rejects on a key that is not `/`-separated segments of `[A-Za-z0-9._-]`, none starting with a dot,
 * and with PartAwayError when the folder cannot be used: it is gone, full, not writable, or hangs.
 */
export const localBlobStore = (
  folder: string,
  options: { parts?: Parts; answerMs?: number } = {},
): BlobStore => {
  const parts = options.parts ?? noParts;
  const answerMs = options.answerMs ?? ANSWER_MS;
  const root = path.resolve(folder);
  // Dot folders cannot be reached by a key. The same file system as the blobs, or a rename would not be atomic.
  const temporary = path.join(root, ".incoming");
  const gate = createGate(AT_ONCE);

  const bounded = <T>(work: () => Promise<T>): Promise<T> =>
    parts.call("blob_store", async () => {
      try {
        return await gate(work, answerMs);
      } catch (error) {
        throw isFolderTrouble(error) ? new PartAwayError("blob_store", whyOf(error), error) : error;
      }
    });

  /** Rejects when there is no folder at all just now: then nobody knows what is in it. */
  const checkRoot = async (): Promise<void> => {
    if (!(await stat(root)).isDirectory())
      throw Object.assign(new Error(`${root} is not a folder`), { code: "ENOTDIR" });
  };

  /** Of what is there and is no folder, `checkRoot` says so. */
  const makeRoot = async (): Promise<void> => {
    try {
      await mkdir(root, { recursive: true, mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  };

  /** The folder itself is made once. Made again, it would hide what is written now as soon as the real one is mounted again. */
  let isMade = false;
  const makeTemporary = async (): Promise<void> => {
    if (!isMade) await makeRoot();
    await checkRoot();
    await makeUnder(root, temporary);
    isMade = true;
  };

  /** Looks at folders only where one is missing: there are ten pictures a test. */
  const openAside = async (aside: string): Promise<FileHandle> => {
    if (!isMade) await makeTemporary();
    try {
      return await open(aside, "wx", 0o600);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      await makeTemporary();
      return open(aside, "wx", 0o600);
    }
  };

  const put: BlobStore["put"] = async (key, { bytes, contentType }) => {
    const file = fileOf(root, key);
    const header = Buffer.from(`${JSON.stringify({ contentType })}\n`);
    if (header.length > HEADER_MAX) throw new Error(`Content type of blob ${key} is too long`);
    await bounded(async () => {
      const aside = path.join(temporary, randomBytes(12).toString("hex"));
      try {
        const handle = await openAside(aside);
        try {
          await handle.writeFile(Buffer.concat([header, bytes]));
          await handle.datasync();
        } finally {
          await handle.close();
        }
        await moveInto(aside, file, root);
      } catch (error) {
        await rm(aside, { force: true }).catch(() => undefined);
        throw error;
      }
    });
  };

  const get: BlobStore["get"] = async (key) => {
    const file = fileOf(root, key);
    const stored = await bounded(async () => {
      try {
        return await readFile(file);
      } catch (error) {
        if (!MISSING.has(codeOf(error))) throw error;
        await checkRoot();
        return null;
      }
    });
    if (stored === null) return null;
    const end = stored.subarray(0, HEADER_MAX).indexOf("\n");
    if (end < 0) throw new Error(`Blob ${key} is damaged: it has no header`);
    const { contentType } = JSON.parse(stored.toString("utf8", 0, end)) as { contentType: string };
    return { bytes: stored.subarray(end + 1), contentType };
  };

  return {
    put,
    get,
    delete: async (key) => {
      const file = fileOf(root, key);
      await bounded(() => rm(file, { force: true }));
    },
    deleteUnder: async (folder) => {
      const under = fileOf(root, folder);
      await bounded(async () => {
        // Of a folder that is gone, or not mounted, nobody knows what is in it: nothing is deleted then.
        await checkRoot();
        await rm(under, { recursive: true, force: true });
        await removeEmpty(path.dirname(under), root);
      });
    },
    list: async function* () {
      const folders = [root];
      for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
        const at = folder;
        const entries = await bounded(() => entriesOf(at, at === root));
        for (const entry of entries) {
          if (!isSegment(entry.name)) continue;
          const found = path.join(at, entry.name);
          if (entry.isDirectory()) folders.push(found);
          else yield path.relative(root, found).split(path.sep).join("/");
        }
      }
    },
    ping: () =>
      bounded(async () => {
        await makeTemporary();
        const probe = path.join(temporary, `ping-${randomBytes(6).toString("hex")}`);
        try {
          // A full disk still takes an empty file.
          await writeFile(probe, PROBE);
        } finally {
          await rm(probe, { force: true }).catch(() => undefined);
        }
      }),
  };
};

/** What is in a folder; nothing where it is gone by now, which the root may not be. */
const entriesOf = async (folder: string, isRoot: boolean): Promise<Dirent[]> => {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isRoot || !MISSING.has(codeOf(error))) throw error;
    return [];
  }
};

const PROBE = Buffer.alloc(4_096);

/** Renames into a folder that is made where it is not there; an empty one may be removed between the two. */
const moveInto = async (aside: string, file: string, root: string): Promise<void> => {
  for (let left = 2; ; left -= 1) {
    try {
      return await rename(aside, file);
    } catch (error) {
      if (left === 0 || codeOf(error) !== "ENOENT") throw error;
    }
    try {
      await makeUnder(root, path.dirname(file));
    } catch (error) {
      // One above it was emptied and removed meanwhile, or the root is gone.
      if (left === 0 || codeOf(error) !== "ENOENT") throw error;
      await stat(root);
    }
  }
};

/**
 * Makes a folder and those above it, never the root: one that is taken away in this very moment would be
 * there again, empty, and what is written into it hidden when the real one is back.
 */
const makeUnder = async (root: string, folder: string): Promise<void> => {
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

/** Removes a folder, and those above it below the root, as long as nothing is in them. */
const removeEmpty = async (folder: string, root: string): Promise<void> => {
  for (let at = folder; at.startsWith(`${root}${path.sep}`); at = path.dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      return;
    }
  }
};

const MISSING = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

const codeOf = (error: unknown): string => {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : "";
};

/** What the system says of a folder that cannot be used, in plain words. Any other error is our own fault. */
const TROUBLES: Readonly<Record<string, string>> = {
  ENOENT: "is gone: its folder is not there",
  ENOTDIR: "is gone: its folder is not a folder",
  EACCES: "may not be read or written",
  EPERM: "may not be read or written",
  EROFS: "is read-only",
  ENOSPC: "is full",
  EDQUOT: "is full",
  EIO: "cannot be read or written",
  ESTALE: "cannot be reached",
  ENODEV: "cannot be reached",
  ENXIO: "cannot be reached",
  EHOSTDOWN: "cannot be reached",
  ETIMEDOUT: "does not answer",
  EMFILE: "cannot be opened: too many files are open",
  ENFILE: "cannot be opened: too many files are open",
};

const isFolderTrouble = (error: unknown): boolean => codeOf(error) in TROUBLES;
const whyOf = (error: unknown): string => TROUBLES[codeOf(error)] ?? "cannot be used";

const fileOf = (root: string, key: string): string => path.join(root, ...segmentsOf(key));
