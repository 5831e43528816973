import type { NumberedRunEvent } from "../../domain/runs/watchedEvents.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Bus, BusSubscription } from "../../platform/bus/port.ts";
import { announceWatcher } from "../../platform/bus/watchedRuns.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { RunEventQueries } from "../../projections/runs/watchedEvents.ts";
import { frameText } from "./frames.ts";
import type { Subscriber } from "./subscriber.ts";

const PAGE = 500;
/** Delay before a replay reads the table again, in milliseconds. */
const RETRY_MS = 100;

export type RunFeedDeps = {
  readonly bus: Bus;
  readonly queries: Pick<RunEventQueries, "runEventsAfter" | "lastSequence">;
  readonly logger: Logger;
};

/** One subscriber of a feed. `last` is the number of the last event sent to it. */
export type Reader = { readonly subscriber: Subscriber; last: number; closed: boolean };

/** The live events of one run, shared by every subscriber in this process. */
export type RunFeed = {
  readonly runId: string;
  /** Number of the last event received. */
  head: number;
  /** Readers that have received every event up to `head`, `unsent` included. */
  readonly live: Set<Reader>;
  /** Frames to send to the live readers in one write. */
  unsent: Buffer[];
  readonly subscription: BusSubscription;
  readonly opened: Promise<void>;
  /** Number of open subscriptions; the feed closes with the last one. */
  subscriptions: number;
  /** When the bus last delivered an event, as `performance.now()`. */
  heardAt: number;
  catchingUp: Promise<void> | null;
};

/** Subscribes to the events of a run on the bus. */
export const openFeed = (deps: RunFeedDeps, runId: string): RunFeed => {
  const subscription = deps.bus.subscribe(`run.${runId}.events`);
  const feed: RunFeed = {
    runId,
    head: 0,
    live: new Set(),
    unsent: [],
    subscription,
    // Subscribed before `lastSequence` is read, so that no event between the two is lost.
    opened: deps.queries.lastSequence(runId).then((last) => {
      feed.head = Math.max(feed.head, last);
      void listen(deps, feed);
    }),
    subscriptions: 0,
    heardAt: performance.now(),
    catchingUp: null,
  };
  announceWatcher(deps.bus, runId);
  return feed;
};

const listen = async (deps: RunFeedDeps, feed: RunFeed): Promise<void> => {
  for await (const { payload } of feed.subscription) {
    feed.heardAt = performance.now();
    try {
      accept(deps, feed, JSON.parse(payload) as NumberedRunEvent);
    } catch (error) {
      deps.logger.warn({ err: error, run: feed.runId }, "cannot parse a run event from the bus");
    }
  }
};

/** Queues the next event for the live readers; fills a gap in the numbers from the table. */
const accept = (deps: RunFeedDeps, feed: RunFeed, event: NumberedRunEvent): void => {
  if (event.sequence <= feed.head) return;
  if (event.sequence > feed.head + 1) {
    void catchUp(deps, feed);
    return;
  }
  feed.head = event.sequence;
  if (feed.live.size === 0) return;
  // Events of one event loop turn are sent in one write: the system call costs more than the bytes.
  if (feed.unsent.length === 0) setImmediate(() => flush(feed));
  feed.unsent.push(frameEvent(event));
};

/** Sends the queued frames to the live readers. */
const flush = (feed: RunFeed): void => {
  const frames = feed.unsent;
  if (frames.length === 0) return;
  feed.unsent = [];
  const bytes = frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames);
  for (const { subscriber } of feed.live) subscriber.send(bytes);
};

/** Reads events after `head` from the table. Concurrent calls share one read. */
export const catchUp = (deps: RunFeedDeps, feed: RunFeed): Promise<void> => {
  feed.catchingUp ??= (async () => {
    try {
      for (;;) {
        const events = await deps.queries.runEventsAfter(feed.runId, feed.head, PAGE);
        for (const event of events) accept(deps, feed, event);
        if (events.length < PAGE) return;
      }
    } catch (error) {
      logReadFailure(deps, feed, error);
    } finally {
      feed.catchingUp = null;
    }
  })();
  return feed.catchingUp;
};

/** Sends a reader the events it has missed, from the table, then adds it to the live readers. */
export const replay = async (deps: RunFeedDeps, feed: RunFeed, reader: Reader): Promise<void> => {
  while (!reader.closed) {
    await reader.subscriber.ready();
    if (reader.closed) return;
    const events = await deps.queries
      .runEventsAfter(feed.runId, reader.last, PAGE)
      .catch((error) => {
        logReadFailure(deps, feed, error);
        return null;
      });
    if (reader.closed) return;
    for (const event of events ?? []) {
      // The table may be ahead of the bus: live readers then receive the event from here.
      accept(deps, feed, event);
      reader.last = event.sequence;
      reader.subscriber.send(frameEvent(event));
    }
    if (events && reader.last === feed.head) {
      // This reader already has the queued frames from the table.
      flush(feed);
      feed.live.add(reader);
      return;
    }
    if (!events || events.length === 0) await sleep(RETRY_MS);
  }
};

const logReadFailure = ({ logger }: RunFeedDeps, { runId }: RunFeed, error: unknown): void =>
  logFailure(logger, error, { run: runId }, "cannot read the events of a run");

const frameEvent = (event: NumberedRunEvent): Buffer =>
  frameText(JSON.stringify({ type: "event", ...event }));
