import { z } from "zod";
import { type PlanLine, providerEventOf, type StoredEvent } from "./planLines.ts";

/** Formats of an export. */
export const exportFormats = ["jsonl", "csv"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The `typ` of the head's signature, which distinguishes it from other statements. */
export const HEAD_TYPE = "plan-history-head";

/** An upper bound for the lines of a history, so that a forged head cannot report an unlimited number of missing lines. */
const MAX_LINES = 5_000_000;

/** The signed claims of the last line. The signature alone does not prove who signed. */
export const headClaims = z.object({
  organization_id: z.uuid(),
  exported_at: z.iso.datetime(),
  format: z.enum(exportFormats),
  /** The number of lines in the history. */
  count: z.int().nonnegative().max(MAX_LINES),
  /** The hash of the last line, null if there is none. */
  hash: z.string().nullable(),
  /** SHA-256 of every byte before the last line. */
  sha256: z.string(),
});
export type HeadClaims = z.output<typeof headClaims>;

/** A line of an export as written: the event and its claimed position. */
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

/** The text before the first line: the column names of a CSV file, else empty. */
export const preamble = (format: ExportFormat): string =>
  format === "csv" ? `${columns.join(",")}\n` : "";

/** Formats a line, including the line feed. */
export const writeLine = (line: PlanLine, format: ExportFormat): string =>
  format === "csv" ? csvOf(line) : jsonOf(line);

/** Formats the last line with the signed head. */
export const writeHead = (head: string, format: ExportFormat): string =>
  format === "csv" ? `head,${head}\n` : `{"head":"${head}"}\n`;

/** Extracts the signed head of a line, null if it contains none. */
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
  const providerEvent = providerEventOf(data);
  const cells = [
    ...[line.sequence, line.id, line.type, metadata.occurred_at, metadata.recorded_at],
    ...[`${metadata.actor.type}:${metadata.actor.id}`, metadata.command ?? ""],
    ...[
      metadata.$correlationId,
      metadata.$causationId,
      providerEvent?.id ?? "",
      providerEvent?.bodySha256 ?? "",
    ],
    ...[line.planBefore, line.planAfter, JSON.stringify(data), JSON.stringify(metadata)],
    ...[line.previousHash ?? "", line.hash],
  ];
  return `${cells.map(cell).join(",")}\n`;
};

/** A cell according to RFC 4180. JSON contains no raw line breaks, so every event is one line. */
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

/** Parses a line without its line feed, null if it is malformed. Does not verify the hash. */
export const readLine = (text: string, format: ExportFormat): WrittenLine | null => {
  try {
    const fields: unknown = format === "csv" ? fieldsOf(text) : JSON.parse(text);
    const parsed = written.safeParse(fields);
    if (!parsed.success) return null;
    const { sequence, id, event, previous_hash, hash } = parsed.data;
    // Unparsed, because the hash depends on the order of fields.
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
