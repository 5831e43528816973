/** A stored blob: its bytes and what they are. */
export type Blob = { readonly bytes: Buffer; readonly contentType: string };

/** Where screenshots and other evidence are kept. Keys are `/`-separated path segments of `[A-Za-z0-9._-]`, never starting with a dot. */
export type BlobStore = {
  put(key: string, blob: Blob): Promise<void>;
  /** null when there is none. */
  get(key: string): Promise<Blob | null>;
  delete(key: string): Promise<void>;
  /** Deletes every blob whose key begins with `<folder>/`. Resolves too when there is none: it may be done again. */
  deleteUnder(folder: string): Promise<void>;
  /** The keys of all blobs, in no order. What is put or deleted meanwhile may be among them or not. */
  list(): AsyncIterable<string>;
  /** Rejects when the store cannot be reached or written. */
  ping(): Promise<void>;
};
