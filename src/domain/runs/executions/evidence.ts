import { z } from "zod";
import { catalog, planCodes } from "../../billing/catalog.ts";

/** The evidence of an execution: pictures and files beside its results. */
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

/** The names of the evidence files besides pictures. */
export const evidenceFiles = ["trace.zip", "console.json", "network.har", "video.webm"] as const;
export type EvidenceFile = (typeof evidenceFiles)[number];
/** The maximum size of an evidence file, in bytes. */
export const MAX_EVIDENCE_BYTES = 50 * 1024 ** 2;

/** The folder of an execution's evidence in the blob store. Baselines are copied out of it. */
export const evidenceFolder = (runId: string, executionId: string): string =>
  `runs/${runId}/${executionId}`;

const instant = z.iso.datetime({ precision: 3 });
const DAY_MS = 86_400_000;

/** The retention rule: the number of days after the end of the execution, by the organisation's plan. */
const rule = {
  runId: z.uuid(),
  kinds: z.array(leftKind).min(1),
  rule: z.literal("retention_days"),
  plan: z.enum(planCodes),
  days: z.int().positive(),
};

export const evidenceSchemas = {
  /** The retention time has ended: the evidence is no longer served and will be deleted. */
  EvidenceExpired: z.object({ ...rule, endedAt: instant }),
  /** The evidence was deleted from the blob store. */
  EvidenceDeleted: z.object({ ...rule, at: instant }),
};

type ExpiredData = z.output<typeof evidenceSchemas.EvidenceExpired>;
type DeletedData = z.output<typeof evidenceSchemas.EvidenceDeleted>;
type EvidenceEvent =
  | { readonly type: "EvidenceExpired"; readonly data: ExpiredData }
  | { readonly type: "EvidenceDeleted"; readonly data: DeletedData };

/** The evidence of an execution, over all its deliveries. */
export type Evidence =
  | { readonly status: "kept"; readonly kinds: readonly LeftKind[] }
  | { readonly status: "expired"; readonly by: ExpiredData }
  | { readonly status: "deleted" };

export const nothingLeft: Evidence = { status: "kept", kinds: [] };

/** The events that change evidence. */
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

/** The evidence after an event. */
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

/** The retention time of the plan has ended at the instant `at` that the caller passes. */
export type ExpireEvidence = {
  readonly type: "expireEvidence";
  readonly plan: keyof typeof catalog;
  readonly endedAt: string;
  readonly at: string;
};
/** The evidence was deleted from the blob store. */
export type NoteEvidenceDeleted = { readonly type: "noteEvidenceDeleted"; readonly at: string };

/** Decides the expiry and the deletion of the evidence of an ended execution; each is recorded once. */
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

/** Whether `days` days have passed since an instant. */
export const isPast = (endedAt: string, days: number, at: string): boolean =>
  Date.parse(at) - Date.parse(endedAt) > days * DAY_MS;

/** Executions that ended before the returned instant are past `days` days of retention at `at`. */
export const endedBefore = (days: number, at: string): string =>
  new Date(Date.parse(at) - days * DAY_MS).toISOString();
