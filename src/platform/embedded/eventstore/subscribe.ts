import { randomUUID } from "node:crypto";
import type { Filter } from "./filter.ts";
import type { Outlet } from "./outlet.ts";
import { streams } from "./protocol.ts";
import type { ReadRequest } from "./read.ts";
import type { Reader } from "./reader.ts";
import type { StoredEvent } from "./records.ts";
import type { Tail } from "./tail.ts";
import { writeEvent, writeLiveEvent } from "./wire.ts";

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
  const { tail } = deps;
  const source =
    request.source.kind === "stream"
      ? await streamSource(deps, request.from, request.source.stream)
      : allSource(deps, request.from);
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
    for (const event of events) {
      if (outlet.signal.aborted) return;
      if (checkpoints)
        for (const at of checkpoints.before(event.position)) await sendCheckpoint(outlet, at);
      if (request.filter && !request.filter.matches(event)) continue;
      const answer = live ? writeLiveEvent(event, request.ids) : writeEvent(event, request.ids);
      const room = outlet.send(answer);
      if (room) await room;
    }
    if (checkpoints) {
      for (const at of checkpoints.before(source.considered() + 1))
        await sendCheckpoint(outlet, at);
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
): Source => {
  let cursor = from === "start" ? 0 : from === "end" ? tail.head() : from;
  const read = (): { to: number; page: Promise<readonly StoredEvent[]> } => {
    const to = tail.head();
    const page = reader.allForwards(cursor + 1, to, PAGE);
    // Its error is met when the page is asked for, if the caller is still there by then.
    page.catch(() => undefined);
    return { to, page };
  };
  let ahead: ReturnType<typeof read> | null = null;
  return {
    considered: () => cursor,
    next: async () => {
      const recent = ahead ? null : tail.after(cursor, PAGE);
      if (recent) {
        cursor = recent.at(-1)?.position ?? cursor;
        return { events: recent, live: true };
      }
      const { to, page } = ahead ?? read();
      const events = await page;
      cursor = events.at(-1)?.position ?? to;
      ahead = tail.after(cursor, 1) === null ? read() : null;
      return { events, live: false };
    },
  };
};

/**
 * A stream's history is read by revision; from then on what is new in the log is searched for it. All
 * of the stream up to position `considered` has been handed out once the history is read to its end.
 */
const streamSource = async (
  { reader, tail }: { reader: Reader; tail: Tail },
  from: ReadRequest["from"],
  stream: string,
): Promise<Source> => {
  let cursor = tail.head();
  let revision: number;
  if (from === "start") revision = -1;
  else if (from === "end") revision = (await reader.lastRevision(stream)) ?? -1;
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
        revision = events.at(-1)?.revision ?? revision;
        return { events, live: true };
      }
      if (!inHistory) {
        inHistory = true;
        target = tail.head();
      }
      const events = await reader.streamForwards(
        stream,
        revision + 1,
        Number.MAX_SAFE_INTEGER,
        PAGE,
      );
      revision = events.at(-1)?.revision ?? revision;
      if (events.length === 0) {
        inHistory = false;
        cursor = target;
      }
      return { events, live: false };
    },
  };
};
