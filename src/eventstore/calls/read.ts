import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { invalidArgument, streamDeleted } from "../failures.ts";
import { readNumber, readStreamName, writeStreamName } from "../protocol/fields.ts";
import { streams } from "../protocol/messages.ts";
import {
  type IdFormat,
  writeEvent,
  writeFirstRevision,
  writeLastRevision,
  writeLink,
} from "../protocol/readResponse.ts";
import { type Filter, readFilter, selectPage } from "../read/filter.ts";
import { resolveLinks } from "../read/links.ts";
import type { SqlFilter } from "../read/queries.ts";
import type { Reader } from "../read/reader.ts";
import type { StreamView } from "../read/streamView.ts";
import type { Tail } from "../read/tail.ts";
import { LINK_TYPE, type StoredEvent } from "../records.ts";
import type { ResponseStream } from "./responseStream.ts";

const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** A decoded Read. `from` is a revision of the stream or a position of `$all`. */
export type ReadRequest = {
  readonly source: { readonly kind: "all" } | { readonly kind: "stream"; readonly stream: string };
  readonly from: number | "start" | "end";
  readonly backwards: boolean;
  /** null for a subscription. */
  readonly count: number | null;
  readonly filter: Filter | null;
  readonly resolvesLinks: boolean;
  readonly ids: IdFormat;
  /** The caller understands the first and last revision of a stream (`compatibility` 1 of the protocol). */
  readonly takesPositions: boolean;
};

/** Decodes the options of a Read. Throws INVALID_ARGUMENT. */
export const readReadRequest = (request: ReadReq): ReadRequest => {
  const options = request.getOptions();
  if (!options) throw invalidArgument("The read has no options");
  const stream = options.getStream();
  const all = options.getAll();
  if (!stream && !all) throw invalidArgument("The read needs a stream or $all");
  const filter = options.getFilter();
  const position = all?.getPosition();
  const place = stream ?? all;
  let from: ReadRequest["from"];
  if (place?.hasStart()) from = "start";
  else if (place?.hasEnd()) from = "end";
  else if (stream?.hasRevision()) from = readNumber(stream.getRevision());
  else if (position) from = readNumber(position.getCommitPosition());
  else throw invalidArgument("The read needs a start position");
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
    takesPositions: (options.getControlOption()?.getCompatibility() ?? 0) >= 1,
  };
};

/** Serves a finite Read: up to its count, or to the end of the log as of its beginning. */
export const answerRead = async (
  deps: { reader: Reader; tail: Tail },
  request: ReadRequest,
  responses: ResponseStream,
): Promise<void> => {
  const { source } = request;
  let left = request.count ?? UNLIMITED;
  let view: StreamView | undefined;
  const next =
    source.kind === "stream"
      ? streamPages(deps, request, source.stream, (pinned) => {
          view = pinned;
        })
      : allPages(deps, request, request.filter);
  let isFirst = true;
  // Reads the next page while one is being sent.
  let ahead: ReturnType<Pages> | null = next(Math.max(left, 1));
  while (ahead && !responses.signal.aborted) {
    const page: Awaited<ReturnType<Pages>> = await ahead;
    if (page === null) break;
    if (page === "missing") {
      await responses.send(streamNotFound(source.kind === "stream" ? source.stream : "$all"));
      return;
    }
    const shown = page.length > left ? page.slice(0, left) : page;
    left -= shown.length;
    ahead = left > 0 ? next(left) : null;
    // The error is handled when the page is awaited; until then it must not be unhandled.
    ahead?.catch(() => undefined);
    if (isFirst && view) await sendFirstRevision(request, view, responses);
    isFirst = false;
    await sendAll(deps.reader, shown, request, responses);
  }
  if (view && request.takesPositions) await responses.send(writeLastRevision(view.last));
};

/** The number of events that EventStoreDB reads at once. */
const SERVER_PAGE = 32;

/**
 * As EventStoreDB, names the first revision that can be read if the first page of a forward read has no events
 * because it lies before that revision or behind the end of the stream.
 */
const sendFirstRevision = async (
  { from, backwards, count, takesPositions }: ReadRequest,
  view: StreamView,
  responses: ResponseStream,
): Promise<void> => {
  if (!takesPositions || backwards || from === "end") return;
  const start = from === "start" ? 0 : from;
  const pageEnd = start + Math.min(SERVER_PAGE, count ?? SERVER_PAGE) - 1;
  if (start > view.last) await responses.send(writeFirstRevision(view.last + 1));
  else if (pageEnd < view.first) await responses.send(writeFirstRevision(view.first));
};

/** Sends events in order, with links resolved if the caller asked for it. */
export const sendAll = async (
  reader: Reader,
  events: readonly StoredEvent[],
  request: Pick<ReadRequest, "ids" | "resolvesLinks">,
  responses: ResponseStream,
  write: typeof writeEvent = writeEvent,
): Promise<void> => {
  if (request.resolvesLinks && events.some((event) => event.type === LINK_TYPE)) {
    for await (const chunk of resolveLinks(reader, events)) {
      for (const { event, target } of chunk) {
        if (responses.signal.aborted) return;
        const answer =
          target === undefined ? write(event, request.ids) : writeLink(event, target, request.ids);
        const room = responses.send(answer);
        if (room) await room;
      }
    }
    return;
  }
  for (const event of events) {
    if (responses.signal.aborted) return;
    const room = responses.send(write(event, request.ids));
    if (room) await room;
  }
};

const streamNotFound = (stream: string): InstanceType<(typeof streams)["ReadResp"]> =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(writeStreamName(stream)),
  );

/** Reads the next page; null at the end, "missing" if the stream does not exist. */
type Pages = (limit: number) => Promise<readonly StoredEvent[] | null | "missing">;

/** As in EventStoreDB, a forward read includes its start position and a backward read excludes it. */
const allPages = (
  { reader, tail }: { reader: Reader; tail: Tail },
  { from, backwards }: ReadRequest,
  filter: Filter | null,
): Pages => {
  const end = tail.head();
  // A backward read from beyond the head starts at the head: some clients send 2^64 - 1 for the end.
  let at = from === "start" ? 0 : from === "end" ? end + 1 : Math.min(from, end + 1);
  // A filter that runs in this process needs full pages.
  const pageLimit = (limit: number, sql: SqlFilter | null): number =>
    filter && !sql ? UNLIMITED : limit;
  if (backwards) {
    return async (limit) => {
      if (at <= 1) return null;
      const page = await selectPage(filter, (sql) =>
        reader.allBackwards(at, pageLimit(limit, sql), sql),
      );
      at = page.considered;
      return page.events;
    };
  }
  return async (limit) => {
    if (at > end) return null;
    const page = await selectPage(filter, (sql) =>
      reader.allForwards(at, end, pageLimit(limit, sql), sql),
    );
    at = page.considered + 1;
    return page.events;
  };
};

/**
 * Reads a stream as of its first page. With a view per page, `$maxCount` and concurrent appends could hide
 * events between two pages, and the result would match no state that the stream ever had.
 * Rejects with `stream-deleted` if the stream has a tombstone.
 */
const streamPages = (
  { reader }: { reader: Reader },
  { from, backwards }: ReadRequest,
  stream: string,
  onView: (view: StreamView) => void,
): Pages => {
  let at: number | null = from === "start" ? 0 : from === "end" ? UNLIMITED : from;
  let view: StreamView | undefined;
  let hidden = false;
  return async (limit) => {
    if (at === null) return null;
    // Events beyond `$maxAge` may be many: after an empty page, full pages skip them faster.
    const pageLimit = hidden ? UNLIMITED : limit;
    const range = { from: at, backwards, limit: pageLimit, ...(view && { view }) };
    const page = await reader.stream(stream, range);
    view = page.view;
    onView(view);
    if (view.state === "deleted") throw streamDeleted(stream);
    if (view.state === "missing") return "missing";
    at = page.next;
    hidden = page.events.length === 0;
    return page.events;
  };
};
