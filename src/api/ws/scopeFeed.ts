import { logFailure } from "../../platform/availability.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { Positions } from "../../projections/kernel/positions.ts";
import type { RunEventQueries, RunScope } from "../../projections/runs/watchedEvents.ts";
import { frameText } from "./frames.ts";
import type { Subscriber } from "./subscriber.ts";

const PAGE = 500;
/** The interval of reads if no commit is noticed: notifications may be lost. */
const POLL_MS = 1_000;
/** The minimum time between two reads of a subscription. */
const PAUSE_MS = 50;
/** The events of a run are delivered once both read models contain it. */
const READ_MODELS = ["run_events", "runs"] as const;

export type ScopeFeedDeps = {
  readonly queries: Pick<RunEventQueries, "runEventsOfScope">;
  readonly positions: Pick<Positions, "lowest" | "onAdvance">;
  readonly logger: Logger;
};

export type ScopeSubscription = {
  /** The position in the log after which events are sent. */
  readonly position: bigint;
  start(subscriber: Subscriber): void;
  close(): void;
};

type Reader = { readonly scope: RunScope; last: bigint; readonly over: AbortController };

/**
 * Subscribes to the events of all runs of a project or an organisation after a position, null for new events only.
 * Events are read from the table in the order of the log, so that each is sent once, also to a client that resumes.
 */
export const subscribeToScope = (
  deps: ScopeFeedDeps,
  scope: RunScope,
  after: bigint | null,
): ScopeSubscription => {
  const last = after ?? deps.positions.lowest(READ_MODELS) ?? 0n;
  const reader: Reader = { scope, last, over: new AbortController() };
  return {
    position: last,
    start: (subscriber) => void follow(deps, reader, subscriber),
    close: () => reader.over.abort(),
  };
};

const follow = async (
  deps: ScopeFeedDeps,
  reader: Reader,
  subscriber: Subscriber,
): Promise<void> => {
  const { over } = reader;
  while (!over.signal.aborted) {
    await subscriber.ready();
    const until = deps.positions.lowest(READ_MODELS);
    const isMore = await readPage(deps, reader, until, subscriber);
    if (isMore || over.signal.aborted) continue;
    await nextCommit(deps.positions, until, over.signal);
    await sleep(PAUSE_MS, over.signal);
  }
};

/** Sends the next events. Returns whether there are more. */
const readPage = async (
  { queries, logger }: ScopeFeedDeps,
  reader: Reader,
  until: bigint | null,
  subscriber: Subscriber,
): Promise<boolean> => {
  if (until === null || until <= reader.last) return false;
  try {
    const range = { after: reader.last, until, limit: PAGE };
    const events = await queries.runEventsOfScope(reader.scope, range);
    if (reader.over.signal.aborted) return false;
    for (const { position, ...event } of events) {
      const message = { type: "event", ...event, position: String(position) };
      subscriber.send(frameText(JSON.stringify(message)));
      reader.last = position;
    }
    if (events.length === PAGE) return true;
    reader.last = until;
  } catch (error) {
    logFailure(logger, error, reader.scope, "cannot read the events of runs");
  }
  return false;
};

/** Waits until the read models have passed `seen`, at most `POLL_MS`. */
const nextCommit = (
  positions: ScopeFeedDeps["positions"],
  seen: bigint | null,
  over: AbortSignal,
): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      remove();
      over.removeEventListener("abort", end);
      resolve();
    };
    const look = (): void => {
      const reached = positions.lowest(READ_MODELS);
      if (reached !== null && (seen === null || reached > seen)) end();
    };
    const timer = setTimeout(end, POLL_MS);
    const remove = positions.onAdvance(look);
    over.addEventListener("abort", end);
    look();
  });
