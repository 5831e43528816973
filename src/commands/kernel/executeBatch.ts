import type { Clock } from "../../platform/clock.ts";
import { AppendOutcomeUnknownError } from "../../platform/eventLog/errors.ts";
import type { EventLog, NewEvent } from "../../platform/eventLog/port.ts";
import { sleep } from "../../platform/sleep.ts";
import { type AppendOutcome, appendBatch, outcomeUnknown } from "./appendBatch.ts";
import type { ConflictBackoff } from "./conflictBackoff.ts";
import { type Decided, decideBatch, eventsToAppend } from "./decideBatch.ts";
import { emptyFold, type Folded, readForward } from "./fold.ts";
import {
  type AnyQueued,
  canRetryConflict,
  isLogFailure,
  notWritten,
  takeNext,
} from "./queuedCommand.ts";
import type { StateCache } from "./stateCache.ts";

type Deps = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly cache: StateCache;
  readonly backoff: ConflictBackoff;
};

/** Commands of one decider on their way to their results. */
type Batch = {
  readonly stream: string;
  readonly decider: AnyQueued["decider"];
  /** Commands that came later. */
  readonly queue: AnyQueued[];
  readonly isCached: boolean;
  open: readonly AnyQueued[];
  /** The state that the commands are decided on. */
  base: Folded<unknown>;
  /** The log was read since the last command was added: required for a result without events. */
  isFresh: boolean;
  /** The stream's last revision, if it shows no events because they are truncated or too old. */
  hiddenRevision: bigint | null;
  /** There was a conflict: the log must be read before the next decision. */
  isStale: boolean;
  /** After a conflict: the commands whose events may be in the log. */
  suspects: readonly AnyQueued[];
  /** The commands whose append has an unknown outcome. */
  unsettled: readonly AnyQueued[];
};

/** Settles commands of one decider. Rejects, after they are settled, if the log failed. */
export const executeBatch = async (
  deps: Deps,
  stream: string,
  commands: readonly AnyQueued[],
  queue: AnyQueued[],
): Promise<void> => {
  const { decider } = commands[0] as AnyQueued;
  const cached = deps.cache.get(stream);
  const batch: Batch = {
    ...{ stream, decider, queue, isCached: cached !== undefined, open: commands },
    base: cached ?? emptyFold(decider),
    ...{ isFresh: false, hiddenRevision: null, isStale: false, suspects: [], unsettled: [] },
  };
  try {
    if (commands[0]?.isRepeated) await refresh(deps, batch, emptyFold(decider), commands);
    // At the start of the stream, the log would take an append of known ids for a repeated append.
    else if (!cached && commands.some(mayBeRecorded)) await refresh(deps, batch, batch.base, []);
    while (batch.open.length > 0) {
      if (await attempt(deps, batch)) return;
    }
  } catch (error) {
    if (!isLogFailure(error) && batch.open.length > 1) {
      // Any of the commands may be the cause: each one is executed alone.
      for (const command of batch.open) command.isSeparate = true;
      queue.unshift(...batch.open);
      return;
    }
    for (const command of batch.open) {
      const isUnknown = batch.unsettled.includes(command);
      command.reject(isUnknown ? outcomeUnknown(error) : notWritten(error));
    }
    throw error;
  }
};

/** Decides and appends once. Returns whether all commands are settled. */
const attempt = async (deps: Deps, batch: Batch): Promise<boolean> => {
  const { stream } = batch;
  const waitMs = deps.backoff.waitFor(stream);
  if (waitMs > 0) await sleep(waitMs);
  // While other processes write to the stream, the cached state is most likely stale.
  if (waitMs > 0 || batch.isStale) await refresh(deps, batch, batch.base, batch.suspects);
  const decided = decideBatch(batch.open, batch.base.state);
  batch.open = decided.map(({ order }) => order);
  const events = eventsToAppend(decided, deps.clock);
  if (events.length === 0) {
    if (!batch.isFresh) {
      await refresh(deps, batch, batch.base, []);
      return false;
    }
    settle(decided, batch.base.revision, null);
    return true;
  }
  const writing = decided.filter(hasEvents).map(({ order }) => order);
  const startedAt = performance.now();
  const outcome = await append(deps, batch, events, writing);
  const tookMs = performance.now() - startedAt;
  if (outcome.kind === "appended") {
    deps.backoff.succeeded(stream, tookMs);
    const state = decided.at(-1)?.state;
    const lastId = events.at(-1)?.id ?? null;
    deps.cache.set(stream, { state, revision: outcome.revision, lastId });
    settle(decided, outcome.revision - BigInt(events.length), outcome.position);
    return true;
  }
  await handleConflict(deps, batch, outcome, { writing, tookMs });
  return false;
};

const append = (
  { log }: Deps,
  batch: Batch,
  events: readonly NewEvent[],
  writing: readonly AnyQueued[],
): Promise<AppendOutcome> => {
  const { stream, base, hiddenRevision } = batch;
  const expected = base.revision === -1n ? (hiddenRevision ?? "no_stream") : base.revision;
  return appendBatch(log, stream, events, expected).catch((error: unknown) => {
    if (error instanceof AppendOutcomeUnknownError) batch.unsettled = writing;
    throw error;
  });
};

const handleConflict = async (
  deps: Deps,
  batch: Batch,
  outcome: AppendOutcome & { readonly kind: "look" },
  tried: { readonly writing: readonly AnyQueued[]; readonly tookMs: number },
): Promise<void> => {
  const isGuess = !batch.isCached && !batch.isFresh;
  batch.hiddenRevision = outcome.actual;
  if (outcome.perhapsWritten) {
    batch.unsettled = tried.writing;
    await refresh(deps, batch, batch.base, tried.writing);
  } else if (!isGuess) {
    deps.backoff.conflicted(batch.stream, tried.tookMs);
  }
  batch.suspects = batch.open.filter(isKeyed);
  batch.open = takeNext(batch.queue, batch.open.filter(canRetryConflict));
  batch.isStale = true;
};

/** Reads the stream forward, and resolves the commands among `suspects` whose events are in the log. */
const refresh = async (
  { log, cache }: Deps,
  batch: Batch,
  from: Folded<unknown>,
  suspects: readonly AnyQueued[],
): Promise<void> => {
  const { stream, decider } = batch;
  const { folded, found } = await readForward(log, decider, stream, from, suspects);
  batch.base = folded;
  batch.isFresh = true;
  cache.set(stream, folded);
  batch.isStale = false;
  batch.unsettled = [];
  for (const [command, outcome] of found) (command as AnyQueued).resolve(outcome);
  batch.open = batch.open.filter((command) => !found.has(command));
};

/** Reports the results. `before` is the stream's revision before the first event. */
const settle = (
  decided: readonly Decided<AnyQueued>[],
  before: bigint,
  position: bigint | null,
): void => {
  let revision = before;
  for (const { order, events, state, refusal, at } of decided) {
    revision += BigInt(events.length);
    if (refusal !== null) order.reject(refusal);
    else if (events.length === 0)
      order.resolve({ state, events: [], revision, position: null, at: null });
    else order.resolve({ state, events, revision, position, at });
  }
};

const hasEvents = ({ events }: Decided<AnyQueued>): boolean => events.length > 0;
const mayBeRecorded = (command: AnyQueued): boolean => command.mayBeRecorded;
const isKeyed = (command: AnyQueued): boolean => command.isKeyed;
