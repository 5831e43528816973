import { expect, test } from "vitest";
import type { RecordedEvent } from "../../../../src/platform/eventLog/port.ts";
import { readOneEvent } from "../../../../src/workers/runs/readOneEvent.ts";

const events = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `${n}` }) as RecordedEvent);

test.each([0, 1, 2])(
  "given a read of %i events, when one is asked for, then it is the first, and the read comes to its end",
  async (count) => {
    let isRead = false;
    const read = async function* () {
      yield* events(count);
      isRead = true;
    };
    expect(await readOneEvent(read())).toEqual(events(count)[0] ?? null);
    expect(isRead).toBe(true);
  },
);
