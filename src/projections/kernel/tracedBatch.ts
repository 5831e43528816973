import type { Traced } from "../../platform/tracing/port.ts";
import type { Batch } from "./applyBatch.ts";

/** The maximum of links in a span: to the first events of a batch. */
const MAX_LINKS = 64;
/** The offsets of the trace id in a `traceparent`. */
const TRACE = { from: 3, to: 35 } as const;

/**
 * Folds a batch in a span with links to the spans that recorded its events. A batch of one trace becomes part of it;
 * a batch of several is a trace of its own. Without `traced`, or if no event has a trace, there is no span.
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
    if (links.size < MAX_LINKS) links.add(traceparent);
  }
  const [first] = links;
  if (first === undefined) return fold();
  const attributes = { "runledger.events": events.length, "runledger.position": String(upTo) };
  const parent = traces.size === 1 ? first : undefined;
  return traced(name, { kind: "consumer", parent, links: [...links], attributes }, fold);
};
