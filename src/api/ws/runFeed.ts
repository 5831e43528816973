import type { NumberedRunEvent } from "../../domain/runs/watchedEvents.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Bus, BusSubscription } from "../../platform/bus/port.ts";
import { announceWatcher } from "../../platform/bus/watchedRuns.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { RunEventQueries } from "../../projections/runs/watchedEvents.ts";
import { frameText } from "./frames.ts";

const PAGE = 500;
/** A feed that heard nothing for so long looks into the table: the bus delivers at most once. */
const QUIET_MS = 2_000;

/** Who watches a run: takes frames in order. */
export type Watcher = {
  send(frame: Buffer): void;
  /** Resolves when it can take more, or has gone. */
  ready(): Promise<void>;
};

export type Watching = {
  /** The number of the run's last event when the watching began. */
  readonly sequence: number;
  /** Sends every event after number `after`, each exactly once and in order: those of the table first, then live. */
  start(after: number, watcher: Watcher): void;
  close(): void;
};

export type RunFeeds = {
  /** Watches a run for one who has its events up to number `after`. */
  watch(runId: string, after: number): Promise<Watching>;
  close(): void;
};

type Reader = { readonly watcher: Watcher; last: number; closed: boolean };

type Feed = {
  /** The last event that every live reader has. */
  head: number;
  readonly live: Set<Reader>;
  /** Frames that the live readers are about to be sent, all in one piece. */
  unsent: Buffer[];
  readonly subscription: BusSubscription;
  readonly opened: Promise<void>;
  watchings: number;
  heardAt: number;
  catchingUp: Promise<void> | null;
};

type Deps = {
  readonly bus: Bus;
  readonly queries: Pick<RunEventQueries, "runEventsAfter" | "lastSequence">;
  readonly logger: Logger;
};

/**
 * The runs that are watched through this process: one bus subscription each, each event framed once
 * for all who watch live. A gap in the numbers, or silence, is filled from the table.
 */
export const createRunFeeds = (deps: Deps): RunFeeds => {
  const { bus, queries, logger } = deps;
  const feeds = new Map<string, Feed>();

  const openFeed = (runId: string): Feed => {
    const subscription = bus.subscribe(`run.${runId}.events`);
    const feed: Feed = {
      head: 0,
      live: new Set(),
      unsent: [],
      subscription,
      // Subscribed before the number is read: what comes between the two is heard.
      opened: queries.lastSequence(runId).then((last) => {
        feed.head = Math.max(feed.head, last);
        void listen(runId, feed);
      }),
      watchings: 0,
      heardAt: performance.now(),
      catchingUp: null,
    };
    feeds.set(runId, feed);
    announceWatcher(bus, runId);
    return feed;
  };

  const listen = async (runId: string, feed: Feed): Promise<void> => {
    for await (const { payload } of feed.subscription) {
      feed.heardAt = performance.now();
      try {
        accept(runId, feed, JSON.parse(payload) as NumberedRunEvent);
      } catch (error) {
        logger.warn({ err: error, run: runId }, "a live event could not be read");
      }
    }
  };

  const accept = (runId: string, feed: Feed, event: NumberedRunEvent): void => {
    if (event.sequence <= feed.head) return;
    if (event.sequence > feed.head + 1) {
      void catchUp(runId, feed);
      return;
    }
    feed.head = event.sequence;
    if (feed.live.size === 0) return;
    // What is heard in the same moment goes out together: writing to a socket costs more than what is written.
    if (feed.unsent.length === 0) setImmediate(() => send(feed));
    feed.unsent.push(frameEvent(event));
  };

  /** Sends the live readers what they have not been sent: the same bytes to each. */
  const send = (feed: Feed): void => {
    const frames = feed.unsent;
    if (frames.length === 0) return;
    feed.unsent = [];
    const bytes = frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames);
    for (const { watcher } of feed.live) watcher.send(bytes);
  };

  /** Reads on in the table from where the live readers are. */
  const catchUp = (runId: string, feed: Feed): Promise<void> => {
    feed.catchingUp ??= (async () => {
      try {
        for (;;) {
          const events = await queries.runEventsAfter(runId, feed.head, PAGE);
          for (const event of events) accept(runId, feed, event);
          if (events.length < PAGE) return;
        }
      } catch (error) {
        logFailure(logger, error, { run: runId }, "the events of a run cannot be read");
      } finally {
        feed.catchingUp = null;
      }
    })();
    return feed.catchingUp;
  };

  /** Brings one reader from where it is to where the live ones are, and makes it one of them. */
  const replay = async (runId: string, feed: Feed, reader: Reader): Promise<void> => {
    while (!reader.closed) {
      await reader.watcher.ready();
      if (reader.closed) return;
      const events = await queries.runEventsAfter(runId, reader.last, PAGE).catch((error) => {
        logFailure(logger, error, { run: runId }, "the events of a run cannot be read");
        return null;
      });
      if (reader.closed) return;
      for (const event of events ?? []) {
        // The table may be ahead of the bus: then the live readers hear it from here.
        accept(runId, feed, event);
        reader.last = event.sequence;
        reader.watcher.send(frameEvent(event));
      }
      if (events && reader.last === feed.head) {
        // What the live ones are about to be sent it has from the table.
        send(feed);
        feed.live.add(reader);
        return;
      }
      if (!events || events.length === 0) await sleep(100);
    }
  };

  const leave = (runId: string, feed: Feed): void => {
    feed.watchings -= 1;
    if (feed.watchings > 0) return;
    feed.subscription.close();
    if (feeds.get(runId) === feed) feeds.delete(runId);
  };

  const timer = setInterval(() => {
    for (const [runId, feed] of feeds) {
      announceWatcher(bus, runId);
      if (performance.now() - feed.heardAt < QUIET_MS) continue;
      feed.heardAt = performance.now();
      void catchUp(runId, feed);
    }
  }, QUIET_MS / 2);
  timer.unref();

  return {
    watch: async (runId, after) => {
      const feed = feeds.get(runId) ?? openFeed(runId);
      feed.watchings += 1;
      try {
        await feed.opened;
        // Who was told more than this feed has heard, through another process, is ahead of the bus.
        if (after > feed.head) await catchUp(runId, feed);
      } catch (error) {
        leave(runId, feed);
        throw error;
      }
      let reader: Reader | null = null;
      let closed = false;
      return {
        sequence: feed.head,
        start: (after, watcher) => {
          if (reader || closed) return;
          reader = { watcher, last: after, closed: false };
          void replay(runId, feed, reader);
        },
        close: () => {
          if (closed) return;
          closed = true;
          if (reader) {
            reader.closed = true;
            feed.live.delete(reader);
          }
          leave(runId, feed);
        },
      };
    },
    close: () => {
      clearInterval(timer);
      for (const feed of feeds.values()) feed.subscription.close();
      feeds.clear();
    },
  };
};

const frameEvent = (event: NumberedRunEvent): Buffer =>
  frameText(JSON.stringify({ type: "event", ...event }));
