import type { Config } from "../../platform/config.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { within } from "../../platform/within.ts";
import {
  type ProjectionOperations,
  projectionOperations,
} from "../../projections/kernel/operations.ts";
import { type AuditTree, auditTree } from "../../stores/audit/tree.ts";
import { type LogVerifications, logVerifications } from "../../stores/audit/verifications.ts";
import { type WebhookBodies, webhookBodies } from "../../stores/billing/webhookBodies.ts";
import { type DispatchQueue, dispatchQueue } from "../../stores/runs/dispatchQueue.ts";
import { projections } from "../core/projections.ts";
import type { Platform } from "../platform.ts";
import type { Instruments } from "./instruments.ts";

/** The sources that a scrape reads; null if this process does not have the role. */
export type Sources = {
  readonly log: EventLog;
  readonly projections: Pick<ProjectionOperations, "listBuilds"> | null;
  readonly queue: Pick<DispatchQueue, "countWaiting"> | null;
  readonly webhooks: Pick<WebhookBodies, "countOpen"> | null;
  readonly audit: {
    readonly tree: Pick<AuditTree, "load">;
    readonly verifications: Pick<LogVerifications, "last">;
  } | null;
};

/** The sources of a process with these roles. */
export const scrapeSources = (
  { roles }: Pick<Config, "roles">,
  { database: { db }, log, masterKey }: Pick<Platform, "database" | "log" | "masterKey">,
): Sources => ({
  log,
  projections: roles.includes("projections") ? projectionOperations({ db, projections }) : null,
  queue: roles.includes("dispatcher") ? dispatchQueue(db) : null,
  webhooks: roles.includes("dispatcher") ? webhookBodies({ db, masterKey }) : null,
  audit: roles.includes("projections")
    ? { tree: auditTree(db), verifications: logVerifications(db) }
    : null,
});

/** Time limit of a source: a slow source does not delay the other metrics. */
const SOURCE_LIMIT_MS = 3_000;

/** Reads all sources concurrently into the instruments. Never rejects: `runledger_scrape_failed` reports a failed source. */
export const readScrapeSources = async (
  instruments: Instruments,
  sources: Sources,
): Promise<void> => {
  const { projections, queue, webhooks, audit } = sources;
  const readers: Record<string, () => Promise<void>> = {
    ...(projections && { projections: () => readProjections(instruments, sources) }),
    ...(queue && {
      queue: async () => {
        const { count, oldestSeconds } = await queue.countWaiting();
        instruments.queued.set(count);
        instruments.queueAge.set(oldestSeconds);
      },
    }),
    ...(webhooks && {
      webhooks: async () => {
        const { count, oldestSeconds } = await webhooks.countOpen();
        instruments.webhooksOpen.set(count);
        instruments.webhookOldest.set(oldestSeconds);
      },
    }),
    ...(audit && { audit: () => readAudit(instruments, sources.log, audit) }),
  };
  await Promise.all(
    Object.entries(readers).map(async ([source, read]) => {
      instruments.unread.set({ source }, (await isInTime(read())) ? 0 : 1);
    }),
  );
};

const readProjections = async (
  instruments: Instruments,
  { log, projections }: Sources,
): Promise<void> => {
  if (!projections) return;
  const [builds, head] = await Promise.all([projections.listBuilds(log), log.head()]);
  instruments.logPosition.set(Number(head ?? 0n));
  const waits = new Map<bigint | null, number>();
  for (const { name: projection, state, position, parked, lag } of builds) {
    if (state !== "shown") continue;
    if (!waits.has(position)) {
      waits.set(position, lag === 0 ? 0 : await secondsBehind(log, position));
    }
    instruments.projectionPosition.set({ projection }, Number(position ?? 0n));
    instruments.projectionEvents.set({ projection }, lag ?? 0);
    instruments.projectionSeconds.set({ projection }, waits.get(position) ?? 0);
    instruments.projectionParked.set({ projection }, parked);
  }
};

const readAudit = async (
  instruments: Instruments,
  log: EventLog,
  { tree, verifications }: NonNullable<Sources["audit"]>,
): Promise<void> => {
  const [{ position }, last] = await Promise.all([tree.load(), verifications.last()]);
  instruments.logUnsealedSeconds.set(await secondsBehind(log, position));
  if (!last) return;
  instruments.logAltered.set(last.finding === null ? 0 : 1);
  instruments.logVerifiedSeconds.set((Date.now() - Date.parse(last.verifiedAt)) / 1_000);
};

/** The age of the first event after a position, in seconds; 0 if there is none. */
const secondsBehind = async (
  log: Pick<EventLog, "readAll">,
  after: bigint | null,
): Promise<number> => {
  let seconds = 0;
  for await (const { metadata } of log.readAll({ after, limit: 1 })) {
    seconds = Math.max(0, Date.now() - Date.parse(metadata.recorded_at)) / 1_000;
  }
  return seconds;
};

/** Whether the work succeeds within the time limit. */
const isInTime = (work: Promise<void>): Promise<boolean> =>
  within(
    work.then(
      () => true,
      () => false,
    ),
    SOURCE_LIMIT_MS,
    () => false,
  );
