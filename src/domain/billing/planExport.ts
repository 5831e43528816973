import { z } from "zod";
import { type PlanLine, providerEventOf, type StoredEvent } from "./planLines.ts";

/** How a history is written down. */
export const exportFormats = ["jsonl", "csv"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The `typ` of the signature in the last line: no other statement of the service has it. */
export const HEAD_TYPE = "plan-history-head";

/** No history comes near so many lines: a head that somebody made up names all that it likes as missing. */
const MOST_LINES = 5_000_000;

/** What the last line says, signed: how much there is before it, and what it comes to. Anybody may have signed it. */
export const headClaims = z.object({
  organization_id: z.uuid(),
  exported_at: z.iso.datetime(),
  format: z.enum(exportFormats),
  /** Lines of the history. */
  count: z.int().nonnegative().max(MOST_LINES),
  /** Of the last of them; null where there is none. */
  hash: z.string().nullable(),
  /** SHA-256 of every byte before the last line. */
  sha256: z.string(),
});
export type HeadClaims = z.output<typeof headClaims>;

/** What somebody wrote into a line: the event, and where it says that it belongs. */
export type WrittenLine = StoredEvent & {
  readonly sequence: number;
  readonly previousHash: string | null;
  readonly hash: string;
};

const columns = [
  ...["sequence", "id", "event", "occurred_at", "recorded_at", "actor", "command"],
  ...["correlation_id", "causation_id", "provider_event_id", "body_sha256"],
  ...["plan_before", "plan_after", "data", "metadata", "previous_hash", "hash"],
];

/** What comes before the first line: the names of the columns, or nothing. */
export const preamble = (format: ExportFormat): string =>
  format === "csv" ? `${columns.join(",")}\n` : "";

/** Writes a line, with the line feed at its end. */
export const writeLine = (line: PlanLine, format: ExportFormat): string =>
  format === "csv" ? csvOf(line) : jsonOf(line);

/** Writes the last line around the signed head. */
export const writeHead = (head: string, format: ExportFormat): string =>
  format === "csv" ? `head,${head}\n` : `{"head":"${head}"}\n`;

/** The signed head in a line; null where it is none. */
export const readHead = (text: string, format: ExportFormat): string | null =>
  (format === "csv" ? /^head,([\w.-]+)$/ : /^\{"head":"([\w.-]+)"\}$/).exec(text)?.[1] ?? null;

const jsonOf = (line: PlanLine): string => {
  const { sequence, id, type, data, metadata, planBefore, planAfter, previousHash, hash } = line;
  return `${JSON.stringify({
    sequence,
    id,
    event: type,
    plan_before: planBefore,
    plan_after: planAfter,
    data,
    metadata,
    previous_hash: previousHash,
    hash,
  })}\n`;
};

const csvOf = (line: PlanLine): string => {
  const { metadata, data } = line;
  const told = providerEventOf(data);
  const cells = [
    ...[line.sequence, line.id, line.type, metadata.occurred_at, metadata.recorded_at],
    ...[`${metadata.actor.type}:${metadata.actor.id}`, metadata.command ?? ""],
    ...[metadata.$correlationId, metadata.$causationId, told?.id ?? "", told?.bodySha256 ?? ""],
    ...[line.planBefore, line.planAfter, JSON.stringify(data), JSON.stringify(metadata)],
    ...[line.previousHash ?? "", line.hash],
  ];
  return `${cells.map(cell).join(",")}\n`;
};

/** RFC 4180. JSON has no line breaks of its own, so that a line stays a line. */
const cell = (value: string | number): string => {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const actor = z.object({ type: z.string(), id: z.string(), name: z.string().optional() });
const metadata = z.looseObject({
  $correlationId: z.string(),
  $causationId: z.string(),
  actor,
  occurred_at: z.string(),
  recorded_at: z.string(),
  schema_version: z.int(),
  command: z.string().optional(),
});
const written = z.object({
  sequence: z.int().positive(),
  id: z.string(),
  event: z.string(),
  data: z.looseObject({}),
  metadata,
  previous_hash: z.string().nullable(),
  hash: z.string(),
});

/** Reads a line, without its line feed; null where it is none. Whether it says the truth is another matter. */
export const readLine = (text: string, format: ExportFormat): WrittenLine | null => {
  try {
    const fields: unknown = format === "csv" ? fieldsOf(text) : JSON.parse(text);
    const parsed = written.safeParse(fields);
    if (!parsed.success) return null;
    const { sequence, id, event, previous_hash, hash } = parsed.data;
    // As they came, not as the schema gives them: their order is part of the hash.
    const { data, metadata: meta } = fields as Pick<StoredEvent, "data" | "metadata">;
    return { sequence, id, type: event, data, metadata: meta, previousHash: previous_hash, hash };
  } catch {
    return null;
  }
};

const fieldsOf = (text: string): Record<string, unknown> => {
  const cells = [...text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  );
  const named = Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? ""]));
  return {
    ...named,
    sequence: Number(named.sequence),
    data: JSON.parse(named.data ?? ""),
    metadata: JSON.parse(named.metadata ?? ""),
    previous_hash: named.previous_hash === "" ? null : named.previous_hash,
  };
};
