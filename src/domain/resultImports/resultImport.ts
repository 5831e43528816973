import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { reportFormats } from "./report.ts";

const schemas = {
  /** A report of others came: the run that it becomes. The same report again is the same run. */
  ResultsReceived: z.object({
    importId: z.uuid(),
    runId: z.uuid(),
    projectId: z.uuid().nullable(),
    format: z.enum(reportFormats),
    /** Of the file, in hex. */
    sha256: z.string(),
    bytes: z.int().positive(),
    /** When the tests began, and when they were over: as the report says, or else when it came. */
    startedAt: z.iso.datetime({ precision: 3 }),
    finishedAt: z.iso.datetime({ precision: 3 }),
    /** Until when those of its tests are in quarantine that are, by their ids. */
    quarantined: z.record(z.uuid(), z.string()),
  }),
};

export type ResultImportEvent = EventOf<typeof schemas>;

export type ResultImport =
  | { readonly status: "none" }
  | ({ readonly status: "received" } & Pick<
      ResultImportEvent["data"],
      "runId" | "startedAt" | "finishedAt" | "quarantined"
    >);

export type ResultImportCommand = { readonly type: "receive" } & ResultImportEvent["data"];

const evolve = (_: ResultImport, { data }: ResultImportEvent): ResultImport => {
  const { runId, startedAt, finishedAt, quarantined } = data;
  return { status: "received", runId, startedAt, finishedAt, quarantined };
};

const decide = (
  { type: _, ...data }: ResultImportCommand,
  state: ResultImport,
): readonly ResultImportEvent[] =>
  state.status === "none" ? [{ type: "ResultsReceived", data }] : [];

/** One report of others, by its organisation, project and content. */
export const resultImportDecider: Decider<ResultImport, ResultImportCommand, ResultImportEvent> = {
  category: "resultImport",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
