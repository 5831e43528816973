import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";

// ---------------------------------------------------------------- Events

const instant = z.iso.datetime({ precision: 3 }).nullable();

const schemas = {
  /**
   * Something of the organisation was handed out as a file: what, in which format, of which id. `by` is the user or
   * the key. One who fetches the same again and again is one event a minute.
   */
  DataExported: z.object({
    what: z.string(),
    format: z.string(),
    resourceId: z.uuid().nullable(),
    by: z.string(),
    minute: z.iso.datetime({ precision: 3 }),
  }),
  /** Somebody asked what the plan was at a time, or as far as it was known at one. */
  PlanHistoryReplayed: z.object({ asOf: instant, knownAt: instant, plan: z.string() }),
  /** Somebody took the plan's history away, signed: what is shown later can be held against this. */
  PlanHistoryExported: z.object({
    format: z.string(),
    count: z.int().nonnegative(),
    /** Of its last line. */
    hash: z.string().nullable(),
    sha256: z.string(),
    /** Of the key that signed it: its thumbprint (RFC 7638). */
    kid: z.string(),
  }),
};

export type AuditEvent = EventOf<typeof schemas>;
type Export = Extract<AuditEvent, { type: "DataExported" }>["data"];
/** What is recorded each time. */
type Look = Exclude<AuditEvent, { type: "DataExported" }>;

// ---------------------------------------------------------------- State

/** What was noted in the last minute in which anything was. */
export type Audit = { readonly minute: string | null; readonly noted: readonly string[] };

// ---------------------------------------------------------------- evolve

export const evolve = (audit: Audit, event: AuditEvent): Audit => {
  if (event.type !== "DataExported") return audit;
  const { data } = event;
  if (audit.minute !== null && data.minute < audit.minute) return audit;
  const noted = data.minute === audit.minute ? audit.noted : [];
  return { minute: data.minute, noted: [...noted, keyOf(data)] };
};

const keyOf = ({ by, what, format, resourceId }: Export): string =>
  `${by} ${what} ${format} ${resourceId}`;

// ---------------------------------------------------------------- Commands

export type AuditCommand =
  | ({ readonly type: "noteExport" } & Export)
  | { readonly type: "record"; readonly look: Look };

// ---------------------------------------------------------------- decide

export const decide = (command: AuditCommand, audit: Audit): readonly AuditEvent[] => {
  if (command.type === "record") return [command.look];
  const { type: _, ...data } = command;
  if (data.minute === audit.minute && audit.noted.includes(keyOf(data))) return [];
  return [{ type: "DataExported", data }];
};

/** Looks that matter, of one organisation. */
export const auditDecider: Decider<Audit, AuditCommand, AuditEvent> = {
  category: "audit",
  initial: { minute: null, noted: [] },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
