import { z } from "zod";
import { catalog, planCodes } from "../../billing/catalog.ts";

/** What an execution leaves besides its results. */
const leftKind = z.enum([
  "screenshots",
  "differences",
  "console",
  "trace",
  "har",
  "video",
  "other",
]);
type LeftKind = z.output<typeof leftKind>;

const KIND_OF_FILE: Readonly<Record<string, LeftKind>> = {
  "console.json": "console",
  "trace.zip": "trace",
  "network.har": "har",
  "video.webm": "video",
};

/** The files that a test can leave besides its pictures, by name. */
export const evidenceFiles = ["trace.zip", "console.json", "network.har", "video.webm"] as const;
export type EvidenceFile = (typeof evidenceFiles)[number];
/** The largest of them that is kept, in bytes. */
export const MAX_EVIDENCE_BYTES = 50 * 1024 ** 2;

/** The folder of the blob store in which all lies that an execution leaves; baselines are copied out of it. */
export const evidenceFolder = (runId: string, executionId: string): string =>
  `runs/${runId}/${executionId}`;

const instant = z.iso.datetime({ precision: 3 });
const DAY_MS = 86_400_000;

/** By which rule evidence goes: the organisation's plan keeps it so many days after the execution ended. */
const rule = {
  runId: z.uuid(),
  kinds: z.array(leftKind).min(1),
  rule: z.literal("retention_days"),
  plan: z.enum(planCodes),
  days: z.int().positive(),
};

export const evidenceSchemas = {
  /** Its days are over: nobody gets it any more, and it is about to be deleted. */
  EvidenceExpired: z.object({ ...rule, endedAt: instant }),
  /** It is in the blob store no longer. */
  EvidenceDeleted: z.object({ ...rule, at: instant }),
};

type ExpiredData = z.output<typeof evidenceSchemas.EvidenceExpired>;
type DeletedData = z.output<typeof evidenceSchemas.EvidenceDeleted>;
type EvidenceEvent =
  | { readonly type: "EvidenceExpired"; readonly data: ExpiredData }
  | { readonly type: "EvidenceDeleted"; readonly data: DeletedData };

/** What is left of an execution besides its results, over all its deliveries. */
export type Evidence =
  | { readonly status: "kept"; readonly kinds: readonly LeftKind[] }
  | { readonly status: "expired"; readonly by: ExpiredData }
  | { readonly status: "deleted" };

export const nothingLeft: Evidence = { status: "kept", kinds: [] };

/** The events that say what there is, as far as it matters here. */
type Leaving =
  | EvidenceEvent
  | { readonly type: "ScreenshotTaken" }
  | { readonly type: "VisualCompared"; readonly data: { readonly diff: string | null } }
  | {
      readonly type: "VisualRejudged";
      readonly data: { readonly pictures: readonly { readonly diff: string | null }[] };
    }
  | {
      readonly type: "EvidenceKept";
      readonly data: { readonly name: string; readonly key: string | null };
    };

/** What is left after an event. */
export const evidenceAfter = (evidence: Evidence, event: Leaving): Evidence => {
  switch (event.type) {
    case "EvidenceExpired":
      return { status: "expired", by: event.data };
    case "EvidenceDeleted":
      return { status: "deleted" };
    default: {
      const kind = kindOf(event);
      if (kind === null || evidence.status !== "kept" || evidence.kinds.includes(kind)) {
        return evidence;
      }
      return { status: "kept", kinds: [...evidence.kinds, kind] };
    }
  }
};

const kindOf = (event: Exclude<Leaving, EvidenceEvent>): LeftKind | null => {
  switch (event.type) {
    case "ScreenshotTaken":
      return "screenshots";
    case "VisualCompared":
      return event.data.diff === null ? null : "differences";
    case "VisualRejudged":
      return event.data.pictures.some(({ diff }) => diff !== null) ? "differences" : null;
    case "EvidenceKept":
      return event.data.key === null ? null : (KIND_OF_FILE[event.data.name] ?? "other");
  }
};

/** The plan's days are over, as far as whoever asks knows: decided by the plan of that instant. */
export type ExpireEvidence = {
  readonly type: "expireEvidence";
  readonly plan: keyof typeof catalog;
  readonly endedAt: string;
  readonly at: string;
};
/** It is gone from the blob store. */
export type NoteEvidenceDeleted = { readonly type: "noteEvidenceDeleted"; readonly at: string };

/** What becomes of the evidence of an execution that has ended: it expires once, and is deleted once. */
export const decideEvidence = (
  command: ExpireEvidence | NoteEvidenceDeleted,
  runId: string,
  evidence: Evidence,
): readonly EvidenceEvent[] => {
  if (command.type === "noteEvidenceDeleted") {
    if (evidence.status !== "expired") return [];
    const { endedAt: _, ...by } = evidence.by;
    return [{ type: "EvidenceDeleted", data: { ...by, at: command.at } }];
  }
  const { plan, endedAt, at } = command;
  if (evidence.status !== "kept" || evidence.kinds.length === 0) return [];
  const days = catalog[plan].retentionDays;
  if (!isPast(endedAt, days, at)) return [];
  const kinds = [...evidence.kinds];
  return [
    {
      type: "EvidenceExpired",
      data: { runId, kinds, rule: "retention_days", plan, days, endedAt },
    },
  ];
};

/** Whether so many days are over at an instant. */
export const isPast = (endedAt: string, days: number, at: string): boolean =>
  Date.parse(at) - Date.parse(endedAt) > days * DAY_MS;

/** What ended before this instant is past its days at another. */
export const endedBefore = (days: number, at: string): string =>
  new Date(Date.parse(at) - days * DAY_MS).toISOString();
