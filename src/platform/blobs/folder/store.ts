import { randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type PartHealth, PartUnavailableError, untrackedParts } from "../../partHealth.ts";
import { isSegment, segmentsOf } from "../key.ts";
import type { Blob, BlobStore } from "../port.ts";
import { folderProblem, isMissing } from "./errors.ts";
import { entriesOf, moveInto, removeEmpty } from "./files.ts";
import { createLimiter } from "./limiter.ts";
import { checkRoot, makeTemporary, openTemporary, type Root, rootAt } from "./root.ts";

const HEADER_MAX = 1_024;
const TIMEOUT_MS = 3_500;
/**
 * Node has four threads for blocking calls. If the folder hangs, such as a lost network mount, two of them must stay
 * free for password hashes and DNS.
 */
const MAX_CONCURRENT = 2;
/** Not empty: a full disk still accepts an empty file. */
const PROBE = Buffer.alloc(4_096);

type Deps = {
  readonly root: Root;
  /** Limits concurrency and time. Rejects with PartUnavailableError if the folder cannot be used. */
  readonly access: <T>(task: () => Promise<T>) => Promise<T>;
};

/**
 * Stores blobs as files in a folder. A file contains the content type as a line of JSON, then the bytes, so that one
 * rename publishes both and readers never see a partial blob. Rejects with Error for an invalid key (see segmentsOf) and
 * with PartUnavailableError if the folder is missing, full, not writable, or hangs.
 */
export const localBlobStore = (
  folder: string,
  options: { parts?: PartHealth; answerMs?: number } = {},
): BlobStore => {
  const { parts = untrackedParts, answerMs = TIMEOUT_MS } = options;
  const limiter = createLimiter(MAX_CONCURRENT);
  const access: Deps["access"] = (task) =>
    parts.call("blob_store", async () => {
      try {
        return await limiter(task, answerMs);
      } catch (error) {
        const problem = folderProblem(error);
        throw problem === null ? error : new PartUnavailableError("blob_store", problem, error);
      }
    });
  const deps: Deps = { root: rootAt(folder), access };
  return {
    put: (key, blob) => put(deps, key, blob),
    get: (key) => get(deps, key),
    delete: async (key) => {
      const file = fileOf(deps.root, key);
      await access(() => rm(file, { force: true }));
    },
    deleteUnder: (under) => deleteUnder(deps, under),
    list: () => list(deps),
    ping: () => access(() => writeProbe(deps.root)),
  };
};

const fileOf = (root: Root, key: string): string => path.join(root.path, ...segmentsOf(key));

const put = async (
  { root, access }: Deps,
  key: string,
  { bytes, contentType }: Blob,
): Promise<void> => {
  const file = fileOf(root, key);
  const header = Buffer.from(`${JSON.stringify({ contentType })}\n`);
  if (header.length > HEADER_MAX) throw new Error(`Content type of blob ${key} is too long`);
  await access(async () => {
    const temporary = path.join(root.temporary, randomBytes(12).toString("hex"));
    try {
      const handle = await openTemporary(root, temporary);
      try {
        await handle.writeFile(Buffer.concat([header, bytes]));
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await moveInto(root.path, temporary, file);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  });
};

const get = async ({ root, access }: Deps, key: string): Promise<Blob | null> => {
  const file = fileOf(root, key);
  const stored = await access(async () => {
    try {
      return await readFile(file);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await checkRoot(root);
      return null;
    }
  });
  if (stored === null) return null;
  const end = stored.subarray(0, HEADER_MAX).indexOf("\n");
  if (end < 0) throw new Error(`Blob ${key} is damaged: it has no header`);
  const { contentType } = JSON.parse(stored.toString("utf8", 0, end)) as { contentType: string };
  return { bytes: stored.subarray(end + 1), contentType };
};

const deleteUnder = async ({ root, access }: Deps, key: string): Promise<void> => {
  const folder = fileOf(root, key);
  await access(async () => {
    // A missing root may be a lost mount, whose blobs would not be deleted.
    await checkRoot(root);
    await rm(folder, { recursive: true, force: true });
    await removeEmpty(root.path, path.dirname(folder));
  });
};

async function* list({ root, access }: Deps): AsyncGenerator<string> {
  const folders = [root.path];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const folder = next;
    for (const entry of await access(() => entriesOf(root.path, folder))) {
      if (!isSegment(entry.name)) continue;
      const found = path.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(found);
      else yield path.relative(root.path, found).split(path.sep).join("/");
    }
  }
}

const writeProbe = async (root: Root): Promise<void> => {
  await makeTemporary(root);
  const probe = path.join(root.temporary, `ping-${randomBytes(6).toString("hex")}`);
  try {
    await writeFile(probe, PROBE);
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
};
