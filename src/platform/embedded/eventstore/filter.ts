import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { invalidArgument } from "./failures.ts";
import type { StoredEvent } from "./records.ts";

/** EventStoreDB's search window where the caller names none. */
const DEFAULT_WINDOW = 32;

/** A server-side filter of `$all`. */
export type Filter = {
  matches(event: StoredEvent): boolean;
  /** A checkpoint is sent after so many events have been considered, whether they match or not. */
  readonly checkpointEvery: number;
};

/** Reads a filter: prefixes or a regular expression, on the event's type or its stream's name. Throws INVALID_ARGUMENT. */
export const readFilter = (options: ReadReq.Options.FilterOptions): Filter => {
  const onStream = options.getStreamIdentifier();
  const expression = onStream ?? options.getEventType();
  if (!expression) throw invalidArgument("The filter says neither stream name nor event type");
  const subject = onStream
    ? (event: StoredEvent): string => event.stream
    : (event: StoredEvent): string => event.type;
  const window = options.hasMax() ? options.getMax() : DEFAULT_WINDOW;
  const checkpointEvery = window * Math.max(1, options.getCheckpointintervalmultiplier());
  if (checkpointEvery <= 0) throw invalidArgument("The filter's search window must be above zero");
  const prefixes = expression.getPrefixList();
  if (prefixes.length > 0) {
    return {
      matches: (event) => prefixes.some((prefix) => subject(event).startsWith(prefix)),
      checkpointEvery,
    };
  }
  const pattern = readPattern(expression.getRegex());
  return { matches: (event) => pattern.test(subject(event)), checkpointEvery };
};

const readPattern = (source: string): RegExp => {
  try {
    return new RegExp(source);
  } catch {
    throw invalidArgument("The filter's regular expression cannot be read");
  }
};
