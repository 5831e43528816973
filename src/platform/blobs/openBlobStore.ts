import type { PartHealth } from "../partHealth.ts";
import { localBlobStore } from "./folder/store.ts";
import type { BlobStore } from "./port.ts";
import type { S3Settings } from "./s3/store.ts";

export type BlobSettings =
  | { readonly kind: "folder"; readonly folder: string }
  | ({ readonly kind: "s3" } & S3Settings);

/** Opens the configured store without accessing it. */
export const openBlobStore = async (
  settings: BlobSettings,
  options: { readonly parts?: PartHealth } = {},
): Promise<BlobStore> => {
  if (settings.kind === "folder") return localBlobStore(settings.folder, options);
  // Loads the AWS SDK only if a bucket is configured (decision 041).
  const { s3BlobStore } = await import("./s3/store.ts");
  return s3BlobStore(settings, options);
};

/** Path or URL of a store for messages. Contains no credentials. */
export const nameOfBlobStore = (settings: BlobSettings): string => {
  if (settings.kind === "folder") return settings.folder;
  const { bucket, prefix, endpoint } = settings;
  const at = endpoint === null ? "" : ` at ${endpoint}`;
  return `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}${at}`;
};
