import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  FORWARDS,
  START,
  StreamNotFoundError,
} from "@eventstore/db-client";
import { beforeAll, describe, expect, test } from "vitest";
import {
  errorOf,
  event,
  eventsOf,
  newStream,
  numbers,
  positionOf,
  type ReadOptions,
  readAllOf,
  revisionsOf,
  useServer,
} from "./support.ts";

const COUNT = 1_500;
const LAST = COUNT - 1;

const server = useServer();
const stream = newStream();
let mine: bigint[] = [];

beforeAll(async () => {
  // Long enough to be read in several pages.
  for (let from = 0; from < COUNT; from += 500) {
    await server.client.appendToStream(stream, eventsOf(from, from + 499));
  }
  mine = (await readAllOf(server.client, stream)).map((stored) => positionOf(stored).commit);
});

const revisions = (options: ReadOptions, name = stream) =>
  revisionsOf(server.client, name, options);

describe("reading a stream", () => {
  test("returns all events from the start in order", async () => {
    expect(await revisions({})).toEqual(numbers(0, LAST));
  });

  test.each([
    { options: { fromRevision: 0n, maxCount: 1 }, expected: [0] },
    { options: { fromRevision: 1_400n }, expected: numbers(1_400, LAST) },
    { options: { fromRevision: 10n, maxCount: 5 }, expected: numbers(10, 14) },
    { options: { fromRevision: 5_000n }, expected: [] },
    { options: { fromRevision: END }, expected: [] },
    { options: { fromRevision: BigInt(LAST) }, expected: [LAST] },
    { options: { fromRevision: BigInt(COUNT) }, expected: [] },
    { options: { fromRevision: START, maxCount: 3 }, expected: [0, 1, 2] },
    {
      options: { direction: FORWARDS, fromRevision: 999n, maxCount: 3 },
      expected: [999, 1_000, 1_001],
    },
    { options: { maxCount: 10 * COUNT }, expected: numbers(0, LAST) },
    { options: { maxCount: 1_200 }, expected: numbers(0, 1_199) },
    { options: { direction: BACKWARDS, fromRevision: END }, expected: numbers(LAST, 0) },
    {
      options: { direction: BACKWARDS, fromRevision: END, maxCount: 3 },
      expected: [1_499, 1_498, 1_497],
    },
    { options: { direction: BACKWARDS, fromRevision: 1n }, expected: [1, 0] },
    { options: { direction: BACKWARDS, fromRevision: START }, expected: [0] },
    { options: { direction: BACKWARDS, fromRevision: 0n }, expected: [0] },
    { options: { direction: BACKWARDS, fromRevision: 700n, maxCount: 1 }, expected: [700] },
    { options: { direction: BACKWARDS, fromRevision: 1_200n }, expected: numbers(1_200, 0) },
    {
      options: { direction: BACKWARDS, fromRevision: END, maxCount: 1_100 },
      expected: numbers(LAST, 400),
    },
    {
      options: { direction: BACKWARDS, fromRevision: 9_999n, maxCount: 2 },
      expected: [1_499, 1_498],
    },
  ])("returns the selected events with $options", async ({ options, expected }) => {
    expect(await revisions(options as ReadOptions)).toEqual(expected);
  });

  test.each([
    { options: {} },
    { options: { fromRevision: 5n } },
    { options: { fromRevision: END } },
    { options: { direction: BACKWARDS, fromRevision: END } },
    { options: { direction: BACKWARDS, fromRevision: START } },
  ] as const)("reports StreamNotFound with its name, with $options", async ({ options }) => {
    const missing = newStream();
    const error = await errorOf(revisions(options, missing));
    expect(error).toBeInstanceOf(StreamNotFoundError);
    expect(error).toMatchObject({ type: "stream-not-found", streamName: missing });
  });

  test("does not include streams with the same prefix", async () => {
    const short = newStream();
    await server.client.appendToStream(`${short}-longer`, event(0));
    expect(await errorOf(revisions({}, short))).toBeInstanceOf(StreamNotFoundError);
  });

  test("returns the position of each event as in the append result", async () => {
    const fresh = newStream();
    const appended = [];
    for (const n of numbers(0, 4)) {
      appended.push(positionOf(await server.client.appendToStream(fresh, event(n))));
    }
    for (const direction of [FORWARDS, BACKWARDS] as const) {
      const stored = await readAllOf(server.client, fresh, {
        direction,
        fromRevision: direction === FORWARDS ? START : END,
      });
      const positions = stored.map((e) => e.position);
      expect(direction === FORWARDS ? positions : positions.reverse()).toEqual(appended);
    }
  });

  test("returns equal events in both directions", async () => {
    const forwards = await readAllOf(server.client, stream, { fromRevision: 100n, maxCount: 50 });
    const backwards = await readAllOf(server.client, stream, {
      direction: BACKWARDS,
      fromRevision: 149n,
      maxCount: 50,
    });
    expect(backwards.reverse()).toEqual(forwards);
  });

  test("can be stopped early and keeps the connection usable", async () => {
    for (let i = 0; i < 5; i += 1) {
      for await (const { event: stored } of server.client.readStream(stream)) {
        if (stored?.revision === 3n) break;
      }
    }
    expect(await revisions({ maxCount: 2 })).toEqual([0, 1]);
  });

  test("can be cancelled and keeps the connection usable", async () => {
    const read = server.client.readStream(stream);
    const iterator = read[Symbol.asyncIterator]();
    expect((await iterator.next()).done).toBe(false);
    await read.cancel();
    expect(await revisions({ maxCount: 2 })).toEqual([0, 1]);
  });

  test("during writes returns a prefix without a gap", async () => {
    const growing = newStream();
    await server.client.appendToStream(growing, event(0));
    let writing = true;
    const writer = (async () => {
      for (let n = 1; writing; n += 1) await server.client.appendToStream(growing, event(n));
    })();
    for (const _ of numbers(1, 20)) {
      const read = await revisions({}, growing);
      expect(read).toEqual(numbers(0, read.length - 1));
    }
    writing = false;
    await writer;
  });

  test("works for many concurrent readers", async () => {
    const reads = await Promise.all(Array.from({ length: 12 }, () => revisions({ maxCount: 700 })));
    for (const read of reads) expect(read).toEqual(numbers(0, 699));
  });

  test("returns large events in suitable pages", async () => {
    const large = newStream();
    for (const _ of numbers(0, 6))
      await server.client.appendToStream(large, event("x".repeat(900_000)));
    expect(await revisions({}, large)).toEqual(numbers(0, 6));
    expect(await revisions({ direction: BACKWARDS, fromRevision: END }, large)).toEqual(
      numbers(6, 0),
    );
  });
});

describe("reading $all", () => {
  type AllOptions = NonNullable<Parameters<EventStoreDBClient["readAll"]>[0]>;

  const at = (index: number) => ({ commit: mine[index] ?? 0n, prepare: mine[index] ?? 0n });

  /** The positions of this file's events in a read, up to a limit, because a shared log may be long. */
  const positions = async (options: AllOptions, enough = COUNT): Promise<bigint[]> => {
    const read: bigint[] = [];
    for await (const { event: stored } of server.client.readAll(options)) {
      if (stored?.streamId === stream) read.push(stored.position.commit);
      if (read.length === enough) break;
    }
    return read;
  };

  test("forwards returns each event once in order of positions", async () => {
    expect(await positions({ fromPosition: at(0) })).toEqual(mine);
  });

  test("backwards returns the reverse order", async () => {
    expect(await positions({ direction: BACKWARDS, fromPosition: END })).toEqual(
      [...mine].reverse(),
    );
  });

  test("from the start returns increasing positions", async () => {
    const read: bigint[] = [];
    for await (const { event: stored } of server.client.readAll({ maxCount: 1_000 })) {
      if (stored) read.push(stored.position.commit);
    }
    expect(read.length).toBeGreaterThan(900);
    expect(read.every((p, i) => i === 0 || p > (read[i - 1] ?? p))).toBe(true);
  });

  test.each([0, 1, 100, 999, LAST])(
    "from the position of event %i includes that event",
    async (index) => {
      const read = await positions({ fromPosition: at(index) }, 3);
      expect(read).toEqual(mine.slice(index, index + 3));
    },
  );

  test.each([1, 100, 1_000, LAST])(
    "backwards from the position of event %i excludes that event",
    async (index) => {
      const read = await positions({ direction: BACKWARDS, fromPosition: at(index) }, 3);
      expect(read).toEqual(mine.slice(Math.max(0, index - 3), index).reverse());
    },
  );

  test.each([1, 7, 1_000, 1_234])("forwards stops after a count of %i", async (maxCount) => {
    let count = 0;
    for await (const _ of server.client.readAll({ direction: FORWARDS, maxCount })) count += 1;
    expect(count).toBe(maxCount);
  });

  test.each([1, 7, 1_000, 1_234])("backwards stops after a count of %i", async (maxCount) => {
    const read: bigint[] = [];
    for await (const { event: stored } of server.client.readAll({
      direction: BACKWARDS,
      fromPosition: END,
      maxCount,
    })) {
      read.push(stored?.position.commit ?? -1n);
    }
    expect(read).toHaveLength(maxCount);
    expect(read.every((p, i) => i === 0 || p < (read[i - 1] ?? p))).toBe(true);
  });

  test("in pages from the last position returns everything once", async () => {
    const read: bigint[] = [];
    let from: AllOptions["fromPosition"] = at(0);
    while (read.length < COUNT) {
      const page: bigint[] = [];
      // A page begins with the event that the one before has ended with.
      for await (const { event: stored } of server.client.readAll({
        fromPosition: from,
        maxCount: 113,
      })) {
        if (!stored) continue;
        page.push(stored.position.commit);
        if (stored.streamId === stream && stored.position.commit > (read.at(-1) ?? -1n)) {
          read.push(stored.position.commit);
        }
        from = stored.position;
      }
      if (page.length < 113) break;
    }
    expect(read).toEqual(mine);
  });

  test("backwards in pages from the last position returns everything once", async () => {
    const read: bigint[] = [];
    let from: AllOptions["fromPosition"] = END;
    while (read.length < COUNT) {
      let seen = 0;
      for await (const { event: stored } of server.client.readAll({
        direction: BACKWARDS,
        fromPosition: from,
        maxCount: 113,
      })) {
        seen += 1;
        if (!stored) continue;
        if (stored.streamId === stream) read.push(stored.position.commit);
        from = stored.position;
      }
      if (seen < 113) break;
    }
    expect(read).toEqual([...mine].reverse());
  });

  test("forwards from the end returns nothing", async () => {
    expect(await positions({ fromPosition: END })).toEqual([]);
  });

  test("backwards from the start returns nothing", async () => {
    expect(await positions({ direction: BACKWARDS, fromPosition: START })).toEqual([]);
  });

  test("returns the same event as a read of its stream", async () => {
    const [direct] = await readAllOf(server.client, stream, { fromRevision: 42n, maxCount: 1 });
    for await (const resolved of server.client.readAll({ fromPosition: at(42), maxCount: 1 })) {
      expect(resolved.event).toEqual(direct);
      expect(resolved.link).toBeUndefined();
    }
  });

  test("returns equal commit and prepare positions on the event and beside it", async () => {
    for await (const { event: stored, commitPosition } of server.client.readAll({
      fromPosition: at(10),
      maxCount: 1,
    })) {
      expect(stored?.position).toEqual(at(10));
      expect(commitPosition).toBe(mine[10]);
    }
  });

  test("includes an event right after its append", async () => {
    const fresh = newStream();
    for (const n of numbers(0, 19)) {
      const position = positionOf(await server.client.appendToStream(fresh, event(n)));
      // A server may show it in $all a moment later.
      await expect
        .poll(async () => {
          const read = [];
          for await (const { event: stored } of server.client.readAll({
            fromPosition: position,
            maxCount: 1,
          })) {
            read.push([stored?.streamId, stored?.data]);
          }
          return read;
        })
        .toEqual([[fresh, n]]);
    }
  });

  test("works for many concurrent readers in both directions", async () => {
    const reads = await Promise.all(
      numbers(1, 8).flatMap(() => [
        positions({ fromPosition: at(500) }, 400),
        positions({ direction: BACKWARDS, fromPosition: at(500) }, 400),
      ]),
    );
    for (const [i, read] of reads.entries()) {
      expect(read).toEqual(i % 2 ? mine.slice(100, 500).reverse() : mine.slice(500, 900));
    }
  });
});
