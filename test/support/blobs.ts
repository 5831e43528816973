import type { Blob, BlobStore } from "../../src/platform/blobs/port.ts";

/** An in-memory blob store for tests that are not about blobs. */
export const memoryBlobStore = (): BlobStore => {
  const stored = new Map<string, Blob>();
  return {
    put: async (key, blob) => {
      stored.set(key, blob);
    },
    get: async (key) => stored.get(key) ?? null,
    delete: async (key) => {
      stored.delete(key);
    },
    deleteUnder: async (folder) => {
      for (const key of stored.keys()) if (key.startsWith(`${folder}/`)) stored.delete(key);
    },
    list: async function* () {
      yield* [...stored.keys()];
    },
    ping: async () => undefined,
  };
};
