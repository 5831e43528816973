import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { invalidArgument } from "./failures.ts";
import { type Filter, readFilter } from "./filter.ts";
import type { Outlet } from "./outlet.ts";
import { streams } from "./protocol.ts";
import type { Reader } from "./reader.ts";
import type { StoredEvent } from "./records.ts";
import type { Tail } from "./tail.ts";
import { type IdFormat, readNumber, readStreamName, writeEvent, writeStreamName } from "./wire.ts";

const NOWHERE = Number.MAX_SAFE_INTEGER;

/** What a Read asks for. `from` is a revision or a position; "start" and "end" are resolved by direction. */
export type ReadRequest = {
  readonly source: { readonly kind: "all" } | { readonly kind: "stream"; readonly stream: string };
  readonly from: number | "start" | "end";
  readonly backwards: boolean;
  /** null for a subscription. */
  readonly count: number | null;
  readonly filter: Filter | null;
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
    ids: options.getUuidOption()?.hasStructured() ? "structured" : "string",
  };
};

/** Answers a Read that ends: at the count asked for, or at what was the end of the log when it began. */
export const answerRead = async (
  deps: { reader: Reader; tail: Tail },
  request: ReadRequest,
  outlet: Outlet,
): Promise<void> => {
  const next =
    request.source.kind === "stream"
      ? await streamPages(deps, request, request.source.stream)
      : allPages(deps, request);
  if (!next) {
    const name = request.source.kind === "stream" ? request.source.stream : "$all";
    await outlet.send(
      new streams.ReadResp().setStreamNotFound(
        new streams.ReadResp.StreamNotFound().setStreamIdentifier(writeStreamName(name)),
      ),
    );
    return;
  }
  let left = request.count ?? NOWHERE;
  while (left > 0 && !outlet.signal.aborted) {
    const page = await next(request.filter ? NOWHERE : left);
    if (page.length === 0) return;
    for (const event of page) {
      if (left === 0 || outlet.signal.aborted) return;
      if (request.filter && !request.filter.matches(event)) continue;
      left -= 1;
      const room = outlet.send(writeEvent(event, request.ids));
      if (room) await room;
    }
  }
};

type Pages = (limit: number) => Promise<readonly StoredEvent[]>;

/** A read of a position forwards includes it; backwards it begins before it, as EventStoreDB's log reader does. */
const allPages = (deps: { reader: Reader; tail: Tail }, request: ReadRequest): Pages => {
  const { reader, tail } = deps;
  const end = tail.head();
  if (request.backwards) {
    let before = request.from === "start" ? 0 : request.from === "end" ? end + 1 : request.from;
    return async (limit) => {
      const page = await reader.allBackwards(before, limit);
      before = page.at(-1)?.position ?? 0;
      return page;
    };
  }
  let from = request.from === "start" ? 0 : request.from === "end" ? end + 1 : request.from;
  return async (limit) => {
    if (from > end) return [];
    const page = await reader.allForwards(from, end, limit);
    from = (page.at(-1)?.position ?? end) + 1;
    return page;
  };
};

/** null when there is no such stream. */
const streamPages = async (
  { reader }: { reader: Reader },
  request: ReadRequest,
  stream: string,
): Promise<Pages | null> => {
  const last = await reader.lastRevision(stream);
  if (last === null) return null;
  if (request.backwards) {
    let from = request.from === "start" ? 0 : request.from === "end" ? last : request.from;
    return async (limit) => {
      if (from < 0) return [];
      const page = await reader.streamBackwards(stream, from, limit);
      from = (page.at(-1)?.revision ?? 0) - 1;
      return page;
    };
  }
  let from = request.from === "start" ? 0 : request.from === "end" ? last + 1 : request.from;
  return async (limit) => {
    if (from > last) return [];
    const page = await reader.streamForwards(stream, from, last, limit);
    from = (page.at(-1)?.revision ?? last) + 1;
    return page;
  };
};
