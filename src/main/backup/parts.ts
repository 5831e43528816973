import { open, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { sha256 } from "../../platform/crypto.ts";
import { BackupError, type Manifest, type Part, unreadable } from "./manifest.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Size at which a part is complete. Parts are read and written as a whole. */
const PART_BYTES = 8 * 1_024 * 1_024;

/** A sequence of parts of one kind. */
export type PartWriter = {
  add(chunk: Buffer): Promise<void>;
  /** Writes the remaining data. Returns the parts in order. */
  end(): Promise<readonly Part[]>;
};

/** Writes parts `<name>-00001…` into a folder. Parts are readable only by their owner, and synced to disk. */
export const createPartWriter = (
  folder: string,
  options: { readonly kind: Part["kind"]; readonly table?: string },
): PartWriter => {
  const { kind, table } = options;
  const name = table === undefined ? kind : `${kind}-${table}`;
  const parts: Part[] = [];
  let chunks: Buffer[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    if (chunks.length === 0) return;
    const whole = Buffer.concat(chunks);
    chunks = [];
    size = 0;
    const isPack = kind === "blobs";
    const bytes = isPack ? whole : await compress(whole);
    const number = String(parts.length + 1).padStart(5, "0");
    const file = `${name}-${number}.${isPack ? "pack" : "jsonl.gz"}`;
    await writeFileDurably(path.join(folder, file), bytes);
    const written = { kind, file, bytes: bytes.length, sha256: sha256(bytes) };
    parts.push(table === undefined ? written : { ...written, table });
  };
  return {
    add: async (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= PART_BYTES) await flush();
    },
    end: async () => {
      await flush();
      return parts;
    },
  };
};

/**
 * Creates a file that is readable only by its owner, and syncs it to disk. Rejects with BackupError if the file exists
 * or cannot be written.
 */
export const writeFileDurably = async (file: string, bytes: Buffer | string): Promise<void> => {
  try {
    const handle = await open(file, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unwritable(file, error as NodeJS.ErrnoException);
  }
};

const FULL: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

const unwritable = (file: string, { code, message }: NodeJS.ErrnoException): BackupError =>
  new BackupError(
    FULL.has(code)
      ? `${file} cannot be written (${code}): the disk is full. Free some space, or choose a folder on another disk.`
      : `${file} cannot be written: ${code ?? message}.`,
  );

/** Reads and decompresses a part. Rejects with BackupError if it is missing, truncated or altered. */
export const readPart = async (folder: string, part: Part): Promise<Buffer> => {
  const bytes = await readFile(path.join(folder, part.file)).catch(missing(part));
  checkSize(part, bytes.length);
  if (sha256(bytes) !== part.sha256) {
    throw new BackupError(`${part.file} was altered: its SHA-256 differs from the manifest.`);
  }
  return part.kind === "blobs" ? bytes : decompress(bytes);
};

/** Checks every part of a backup. Rejects with BackupError that names the first missing, truncated or altered part. */
export const checkParts = async (
  folder: string,
  manifest: Manifest,
  onPart: (checked: number) => void = () => undefined,
): Promise<void> => {
  for (const part of manifest.parts) {
    const { size } = await stat(path.join(folder, part.file)).catch(missing(part));
    checkSize(part, size);
  }
  for (const [index, part] of manifest.parts.entries()) {
    await readPart(folder, part);
    onPart(index + 1);
  }
};

const missing =
  (part: Part) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code !== "ENOENT") throw unreadable(part.file, error);
    throw new BackupError(`${part.file} is missing.`);
  };

const checkSize = (part: Part, size: number): void => {
  if (size === part.bytes) return;
  throw new BackupError(
    size < part.bytes
      ? `${part.file} is truncated: it has ${size} of ${part.bytes} bytes.`
      : `${part.file} was altered: it has ${size} bytes instead of ${part.bytes}.`,
  );
};

/** The lines of a part. */
export const linesOf = (bytes: Buffer): string[] => {
  const lines = bytes.toString("utf8").split("\n");
  lines.pop();
  return lines;
};
