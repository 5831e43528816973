import { announceWatcher } from "../../platform/bus/watchedRuns.ts";
import {
  catchUp,
  openFeed,
  type Reader,
  type RunFeed,
  type RunFeedDeps,
  replay,
} from "./runFeed.ts";
import type { Subscriber } from "./subscriber.ts";

/** A feed that received nothing for this long reads the table: the bus delivers at most once. */
const QUIET_MS = 2_000;

export type RunSubscription = {
  /** Number of the run's last event when the subscription was opened. */
  readonly sequence: number;
  /** Sends every event after number `after`, exactly once and in order: first from the table, then live. */
  start(after: number, subscriber: Subscriber): void;
  close(): void;
};

export type RunFeeds = {
  /** Subscribes to a run. `after` is the number of the last event that the client has. */
  subscribe(runId: string, after: number): Promise<RunSubscription>;
  close(): void;
};

/** The feeds of the runs watched through this process: one bus subscription per run, one frame per event. */
export const createRunFeeds = (deps: RunFeedDeps): RunFeeds => {
  const feeds = new Map<string, RunFeed>();
  const timer = setInterval(() => {
    for (const feed of feeds.values()) pollIfQuiet(deps, feed);
  }, QUIET_MS / 2);
  timer.unref();

  return {
    subscribe: async (runId, after) => {
      const feed = feeds.get(runId) ?? openFeed(deps, runId);
      feeds.set(runId, feed);
      feed.subscriptions += 1;
      const leave = (): void => {
        feed.subscriptions -= 1;
        if (feed.subscriptions > 0) return;
        feed.subscription.close();
        if (feeds.get(runId) === feed) feeds.delete(runId);
      };
      try {
        await feed.opened;
        // The client received events through another process that this feed has not received yet.
        if (after > feed.head) await catchUp(deps, feed);
      } catch (error) {
        leave();
        throw error;
      }
      return openSubscription(deps, feed, leave);
    },
    close: () => {
      clearInterval(timer);
      for (const feed of feeds.values()) feed.subscription.close();
      feeds.clear();
    },
  };
};

const openSubscription = (deps: RunFeedDeps, feed: RunFeed, leave: () => void): RunSubscription => {
  let reader: Reader | null = null;
  let closed = false;
  return {
    sequence: feed.head,
    start: (after, subscriber) => {
      if (reader || closed) return;
      reader = { subscriber, last: after, closed: false };
      void replay(deps, feed, reader);
    },
    close: () => {
      if (closed) return;
      closed = true;
      if (reader) {
        reader.closed = true;
        feed.live.delete(reader);
      }
      leave();
    },
  };
};

const pollIfQuiet = (deps: RunFeedDeps, feed: RunFeed): void => {
  announceWatcher(deps.bus, feed.runId);
  if (performance.now() - feed.heardAt < QUIET_MS) return;
  feed.heardAt = performance.now();
  void catchUp(deps, feed);
};
