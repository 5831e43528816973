import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { type IdFormat, writeEvent, writeLink } from "../protocol/readResponse.ts";
import { invalidArgument, streamDeleted } from "../failures.ts";
import { type Filter, readFilter, type SqlFilter, selectPage } from "../read/filter.ts";
import { resolveLinks } from "../read/links.ts";
import type { Outlet } from "./responseStream.ts";
import { streams } from "../protocol/messages.ts";
import type { Reader, StreamView } from "../read/reader.ts";
import { LINK_TYPE, type StoredEvent } from "../records.ts";
import type { Tail } from "../read/tail.ts";
import { readNumber, readStreamName, writeStreamName } from "../protocol/fields.ts";

const NOWHERE = Number.MAX_SAFE_INTEGER;

/** What a Read asks for. `from` is a revision or a position; "start" and "end" are resolved by direction. */
export type ReadRequest = {
  readonly source: { readonly kind: "all" } | { readonly kind: "stream"; readonly stream: string };
  readonly from: number | "start" | "end";
  readonly backwards: boolean;
  /** null for a subscription. */
  readonly count: number | null;
  readonly filter: Filter | null;
  readonly resolvesLinks: boolean;
  readonly ids: IdFormat;
};

/** Reads the options of a Read. Throws INVALID_ARGUMENT. */
export const readReadRequest = (request: ReadReq): ReadRequest => {
  const options = request.getOptions();
  if (!options) throw invalidArgument("The read has no options");
  const stream = options.getStream();
  const all = options.getAll();
  if (!stream && !all) throw invalidArgument("The read names neither a stream nor $all");
  const filter = options.getFilter();
  const position = all?.getPosition();
  const place = stream ?? all;
  let from: ReadRequest["from"];
  if (place?.hasStart()) from = "start";
  else if (place?.hasEnd()) from = "end";
  else if (stream?.hasRevision()) from = readNumber(stream.getRevision());
  else if (position) from = readNumber(position.getCommitPosition());
  else throw invalidArgument("The read does not say where to start");
  return {
    source: stream
      ? { kind: "stream", stream: readStreamName(stream.getStreamIdentifier()) }
      : { kind: "all" },
    from,
    backwards: options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS,
    count: options.hasSubscription() ? null : readNumber(options.getCount()),
    filter: filter && !stream ? readFilter(filter) : null,
    resolvesLinks: options.getResolveLinks(),
    ids: options.getUuidOption()?.hasStructured() ? "structured" : "string",
  };
};

/** Answers a Read that ends: at the count asked for, or at what was the end of the log when it began. */
export const answerRead = async (
  deps: { reader: Reader; tail: Tail },
  request: ReadRequest,
  outlet: Outlet,
): Promise<void> => {
  const { source } = request;
  let left = request.count ?? NOWHERE;
  const next =
    source.kind === "stream"
      ? streamPages(deps, request, source.stream)
      : allPages(deps, request, request.filter);
  // While a page is being sent, the next one is read.
  let ahead: ReturnType<Pages> | null = next(Math.max(left, 1));
  while (ahead && !outlet.signal.aborted) {
    const page: Awaited<ReturnType<Pages>> = await ahead;
    if (page === null) return;
    if (page === "missing") {
      await outlet.send(streamNotFound(source.kind === "stream" ? source.stream : "$all"));
      return;
    }
    const shown = page.length > left ? page.slice(0, left) : page;
    left -= shown.length;
    ahead = left > 0 ? next(left) : null;
    // Its error is met when the page is asked for, if the caller is still there by then.
    ahead?.catch(() => undefined);
    await sendAll(deps.reader, shown, request, outlet);
  }
};

/** Sends events in order, with what they link to where the caller asked for it. */
export const sendAll = async (
  reader: Reader,
  events: readonly StoredEvent[],
  request: Pick<ReadRequest, "ids" | "resolvesLinks">,
  outlet: Outlet,
  write: typeof writeEvent = writeEvent,
): Promise<void> => {
  if (request.resolvesLinks && events.some((event) => event.type === LINK_TYPE)) {
    for await (const chunk of resolveLinks(reader, events)) {
      for (const { event, target } of chunk) {
        if (outlet.signal.aborted) return;
        const answer =
          target === undefined ? write(event, request.ids) : writeLink(event, target, request.ids);
        const room = outlet.send(answer);
        if (room) await room;
      }
    }
    return;
  }
  for (const event of events) {
    if (outlet.signal.aborted) return;
    const room = outlet.send(write(event, request.ids));
    if (room) await room;
  }
};

const streamNotFound = (stream: string): InstanceType<(typeof streams)["ReadResp"]> =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(writeStreamName(stream)),
  );

/** The next events; null at the end, "missing" when there is no such stream. */
type Pages = (limit: number) => Promise<readonly StoredEvent[] | null | "missing">;

/** A read of a position forwards includes it; backwards it begins before it, as EventStoreDB's log reader does. */
const allPages = (
  { reader, tail }: { reader: Reader; tail: Tail },
  { from, backwards }: ReadRequest,
  filter: Filter | null,
): Pages => {
  const end = tail.head();
  let at = from === "start" ? 0 : from === "end" ? end + 1 : from;
  // What is picked from here is read in full pages.
  const asked = (limit: number, sql: SqlFilter | null): number =>
    filter && !sql ? NOWHERE : limit;
  if (backwards) {
    return async (limit) => {
      if (at <= 1) return null;
      const page = await selectPage(filter, (sql) =>
        reader.allBackwards(at, asked(limit, sql), sql),
      );
      at = page.considered;
      return page.events;
    };
  }
  return async (limit) => {
    if (at > end) return null;
    const page = await selectPage(filter, (sql) =>
      reader.allForwards(at, end, asked(limit, sql), sql),
    );
    at = page.considered + 1;
    return page.events;
  };
};

/**
 * A stream as it was when its first page was read, however many pages there are: were each page shown as of
 * its own moment, what is written meanwhile could hide events that were there all along, and give a read
 * that was true at no time. Throws the failure that says so when the stream has its tombstone.
 */
const streamPages = (
  { reader }: { reader: Reader },
  { from, backwards }: ReadRequest,
  stream: string,
): Pages => {
  let at: number | null = from === "start" ? 0 : from === "end" ? NOWHERE : from;
  let view: StreamView | undefined;
  let hidden = false;
  return async (limit) => {
    if (at === null) return null;
    // Where events are too old to be shown they may be many: a few at a time would take for ever.
    const asked = hidden ? NOWHERE : limit;
    const range = { from: at, backwards, limit: asked, ...(view && { view }) };
    const page = await reader.stream(stream, range);
    view = page.view;
    if (view.state === "deleted") throw streamDeleted(stream);
    if (view.state === "missing") return "missing";
    at = page.next;
    hidden = page.events.length === 0;
    return page.events;
  };
};
