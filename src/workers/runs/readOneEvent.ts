import type { RecordedEvent } from "../../platform/eventLog/port.ts";

/**
 * The first event of a read with `limit: 1`, null when there is none. Reads to the end: the log's client
 * keeps a read that is broken off as long as it lives.
 */
export const readOneEvent = async (
  read: AsyncIterable<RecordedEvent>,
): Promise<RecordedEvent | null> => {
  let first: RecordedEvent | null = null;
  for await (const event of read) first ??= event;
  return first;
};
