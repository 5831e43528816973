import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  FORWARDS,
  START,
  StreamNotFoundError,
} from "@eventstore/db-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { event, newStream, type ServerUnderTest, startServerUnderTest } from "./support.ts";

const COUNT = 1_500;

let server: ServerUnderTest;
let client: EventStoreDBClient;
const stream = newStream();
const mine: { revision: bigint; position: bigint }[] = [];

beforeAll(async () => {
  server = await startServerUnderTest();
  client = server.client;
  // Long enough to be read in several pages.
  for (let from = 0; from < COUNT; from += 500) {
    await client.appendToStream(
      stream,
      Array.from({ length: 500 }, (_, i) => event(from + i)),
    );
  }
  for await (const { event: stored } of client.readStream(stream)) {
    if (stored) mine.push({ revision: stored.revision, position: stored.position?.commit ?? -1n });
  }
});
afterAll(() => server.stop());

type StreamOptions = Parameters<EventStoreDBClient["readStream"]>[1];

const revisions = async (options: StreamOptions, name = stream): Promise<number[]> => {
  const read: number[] = [];
  for await (const { event: stored } of client.readStream(name, options)) {
    if (stored) read.push(Number(stored.revision));
  }
  return read;
};

const range = (from: number, to: number): number[] =>
  from <= to
    ? Array.from({ length: to - from + 1 }, (_, i) => from + i)
    : Array.from({ length: from - to + 1 }, (_, i) => from - i);

describe("reading a stream", () => {
  test("from its start gives all of it, in order", async () => {
    expect(await revisions({})).toEqual(range(0, COUNT - 1));
  });

  test.each([
    { options: { fromRevision: 0n, maxCount: 1 }, expected: [0] },
    { options: { fromRevision: 1_400n }, expected: range(1_400, COUNT - 1) },
    { options: { fromRevision: 10n, maxCount: 5 }, expected: range(10, 14) },
    { options: { fromRevision: 5_000n }, expected: [] },
    { options: { fromRevision: END }, expected: [] },
    { options: { maxCount: 1_200 }, expected: range(0, 1_199) },
    { options: { direction: BACKWARDS, fromRevision: END }, expected: range(COUNT - 1, 0) },
    {
      options: { direction: BACKWARDS, fromRevision: END, maxCount: 3 },
      expected: [1_499, 1_498, 1_497],
    },
    { options: { direction: BACKWARDS, fromRevision: 1n }, expected: [1, 0] },
    { options: { direction: BACKWARDS, fromRevision: START }, expected: [0] },
    {
      options: { direction: BACKWARDS, fromRevision: 9_999n, maxCount: 2 },
      expected: [1_499, 1_498],
    },
  ])("with $options", async ({ options, expected }) => {
    expect(await revisions(options as StreamOptions)).toEqual(expected);
  });

  test("that does not exist is 'not found', by name", async () => {
    const missing = newStream();
    const error = await revisions({}, missing).then(
      () => null,
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(StreamNotFoundError);
    expect(error).toMatchObject({ streamName: missing });
    await expect(revisions({ direction: BACKWARDS, fromRevision: END }, missing)).rejects.toThrow(
      StreamNotFoundError,
    );
  });

  test("that has no metadata gives none", async () => {
    expect(await client.getStreamMetadata(stream)).toEqual({ streamName: stream });
    expect(await client.getStreamMetadata(newStream())).toMatchObject({});
  });

  test("can be left half-way, and the connection stays good", async () => {
    for (let i = 0; i < 5; i += 1) {
      for await (const { event: stored } of client.readStream(stream)) {
        if (stored?.revision === 3n) break;
      }
    }
    expect(await revisions({ maxCount: 2 })).toEqual([0, 1]);
  });

  test("by many readers at once", async () => {
    const reads = await Promise.all(Array.from({ length: 12 }, () => revisions({ maxCount: 700 })));
    for (const read of reads) expect(read).toEqual(range(0, 699));
  });

  test("large events come in pages that fit", async () => {
    const large = newStream();
    for (let i = 0; i < 12; i += 1) await client.appendToStream(large, event("x".repeat(900_000)));
    expect(await revisions({}, large)).toEqual(range(0, 11));
    expect(await revisions({ direction: BACKWARDS, fromRevision: END }, large)).toEqual(
      range(11, 0),
    );
  });
});

describe("reading $all", () => {
  type AllOptions = Parameters<EventStoreDBClient["readAll"]>[0];
  const positions = async (options: AllOptions, only = stream): Promise<bigint[]> => {
    const read: bigint[] = [];
    for await (const { event: stored } of client.readAll(options)) {
      if (stored?.streamId === only) read.push(stored.position.commit);
    }
    return read;
  };

  test("forwards gives every event once, in the order of their positions", async () => {
    expect(await positions({})).toEqual(mine.map((e) => e.position));
  });

  test("backwards gives the same in reverse", async () => {
    expect(await positions({ direction: BACKWARDS, fromPosition: END })).toEqual(
      mine.map((e) => e.position).reverse(),
    );
  });

  test("from a position includes the event there", async () => {
    const at = mine[100]?.position ?? 0n;
    const read = await positions({ fromPosition: { commit: at, prepare: at } });
    expect(read[0]).toBe(at);
    expect(read).toHaveLength(COUNT - 100);
  });

  test("backwards from a position begins before it", async () => {
    const at = mine[100]?.position ?? 0n;
    const read = await positions({
      direction: BACKWARDS,
      fromPosition: { commit: at, prepare: at },
    });
    expect(read).toHaveLength(100);
    expect(read[0]).toBe(mine[99]?.position);
  });

  test("stops at the count asked for", async () => {
    let count = 0;
    for await (const _ of client.readAll({ direction: FORWARDS, maxCount: 1_234 })) count += 1;
    expect(count).toBe(1_234);
  });

  test("from the end forwards gives nothing", async () => {
    expect(await positions({ fromPosition: END })).toEqual([]);
  });

  test("commit and prepare are the same position, on the event and beside it", async () => {
    for await (const resolved of client.readAll({
      direction: BACKWARDS,
      fromPosition: END,
      maxCount: 5,
    })) {
      expect(resolved.event?.position.commit).toBe(resolved.event?.position.prepare);
      expect(resolved.commitPosition).toBe(resolved.event?.position.commit);
    }
  });

  test("what was just appended is there", async () => {
    const fresh = newStream();
    for (let i = 0; i < 20; i += 1) {
      const { position } = await client.appendToStream(fresh, event(i));
      const newest = [];
      for await (const { event: stored } of client.readAll({
        direction: BACKWARDS,
        fromPosition: END,
        maxCount: 5,
      })) {
        if (stored?.streamId === fresh) newest.push(stored.position.commit);
      }
      expect(newest[0]).toBe(position?.commit);
    }
  });
});
