import { randomUUID } from "node:crypto";
import { writeEvent, writeLiveEvent } from "../protocol/readResponse.ts";
import { streamDeleted } from "../failures.ts";
import { type Filter, selectPage } from "../read/filter.ts";
import type { Outlet } from "./responseStream.ts";
import { streams } from "../protocol/messages.ts";
import { type ReadRequest, sendAll } from "./read.ts";
import type { AllPage, Reader, StreamPage } from "../read/reader.ts";
import { type StoredEvent, TOMBSTONE } from "../records.ts";
import type { Tail } from "../read/tail.ts";

const PAGE = 1_000;

/** Where a subscription gets its events, in the order of the log. */
type Source = {
  /** The next events, `[]` when there is nothing new. `live` tells whether they came from memory. */
  next(): Promise<{ events: readonly StoredEvent[]; live: boolean }>;
  /** The position up to which everything has been handed out. */
  considered(): number;
};

/**
 * Serves a subscription until its caller leaves: a confirmation, what there is after the place asked
 * for, `caught_up`, and then what comes. Whether an event comes from the database or from memory, it is
 * asked for by place, so none is missed and none comes twice, however the two overlap.
 */
export const answerSubscription = async (
  deps: { reader: Reader; tail: Tail },
  request: ReadRequest,
  outlet: Outlet,
): Promise<void> => {
  const { reader, tail } = deps;
  const source =
    request.source.kind === "stream"
      ? await streamSource(deps, request.from, request.source.stream)
      : allSource(deps, request.from, request.filter);
  await outlet.send(
    new streams.ReadResp().setConfirmation(
      new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()),
    ),
  );
  const checkpoints = request.filter ? checkpointsOf(request.filter, source.considered()) : null;
  let caughtUp = false;
  while (!outlet.signal.aborted) {
    const { events, live } = await source.next();
    if (caughtUp && !live && events.length > 0) {
      caughtUp = false;
      await outlet.send(new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind()));
    }
    const write = live ? writeLiveEvent : writeEvent;
    if (!checkpoints) await sendAll(reader, events, request, outlet, write);
    else {
      for (const event of events) {
        for (const at of checkpoints.before(event.position)) await sendCheckpoint(outlet, at);
        await sendAll(reader, [event], request, outlet, write);
      }
      for (const at of checkpoints.before(source.considered() + 1)) {
        await sendCheckpoint(outlet, at);
      }
    }
    if (source.considered() < tail.head()) continue;
    if (!caughtUp) {
      caughtUp = true;
      await outlet.send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
    }
    await tail.waitPast(source.considered(), outlet.signal);
  }
};

const sendCheckpoint = async (outlet: Outlet, position: number): Promise<void> => {
  await outlet.send(
    new streams.ReadResp().setCheckpoint(
      new streams.ReadResp.Checkpoint()
        .setCommitPosition(String(position))
        .setPreparePosition(String(position)),
    ),
  );
};

/** Positions have no gaps, so the events considered are counted by subtraction. */
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

/** While a page of history is being sent, the next one is read. */
const allSource = (
  { reader, tail }: { reader: Reader; tail: Tail },
  from: ReadRequest["from"],
  filter: Filter | null,
): Source => {
  let cursor = from === "start" ? 0 : from === "end" ? tail.head() : from;
  const read = (): Promise<AllPage> => {
    const [start, end] = [cursor + 1, tail.head()];
    const page = selectPage(filter, (sql) => reader.allForwards(start, end, PAGE, sql));
    // Its error is met when the page is asked for, if the caller is still there by then.
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
 * A stream's history is read by revision; from then on what is new in the log is searched for it. All
 * of the stream up to position `considered` has been handed out once the history is read to its end.
 * Throws the failure that says so when the stream has its tombstone, or gets it.
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
  let inHistory = from !== "end";
  let target = cursor;
  return {
    // While history is read, nothing counts as considered but what precedes every event still to come.
    considered: () => (inHistory ? -1 : cursor),
    next: async () => {
      const recent = inHistory ? null : tail.after(cursor, PAGE);
      if (recent) {
        cursor = recent.at(-1)?.position ?? cursor;
        const events = recent.filter((e) => e.stream === stream && e.revision > revision);
        const ending = events.at(-1);
        if (ending?.revision === TOMBSTONE) {
          if (events.length === 1) throw streamDeleted(stream);
          events.pop();
          cursor = ending.position - 1;
        }
        revision = events.at(-1)?.revision ?? revision;
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
