import type { NumberedRunEvent } from "../../domain/runs/watchedEvents.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { Database } from "../../platform/database/database.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Positions } from "../../projections/kernel/positions.ts";
import { runEventQueries } from "../../projections/runs/watchedEvents.ts";
import {
  loadReactorCheckpoint,
  saveReactorCheckpoint,
} from "../../stores/kernel/reactorCheckpoints.ts";

const NAME = "publisher";
const BATCH = 500;
/** The polling interval, in case a notification of a commit was lost. */
const LOOK_EVERY_MS = 1_000;
const SAVE_EVERY_MS = 1_000;

export type PublisherDeps = {
  readonly db: Database["db"];
  readonly bus: Bus;
  /** Told of the projector's commits, of this process or another. */
  readonly positions: Positions;
  readonly logger: Logger;
  readonly holder: string;
};

/** The subject on which a run's events are published. */
export const runEventsSubject = (runId: string): string => `run.${runId}.events`;

/**
 * Publishes the events committed by the run_events projection in the order of the log, woken by commits. One process
 * leads. The checkpoint is saved later than the publication, so events may be published again under the same number. It
 * reads the shown build, so a rebuild publishes nothing.
 */
export const startPublisher = (deps: PublisherDeps): { stop(): Promise<void> } => {
  const { db, positions, logger, holder } = deps;
  const commits = watchCommits(positions);
  const leading = runWhileLeader({
    name: `reactor:${NAME}`,
    ...{ db, holder, logger },
    work: (over) => publishUntil(deps, commits, over),
  });
  return {
    stop: async () => {
      await leading.stop();
      commits.close();
    },
  };
};

/** Commits of the run_events projection in this process or another. */
type Commits = {
  count(): number;
  /** Waits for a commit after the first `seen` ones, at most `patienceMs`. For one caller. */
  waitPast(seen: number, patienceMs: number, over: AbortSignal): Promise<void>;
  close(): void;
};

const watchCommits = (positions: Positions): Commits => {
  let count = 0;
  let onCommit: (() => void) | null = null;
  const close = positions.onAdvance((projection) => {
    if (projection !== "run_events") return;
    count += 1;
    onCommit?.();
  });
  return {
    count: () => count,
    waitPast: (seen, patienceMs, over) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          over.removeEventListener("abort", end);
          onCommit = null;
          resolve();
        };
        const timer = setTimeout(end, patienceMs);
        onCommit = end;
        over.addEventListener("abort", end);
        if (count !== seen || over.aborted) end();
      }),
    close,
  };
};

const publishUntil = async (
  { db, bus }: PublisherDeps,
  commits: Commits,
  over: AbortSignal,
): Promise<void> => {
  const queries = runEventQueries(db);
  // Without a checkpoint the existing events are history, which clients read from the table.
  let position = (await loadReactorCheckpoint(db, NAME)) ?? (await newestPosition(db));
  let saved = position;
  let savedAt = performance.now();
  const save = async (): Promise<void> => {
    if (position === null || position === saved) return;
    await saveReactorCheckpoint(db, NAME, position);
    saved = position;
    savedAt = performance.now();
  };
  try {
    while (!over.aborted) {
      const seen = commits.count();
      const events = await queries.runEventsAfterPosition(position, BATCH);
      for (const { position: at, ...event } of events) {
        publish(bus, event);
        position = at;
      }
      if (performance.now() - savedAt >= SAVE_EVERY_MS) await save();
      if (events.length < BATCH)
        await commits.waitPast(seen, position === saved ? LOOK_EVERY_MS : SAVE_EVERY_MS, over);
    }
  } finally {
    await save();
  }
};

const publish = (bus: Bus, event: NumberedRunEvent): void => {
  bus.publish(runEventsSubject(event.run_id), JSON.stringify(event));
};

const newestPosition = async (db: Database["db"]): Promise<bigint | null> => {
  const row = await db
    .selectFrom("run_events")
    .select((eb) => eb.fn.max("position").as("newest"))
    .executeTakeFirst();
  return (row?.newest as bigint | null | undefined) ?? null;
};
