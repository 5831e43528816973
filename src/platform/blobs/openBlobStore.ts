import type { Parts } from "../parts.ts";
import { localBlobStore } from "./localFolder.ts";
import type { BlobStore } from "./port.ts";
import type { S3Settings } from "./s3.ts";

/** Where blobs are kept. */
export type BlobSettings =
  | { readonly kind: "folder"; readonly folder: string }
  | ({ readonly kind: "s3" } & S3Settings);

/** Opens the store of the settings. Nothing is asked of it yet. */
export const openBlobStore = async (
  settings: BlobSettings,
  options: { readonly parts?: Parts } = {},
): Promise<BlobStore> => {
  if (settings.kind === "folder") return localBlobStore(settings.folder, options);
  // Its client is large, and most services keep blobs in a folder.
  const { s3BlobStore } = await import("./s3.ts");
  return s3BlobStore(settings, options);
};

/** Where a store is, for a person; without secrets. */
export const nameOfBlobStore = (settings: BlobSettings): string => {
  if (settings.kind === "folder") return settings.folder;
  const { bucket, prefix, endpoint } = settings;
  const at = endpoint === null ? "" : ` at ${endpoint}`;
  return `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}${at}`;
};
