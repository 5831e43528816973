import { type Kysely, sql, type UpdateObject } from "kysely";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { sleep } from "../../platform/sleep.ts";
import { isLed, listBuilds, POLL_MS, waitForBuild } from "./buildStatus.ts";
import { findParked, listParked, type Parked } from "./parking.ts";
import type { Projection } from "./projection.ts";
import { changeLeftOut, createRebuild } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";
import {
  hasVerification,
  requestVerification,
  waitForVerification,
} from "./verificationRequests.ts";

export type { BuildStatus } from "./buildStatus.ts";

export type ProjectionOperations = ReturnType<typeof projectionOperations>;

type Deps = {
  readonly db: Kysely<KernelTables>;
  readonly projections: readonly Projection[];
};

/**
 * The operators' operations on read models. Long operations are requested in tables and executed by the
 * process that folds projections; these functions work in any process. A name of no projection gives null.
 */
export const projectionOperations = (deps: Deps) => {
  const { db, projections } = deps;
  const find = (name: string) => projections.find((projection) => projection.name === name);
  return {
    names: projections.map(({ name }) => name),
    listBuilds: (log: EventLog | null) => listBuilds(db, log),
    isLed: () => isLed(db),
    /** Starts a rebuild, or returns the one in progress. */
    requestRebuild: async (name: string) => {
      const projection = find(name);
      return projection ? createRebuild(db, projection) : null;
    },
    waitForBuild: (name: string, build: number, over: AbortSignal) =>
      waitForBuild(db, { name, version: find(name)?.version ?? 0, build }, over),
    requestVerification: async (name: string) => {
      const projection = find(name);
      return projection ? requestVerification(db, projection) : null;
    },
    hasVerification: (name: string, id: string) => hasVerification(db, name, id),
    waitForVerification: (id: string, over: AbortSignal) => waitForVerification(db, id, over),
    listParked: (options: { readonly withSkipped?: boolean } = {}) => listParked(db, options),
    requestRetry: (id: string) => requestRetry(deps, id),
    waitForRetry: (id: string, over: AbortSignal) => waitForRetry(db, id, over),
    skip: (id: string, reason: string) => skipParked(deps, id, reason),
  };
};

/** Requests that a parked event is folded again, also a skipped one. */
const requestRetry = async (
  deps: Deps,
  id: string,
): Promise<"asked" | "unknown" | "of_a_reactor" | "of_a_build"> => {
  const parked = await findParked(deps.db, id);
  if (!parked) return "unknown";
  if (parked.stream === null) return "of_a_reactor";
  // A build in progress: its refused events become parked events when it is shown.
  if (parked.consumer.includes("+")) return "of_a_build";
  const values = { retry_asked_at: sql<string>`now()`, skipped_at: null, skip_reason: null };
  const wasSkipped = parked.skippedAt !== null;
  return (await update(deps, parked, values, wasSkipped)) ? "asked" : "unknown";
};

/** Waits for a retry: null if the event was folded, else the parked event; undefined if `over` is aborted first. */
const waitForRetry = async (
  db: Kysely<KernelTables>,
  id: string,
  over: AbortSignal,
): Promise<Parked | null | undefined> => {
  while (!over.aborted) {
    const parked = await findParked(db, id);
    if (!parked?.retryAskedAt) return parked;
    await sleep(POLL_MS, over);
  }
  return undefined;
};

/** Leaves a parked event out permanently; rebuilds of the version leave it out too. False if there is no such event. */
const skipParked = async (deps: Deps, id: string, reason: string): Promise<boolean> => {
  const parked = await findParked(deps.db, id);
  if (!parked) return false;
  const values = {
    skipped_at: sql<string>`now()`,
    skip_reason: reason,
    retry_asked_at: null,
  };
  return update(deps, parked, values, parked.skippedAt === null);
};

/** Updates a parked event; false if it is gone. `changesSkipped`: the set of events that the version leaves out changes. */
const update = (
  { db, projections }: Deps,
  { id, consumer }: Parked,
  values: UpdateObject<KernelTables, "parked_events">,
  changesSkipped: boolean,
): Promise<boolean> => {
  const write = async (trx: Kysely<KernelTables>): Promise<boolean> => {
    const query = trx.updateTable("parked_events").set(values).where("id", "=", id);
    return (await query.returning("id").executeTakeFirst()) !== undefined;
  };
  const projection = projections.find(({ name, version }) => consumer === `${name}@${version}`);
  return projection && changesSkipped ? changeLeftOut(db, projection, write) : write(db);
};
