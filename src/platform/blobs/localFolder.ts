import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { BlobStore } from "./port.ts";

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;
const KEY_MAX = 1_000;
const HEADER_MAX = 1_024;

/**
 * Keeps blobs as files under a folder: a line of JSON (the content type), then the bytes, in one file,
 * so that a rename puts both in place at once and no reader sees half a blob.
 * Every call rejects on a key that is not `/`-separated segments of `[A-Za-z0-9._-]`, none starting with a dot.
 */
export const localBlobStore = (folder: string): BlobStore => {
  const root = path.resolve(folder);
  // Dot folders cannot be reached by a key. The same file system as the blobs, or a rename would not be atomic.
  const temporary = path.join(root, ".incoming");

  const put: BlobStore["put"] = async (key, { bytes, contentType }) => {
    const file = fileOf(root, key);
    const header = Buffer.from(`${JSON.stringify({ contentType })}\n`);
    if (header.length > HEADER_MAX) throw new Error(`Content type of blob ${key} is too long`);
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    const aside = path.join(temporary, randomBytes(12).toString("hex"));
    try {
      const handle = await open(aside, "wx", 0o600);
      try {
        await handle.writeFile(Buffer.concat([header, bytes]));
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await rename(aside, file);
    } catch (error) {
      await rm(aside, { force: true });
      throw error;
    }
  };

  const get: BlobStore["get"] = async (key) => {
    const stored = await readFile(fileOf(root, key)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "EISDIR")
        return null;
      throw error;
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
      await rm(fileOf(root, key), { force: true });
    },
    ping: async () => {
      await mkdir(temporary, { recursive: true, mode: 0o700 });
      const probe = path.join(temporary, `ping-${randomBytes(6).toString("hex")}`);
      await writeFile(probe, "");
      await rm(probe, { force: true });
    },
  };
};

const fileOf = (root: string, key: string): string => {
  const segments = key.split("/");
  if (key.length > KEY_MAX || !segments.every((segment) => SEGMENT.test(segment))) {
    throw new Error(`Not a blob key: ${JSON.stringify(key.slice(0, 80))}`);
  }
  return path.join(root, ...segments);
};
