import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";

// ---------------------------------------------------------------- Events

const instant = z.iso.datetime({ precision: 3 }).nullable();

const schemas = {
  /**
   * A file of the organisation was downloaded. `by` is the user or API key. Repeated downloads of one file are
   * recorded once per minute.
   */
  DataExported: z.object({
    what: z.string(),
    format: z.string(),
    resourceId: z.uuid().nullable(),
    by: z.string(),
    minute: z.iso.datetime({ precision: 3 }),
  }),
  /** A user replayed the plan's history at a time. */
  PlanHistoryReplayed: z.object({ asOf: instant, knownAt: instant, plan: z.string() }),
  /** A user exported the signed history of the plan. Later exports can be compared with this record. */
  PlanHistoryExported: z.object({
    format: z.string(),
    count: z.int().nonnegative(),
    /** The hash of the last line. */
    hash: z.string().nullable(),
    sha256: z.string(),
    /** The thumbprint (RFC 7638) of the signing key. */
    kid: z.string(),
  }),
};

export type AuditEvent = EventOf<typeof schemas>;
type Export = Extract<AuditEvent, { type: "DataExported" }>["data"];
/** Actions that are recorded every time. */
type Look = Exclude<AuditEvent, { type: "DataExported" }>;

// ---------------------------------------------------------------- State

/** The actions recorded in the last minute with any. */
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

/** The audited reads of one organisation. */
export const auditDecider: Decider<Audit, AuditCommand, AuditEvent> = {
  category: "audit",
  initial: { minute: null, noted: [] },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
