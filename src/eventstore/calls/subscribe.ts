import { randomUUID } from "node:crypto";
import { streamDeleted } from "../failures.ts";
import { streams } from "../protocol/messages.ts";
import { writeEvent, writeLiveEvent } from "../protocol/readResponse.ts";
import type { AllPage } from "../read/allPages.ts";
import { type Filter, selectPage } from "../read/filter.ts";
import type { Reader } from "../read/reader.ts";
import type { StreamPage } from "../read/streamPages.ts";
import type { Tail } from "../read/tail.ts";
import { type StoredEvent, TOMBSTONE } from "../records.ts";
import { type ReadRequest, sendAll } from "./read.ts";
import type { ResponseStream } from "./responseStream.ts";

const PAGE = 1_000;

/** The events of a subscription in log order. */
type Source = {
  /** The next events, `[]` if there are none yet. `live`: they come from memory. */
  next(): Promise<{ events: readonly StoredEvent[]; live: boolean }>;
  /** The position up to which all events have been returned. */
  considered(): number;
};

/**
 * Serves a subscription until its caller leaves: a confirmation, the events after the requested place,
 * `caught_up`, then live events. Events from the database and from memory are both requested by place,
 * so none is missed and none is sent twice.
 */
export const answerSubscription = async (
  deps: { reader: Reader; tail: Tail },
  request: ReadRequest,
  responses: ResponseStream,
): Promise<void> => {
  const { reader, tail } = deps;
  const source =
    request.source.kind === "stream"
      ? await streamSource(deps, request.from, request.source.stream)
      : allSource(deps, request.from, request.filter);
  await responses.send(
    new streams.ReadResp().setConfirmation(
      new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()),
    ),
  );
  const checkpoints = request.filter ? checkpointsOf(request.filter, source.considered()) : null;
  let caughtUp = false;
  while (!responses.signal.aborted) {
    const { events, live } = await source.next();
    if (caughtUp && !live && events.length > 0) {
      caughtUp = false;
      await responses.send(new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind()));
    }
    const write = live ? writeLiveEvent : writeEvent;
    if (!checkpoints) await sendAll(reader, events, request, responses, write);
    else {
      for (const event of events) {
        for (const at of checkpoints.before(event.position)) await sendCheckpoint(responses, at);
        await sendAll(reader, [event], request, responses, write);
      }
      for (const at of checkpoints.before(source.considered() + 1)) {
        await sendCheckpoint(responses, at);
      }
    }
    if (source.considered() < tail.head()) continue;
    if (!caughtUp) {
      caughtUp = true;
      await responses.send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
    }
    await tail.waitPast(source.considered(), responses.signal);
  }
};

const sendCheckpoint = async (responses: ResponseStream, position: number): Promise<void> => {
  await responses.send(
    new streams.ReadResp().setCheckpoint(
      new streams.ReadResp.Checkpoint()
        .setCommitPosition(String(position))
        .setPreparePosition(String(position)),
    ),
  );
};

/** Positions have no gaps, so scanned events are counted by subtraction. */
const checkpointsOf = (
  filter: Filter,
  start: number,
): { before(position: number): Generator<number> } => {
  let next = start + filter.checkpointEvery;
  return {
    *before(position) {
      for (; next < position; next += filter.checkpointEvery) yield next;
    },
  };
};

/** Reads the next page of history while one is being sent. */
const allSource = (
  { reader, tail }: { reader: Reader; tail: Tail },
  from: ReadRequest["from"],
  filter: Filter | null,
): Source => {
  let cursor = from === "start" ? 0 : from === "end" ? tail.head() : from;
  const read = (): Promise<AllPage> => {
    const [start, end] = [cursor + 1, tail.head()];
    const page = selectPage(filter, (sql) => reader.allForwards(start, end, PAGE, sql));
    // The error is handled when the page is awaited; until then it must not be unhandled.
    page.catch(() => undefined);
    return page;
  };
  let ahead: ReturnType<typeof read> | null = null;
  return {
    considered: () => cursor,
    next: async () => {
      const recent = ahead ? null : tail.after(cursor, PAGE);
      if (recent) {
        cursor = recent.at(-1)?.position ?? cursor;
        return { events: filter ? filter.select(recent, false) : recent, live: true };
      }
      const page = await (ahead ?? read());
      cursor = page.considered;
      ahead = tail.after(cursor, 1) === null ? read() : null;
      return { events: page.events, live: false };
    },
  };
};

/**
 * Reads a stream's history by revision, then picks its events from the tail of the log. At the end of the
 * history, all events of the stream up to the position `considered` have been returned.
 * Rejects with `stream-deleted` if the stream has or gets a tombstone.
 */
const streamSource = async (
  { reader, tail }: { reader: Reader; tail: Tail },
  from: ReadRequest["from"],
  stream: string,
): Promise<Source> => {
  let cursor = tail.head();
  const read = async (after: number, limit: number): Promise<StreamPage> => {
    const page = await reader.stream(stream, { from: after + 1, backwards: false, limit });
    if (page.view.state === "deleted") throw streamDeleted(stream);
    return page;
  };
  let revision: number;
  if (from === "start") revision = -1;
  else if (from === "end") revision = (await read(TOMBSTONE - 1, 1)).view.last;
  else revision = from;
  let isTombstoned = false;
  let inHistory = from !== "end";
  let target = cursor;
  return {
    // Revisions say nothing about positions: during history no position is final.
    considered: () => (inHistory ? -1 : cursor),
    next: async () => {
      const recent = inHistory ? null : tail.after(cursor, PAGE);
      if (recent) {
        cursor = recent.at(-1)?.position ?? cursor;
        const events = recent.filter((e) => e.stream === stream && e.revision > revision);
        if (isTombstoned) throw streamDeleted(stream);
        const last = events.at(-1);
        if (last?.revision === TOMBSTONE) {
          // As in EventStoreDB, the tombstone's event precedes the error, which the next call throws.
          isTombstoned = true;
          cursor = last.position - 1;
        }
        revision = last?.revision ?? revision;
        return { events, live: true };
      }
      if (!inHistory) {
        inHistory = true;
        target = tail.head();
      }
      const page = await read(revision, PAGE);
      if (page.next === null) {
        revision = page.events.at(-1)?.revision ?? revision;
        inHistory = false;
        cursor = target;
      } else revision = page.next - 1;
      return { events: page.events, live: false };
    },
  };
};
