import type { Traced } from "../../platform/tracing/port.ts";
import type { Batch } from "./applyBatch.ts";

/** A span names so many events at most that it is about: the first ones of a batch. */
const MOST_LINKS = 64;
/** The trace's id in a `traceparent`. */
const TRACE = { from: 3, to: 35 } as const;

/**
 * Folds a batch as a span that is linked to what recorded its events. A batch of one trace alone, as most are while
 * little happens, is part of it; one of several is a trace of its own. Without `traced`, and of events that no
 * trace is known of, there is no span.
 */
export const foldTraced = <Result>(
  traced: Traced | undefined,
  name: string,
  { events, upTo }: Batch,
  fold: () => Promise<Result>,
): Promise<Result> => {
  if (!traced) return fold();
  const links = new Set<string>();
  const traces = new Set<string>();
  for (const { metadata } of events) {
    const { traceparent } = metadata;
    if (traceparent === undefined) continue;
    traces.add(traceparent.slice(TRACE.from, TRACE.to));
    if (links.size < MOST_LINKS) links.add(traceparent);
  }
  const [first] = links;
  if (first === undefined) return fold();
  const attributes = { "runledger.events": events.length, "runledger.position": String(upTo) };
  const parent = traces.size === 1 ? first : undefined;
  return traced(name, { kind: "consumer", parent, links: [...links], attributes }, fold);
};
