import type { Logger } from "pino";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Codec, DomainEvent } from "../../domain/kernel/events.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Db } from "../../platform/database/database.ts";
import { bufferSubscription } from "../../platform/eventLog/bufferedSubscription.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import { sleep } from "../../platform/sleep.ts";
import type { Traced } from "../../platform/tracing/port.ts";
import { decodeRecorded } from "../../projections/kernel/projection.ts";
import type { ReactorTables } from "../../stores/kernel/reactorCheckpoints.ts";
import {
  loadReactorCheckpoint,
  parkForReactor,
  saveReactorCheckpoint,
} from "../../stores/kernel/reactorCheckpoints.ts";
import { createCheckpointSaver } from "./checkpointSaver.ts";

const BATCH = 256;

/** A recorded event of one type, decoded. */
export type Reaction<Event extends DomainEvent> = (
  event: RecordedEvent<Event["data"]> & { readonly type: Event["type"] },
) => Promise<void>;

export type Reactor = { stop(): Promise<void> };

/**
 * Reacts to events in order, at least once: the checkpoint is saved after the reactions, so a reaction must be
 * idempotent (event ids derived from its cause, decisions that return `[]`). One process leads. An event that a rule or
 * a schema refuses is parked; other failures (an unavailable part) are retried until they pass.
 */
export const startReactor = <Event extends DomainEvent>(
  deps: ReactorDeps & {
    readonly on: { readonly [Type in Event["type"]]?: Reaction<Extract<Event, { type: Type }>> };
  },
): Reactor => {
  const { name, db, logger, holder } = deps;
  const reactions = new Map(Object.entries(deps.on) as [string, Reaction<DomainEvent>][]);
  const work = (leadOver: AbortSignal) => reactUntil(deps, reactions, leadOver);
  return runWhileLeader({ name: `reactor:${name}`, db, holder, logger, work });
};

type ReactorDeps = {
  readonly name: string;
  readonly log: EventLog;
  readonly db: Db<ReactorTables>;
  /** The id of this process. */
  readonly holder: string;
  readonly logger: Logger;
  readonly codecs: readonly Codec<DomainEvent>[];
  /** Called when this process has become the leader, before its first event. */
  readonly onLead?: () => Promise<void>;
  /** If given, reactions are part of the traces of their events. */
  readonly traced?: Traced | undefined;
};

/** Reacts to the events after the checkpoint until the lead is over or the checkpoint cannot be saved. */
const reactUntil = async (
  deps: ReactorDeps,
  reactions: ReadonlyMap<string, Reaction<DomainEvent>>,
  leadOver: AbortSignal,
): Promise<void> => {
  const { name, log, db, logger } = deps;
  const after = await loadReactorCheckpoint(db, name);
  await deps.onLead?.();
  const buffered = bufferSubscription(log.subscribeAll({ after }));
  const failing = new AbortController();
  const over = AbortSignal.any([leadOver, failing.signal]);
  const close = () => void buffered.close();
  over.addEventListener("abort", close, { once: true });
  // The signal may have been aborted before the listener was added.
  if (over.aborted) close();
  const checkpoint = createCheckpointSaver(
    (position) => saveReactorCheckpoint(db, name, position),
    (error) => {
      logFailure(logger, error, { reactor: name }, "the checkpoint cannot be saved");
      failing.abort();
    },
  );
  try {
    for (;;) {
      const batch = await buffered.take(BATCH);
      if (!batch) return;
      for (const event of batch) {
        if (over.aborted) return;
        const reaction = reactions.get(event.type);
        if (reaction) {
          await react(deps, event, reaction, over);
          checkpoint.handled(event.position);
        } else checkpoint.skipped(event.position);
      }
    }
  } finally {
    over.removeEventListener("abort", close);
    await buffered.close();
    await checkpoint.close();
  }
};

/** Executes a reaction until it succeeds; parks the event if a rule or a schema refuses it. */
const react = async (
  deps: ReactorDeps,
  event: RecordedEvent,
  reaction: Reaction<DomainEvent>,
  over: AbortSignal,
): Promise<void> => {
  const { name, logger } = deps;
  let decoded: RecordedEvent;
  try {
    decoded = decode(deps, event);
  } catch (error) {
    return park(deps, event, error);
  }
  for (let attempt = 1; !over.aborted; attempt += 1) {
    try {
      return await within(deps, decoded, () => reaction(decoded));
    } catch (error) {
      if (error instanceof DomainError && error.code !== "stream.contended") {
        return await park(deps, event, error);
      }
      logFailure(logger, error, { reactor: name, event: event.id, attempt }, "reaction failed");
      await sleep(Math.min(5_000, 50 * 2 ** attempt), over);
    }
  }
  throw new Error("The lead was lost before the reaction succeeded");
};

const decode = ({ name, codecs }: ReactorDeps, event: RecordedEvent): RecordedEvent => {
  const codec = codecs.find((one) => one.types.includes(event.type));
  if (!codec) throw new Error(`Reactor ${name} handles ${event.type}, which no codec reads`);
  return decodeRecorded(codec, event);
};

const within = (
  { name, traced }: ReactorDeps,
  event: RecordedEvent,
  work: () => Promise<void>,
): Promise<void> => {
  const parent = event.metadata.traceparent;
  if (!traced || parent === undefined) return work();
  return traced(`${name} ${event.type}`, { kind: "consumer", parent }, work);
};

const park = async (
  { db, name, logger }: ReactorDeps,
  event: RecordedEvent,
  error: unknown,
): Promise<void> => {
  const reason = await parkForReactor(db, name, event, error);
  logger.error({ reason, reactor: name, event: event.id }, "event parked");
};
