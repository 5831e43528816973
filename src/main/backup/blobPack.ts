import type { Blob, BlobStore } from "../../platform/blobs/port.ts";
import { sha256 } from "../../platform/crypto.ts";
import { PartUnavailableError } from "../../platform/partHealth.ts";
import { BackupError, type Manifest } from "./manifest.ts";
import { type PartWriter, readPart } from "./parts.ts";

/** Number of concurrent reads from the store. */
const CONCURRENT_READS = 8;

type Header = {
  readonly key: string;
  readonly content_type: string;
  readonly bytes: number;
  readonly sha256: string;
};

/**
 * Writes every blob of a store as a JSON header line followed by its bytes. Skips blobs that are deleted meanwhile.
 * Returns the count and total size. Rejects with BackupError that names a damaged or foreign blob.
 */
export const writeBlobs = async (
  blobs: Pick<BlobStore, "list" | "get">,
  writer: PartWriter,
  onBlob: (count: number) => void = () => undefined,
): Promise<{ count: number; bytes: number }> => {
  const written = { count: 0, bytes: 0 };
  const write = async (keys: readonly string[]): Promise<void> => {
    const found = await Promise.all(keys.map((key) => read(blobs, key)));
    for (const [index, blob] of found.entries()) {
      if (blob === null) continue;
      const header: Header = {
        key: keys[index] ?? "",
        content_type: blob.contentType,
        bytes: blob.bytes.length,
        sha256: sha256(blob.bytes),
      };
      await writer.add(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), blob.bytes]));
      written.count += 1;
      written.bytes += blob.bytes.length;
      onBlob(written.count);
    }
  };
  let keys: string[] = [];
  for await (const key of blobs.list()) {
    keys.push(key);
    if (keys.length < CONCURRENT_READS) continue;
    await write(keys);
    keys = [];
  }
  await write(keys);
  return written;
};

const read = async (blobs: Pick<BlobStore, "get">, key: string): Promise<Blob | null> => {
  try {
    return await blobs.get(key);
  } catch (error) {
    if (error instanceof PartUnavailableError) throw error;
    throw new BackupError(
      `The blob store contains ${key}, which is damaged or not a blob. Remove it and back up again: a backup must contain the whole store.`,
    );
  }
};

/** The blobs of a backup. Rejects with BackupError that names the damaged part and blob. */
export async function* blobsOfBackup(
  folder: string,
  manifest: Manifest,
): AsyncGenerator<{ readonly key: string; readonly blob: Blob }> {
  for (const part of manifest.parts) {
    if (part.kind !== "blobs") continue;
    const bytes = await readPart(folder, part);
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf("\n", at);
      const header = JSON.parse(bytes.toString("utf8", at, end)) as Header;
      const stored = bytes.subarray(end + 1, end + 1 + header.bytes);
      at = end + 1 + header.bytes;
      if (sha256(stored) !== header.sha256) {
        throw new BackupError(
          `${part.file} is damaged: the checksum of the blob ${header.key} does not match.`,
        );
      }
      yield { key: header.key, blob: { bytes: stored, contentType: header.content_type } };
    }
  }
}
