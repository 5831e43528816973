import type { Reader } from "./reader.ts";
import { LINK_TYPE, type StoredEvent } from "../records.ts";

/** As many links are resolved at a time as EventStoreDB reads events: what they lead to may be large. */
const CHUNK = 32;

const LARGEST_LONG = 2n ** 63n - 1n;

/** Where a link leads: to an event's place, to nothing ("broken"), or it is no link at all (null). */
export type Target = { readonly stream: string; readonly revision: number } | "broken" | null;

/**
 * Reads where a link leads, "revision@stream", as EventStoreDB does: what does not begin with a number is
 * an event like others; what names no stream leads to nothing.
 */
export const readLink = (event: StoredEvent): Target => {
  if (event.type !== LINK_TYPE) return null;
  const { data } = event;
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("utf8");
  const at = text.indexOf("@");
  const number = (at < 0 ? text : text.slice(0, at)).trim();
  if (!/^[+-]?\d+$/.test(number)) return null;
  const revision = BigInt(number);
  if (revision > LARGEST_LONG || revision < -LARGEST_LONG - 1n) return null;
  const stream = at < 0 ? "" : text.slice(at + 1);
  if (stream === "" || stream.includes("\0") || revision < -1n) return "broken";
  // No event stands at the place of a tombstone, nor beyond.
  if (revision >= Number.MAX_SAFE_INTEGER) return "broken";
  return { stream, revision: Number(revision) };
};

/** An event to be sent, and, where it is a link, the event that it leads to (null: there is none to be seen). */
export type Resolved = { readonly event: StoredEvent; readonly target?: StoredEvent | null };

/** Finds what links lead to; other events are left as they are. */
export async function* resolveLinks(
  reader: Reader,
  events: readonly StoredEvent[],
): AsyncGenerator<readonly Resolved[]> {
  for (let start = 0; start < events.length; start += CHUNK) {
    const chunk = events.slice(start, start + CHUNK);
    const targets = chunk.map(readLink);
    const places = targets.filter((target) => target !== null && target !== "broken");
    const found = places.length > 0 ? await reader.at(places) : [];
    let next = 0;
    yield chunk.map((event, i): Resolved => {
      const target = targets[i] ?? null;
      if (target === null) return { event };
      if (target === "broken") return { event, target: null };
      const resolved = { event, target: found[next] ?? null };
      next += 1;
      return resolved;
    });
  }
}
