export type Blob = { readonly bytes: Buffer; readonly contentType: string };

/** Stores screenshots and other evidence. Keys are `/`-separated path segments of `[A-Za-z0-9._-]`, never starting with a dot. */
export type BlobStore = {
  put(key: string, blob: Blob): Promise<void>;
  /** Null if there is no such blob. */
  get(key: string): Promise<Blob | null>;
  delete(key: string): Promise<void>;
  /** Deletes every blob whose key starts with `<folder>/`. Idempotent. */
  deleteUnder(folder: string): Promise<void>;
  /** Keys of all blobs, unordered. Concurrent changes may or may not be included. */
  list(): AsyncIterable<string>;
  /** Rejects if the store cannot be reached or written to. */
  ping(): Promise<void>;
};
