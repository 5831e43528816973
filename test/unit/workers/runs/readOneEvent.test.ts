import { expect, test } from "vitest";
import type { RecordedEvent } from "../../../../src/platform/eventLog/port.ts";
import { readOneEvent } from "../../../../src/workers/runs/readOneEvent.ts";

const events = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `${n}` }) as RecordedEvent);

test.each([0, 1, 2])("returns the first of %i events and ends the read", async (count) => {
  let isRead = false;
  const read = async function* () {
    yield* events(count);
    isRead = true;
  };
  expect(await readOneEvent(read())).toEqual(events(count)[0] ?? null);
  expect(isRead).toBe(true);
});
