import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { sha256 } from "../../platform/crypto.ts";

/** The file that describes a backup. */
export const MANIFEST = "manifest.json";
const FORMAT = "runledger-backup";
/** Increased when older releases cannot read the format. */
const VERSION = 1;

/** A backup is missing, incomplete, altered or of a newer release. The message names the part. */
export class BackupError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BackupError";
  }
}

const Part = z.object({
  kind: z.enum(["log", "state", "blobs"]),
  file: z.string().regex(/^(log|state|blobs)-[a-z0-9_-]+\.(jsonl\.gz|pack)$/),
  bytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The table of a `state` part. */
  table: z.string().optional(),
});

const Manifest = z.object({
  format: z.literal(FORMAT),
  version: z.number().int(),
  id: z.uuid(),
  made_at: z.string(),
  /** The release that wrote the backup. */
  release: z.string(),
  /** The last log position in the backup, in decimal (null: empty log), and the number of events. */
  log: z.object({ position: z.string().nullable(), events: z.number().int() }),
  /** The migrations applied to the tables. */
  migrations: z.array(z.string()),
  rows: z.record(z.string(), z.number().int()),
  blobs: z.object({ count: z.number().int(), bytes: z.number().int() }),
  /** The HMAC of the backup's id under the master key. */
  master_key_check: z.string(),
  parts: z.array(Part),
});

export type Part = z.output<typeof Part>;
export type Manifest = z.output<typeof Manifest>;

/** Encodes a manifest with a digest over its content. */
export const encodeManifest = (manifest: Omit<Manifest, "format" | "version">): string => {
  const whole: Manifest = { format: FORMAT, version: VERSION, ...manifest };
  return `${JSON.stringify({ ...whole, digest: digestOf(whole) }, null, 2)}\n`;
};

/** Reads the manifest of a backup. Throws BackupError. */
export const readManifest = async (folder: string): Promise<Manifest> => {
  const text = await readFile(path.join(folder, MANIFEST), "utf8").catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw unreadable(MANIFEST, error);
      throw new BackupError(`${folder} is not a complete backup: it has no ${MANIFEST}.`);
    },
  );
  const { digest, ...whole } = parse(text);
  if (whole.format !== FORMAT) throw damaged();
  if (typeof whole.version === "number" && whole.version > VERSION) {
    throw new BackupError("This backup was made by a newer release. Restore it with that release.");
  }
  const manifest = Manifest.safeParse(whole);
  if (digest !== digestOf(whole) || !manifest.success) throw damaged();
  return manifest.data;
};

/** The error for a file that exists but cannot be read. */
export const unreadable = (file: string, error: NodeJS.ErrnoException): BackupError =>
  new BackupError(`${file} cannot be read: ${error.code ?? error.message}.`);

const parse = (text: string): Record<string, unknown> => {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw damaged();
};

const damaged = (): BackupError =>
  new BackupError(`${MANIFEST} is incomplete or was altered. The backup cannot be trusted.`);

const digestOf = (whole: object): string => sha256(Buffer.from(JSON.stringify(whole)));
