import type { RawEvent } from "../../platform/eventLog/rawLog.ts";
import type { Manifest } from "./manifest.ts";
import { linesOf, readPart } from "./parts.ts";

/** An event as a JSON line. Data and metadata are text if they are valid UTF-8, else base64. */
type Line = {
  readonly position: string;
  readonly stream: string;
  readonly revision: string;
  readonly id: string;
  readonly type: string;
  readonly json: boolean;
  readonly created: string;
  readonly data?: string;
  readonly data64?: string;
  readonly metadata?: string;
  readonly metadata64?: string;
};

/** Encodes an event as a line of a backup. */
export const encodeEventLine = (event: RawEvent): Buffer => {
  const { position, stream, revision, id, type, isJson, created } = event;
  const line: Line = {
    ...{ position: String(position), stream, revision: String(revision), id, type },
    ...{ json: isJson, created },
    ...textOr(event.data, "data"),
    ...textOr(event.metadata, "metadata"),
  };
  return Buffer.from(`${JSON.stringify(line)}\n`);
};

/** Decodes a line of `encodeEventLine`. */
export const decodeEventLine = (text: string): RawEvent => {
  const line = JSON.parse(text) as Line;
  const { position, stream, revision, id, type, json, created } = line;
  return {
    ...{ position: BigInt(position), stream, revision: BigInt(revision), id, type, created },
    isJson: json,
    data: bytesOf(line.data, line.data64),
    metadata: bytesOf(line.metadata, line.metadata64),
  };
};

const textOr = (bytes: Uint8Array, name: "data" | "metadata"): object => {
  if (bytes.length === 0) return {};
  const text = Buffer.from(bytes).toString("utf8");
  if (Buffer.from(text, "utf8").equals(bytes)) return { [name]: text };
  return { [`${name}64`]: Buffer.from(bytes).toString("base64") };
};

const bytesOf = (text: string | undefined, base64: string | undefined): Uint8Array =>
  text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text, "utf8");

/** The events of a backup in log order. Rejects with BackupError. */
export async function* eventsOfBackup(
  folder: string,
  manifest: Manifest,
): AsyncGenerator<RawEvent> {
  for (const part of manifest.parts) {
    if (part.kind !== "log") continue;
    for (const line of linesOf(await readPart(folder, part))) yield decodeEventLine(line);
  }
}
