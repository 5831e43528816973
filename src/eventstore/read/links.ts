import { LINK_TYPE, type StoredEvent } from "../records.ts";
import type { Reader } from "./reader.ts";

/** Links that are resolved at a time, as in EventStoreDB: the linked events may be large. */
const CHUNK = 32;

const LARGEST_LONG = 2n ** 63n - 1n;

/** The target of a link: a place, "broken" if it cannot exist, or null if the event is not a link. */
export type Target = { readonly stream: string; readonly revision: number } | "broken" | null;

/**
 * Parses a link's data, "revision@stream", as EventStoreDB does: data without a leading number makes an
 * ordinary event; data without a stream name makes a broken link.
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
  // A tombstone has the largest revision; no event can be linked at or above it.
  if (revision >= Number.MAX_SAFE_INTEGER) return "broken";
  return { stream, revision: Number(revision) };
};

/** An event to send. `target` is set for links: the linked event, or null if it is not visible. */
export type Resolved = { readonly event: StoredEvent; readonly target?: StoredEvent | null };

/** Resolves the links among events, in chunks. Other events pass unchanged. */
export async function* resolveLinks(
  reader: Reader,
  events: readonly StoredEvent[],
): AsyncGenerator<readonly Resolved[]> {
  for (let start = 0; start < events.length; start += CHUNK) {
    const chunk = events.slice(start, start + CHUNK);
    const targets = chunk.map(readLink);
    const places = targets.filter((target) => target !== null && target !== "broken");
    const found = places.length > 0 ? await reader.eventsAt(places) : [];
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
