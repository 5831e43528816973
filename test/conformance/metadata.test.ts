import {
  ANY,
  BACKWARDS,
  END,
  jsonEvent,
  NO_STREAM,
  START,
  STREAM_EXISTS,
  type StreamMetadata,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { describe, expect, test } from "vitest";
import {
  APPEND_METHODS,
  errorOf,
  event,
  eventsOf,
  newStream,
  numbers,
  ofAllBetween,
  positionOf,
  readAllOf,
  readableOf,
  revisionsOf,
  useServer,
} from "./support.ts";

const server = useServer();

/** Creates a stream of `count` events with these metadata. */
const streamWith = async (metadata: StreamMetadata, count: number): Promise<string> => {
  const stream = newStream();
  await server.client.setStreamMetadata(stream, metadata);
  await server.client.appendToStream(stream, eventsOf(0, count - 1));
  return stream;
};

describe("stream metadata", () => {
  test("are empty by default", async () => {
    const stream = newStream();
    expect(await server.client.getStreamMetadata(stream)).toEqual({ streamName: stream });
    await server.client.appendToStream(stream, event(0));
    expect(await server.client.getStreamMetadata(stream)).toEqual({ streamName: stream });
  });

  test.each<{ name: string; metadata: StreamMetadata }>([
    { name: "one key", metadata: { maxAge: 2 } },
    {
      name: "all keys that mean something",
      metadata: {
        maxAge: 200_000,
        cacheControl: 15,
        truncateBefore: 1,
        maxCount: 12,
        acl: {
          readRoles: ["$all"],
          writeRoles: ["$all"],
          deleteRoles: ["$admins"],
          metaReadRoles: ["$all"],
          metaWriteRoles: ["$all"],
        },
      },
    },
    {
      name: "keys of one's own",
      metadata: { maxCount: 3, owner: "Ünï 漢字 😀", list: [1, { a: null }] },
    },
    { name: "nothing", metadata: {} },
  ])("are returned unchanged: $name", async ({ metadata }) => {
    const stream = newStream();
    await server.client.setStreamMetadata(stream, metadata);
    const got = await server.client.getStreamMetadata(stream);
    expect(got.streamName).toBe(stream);
    expect(got.metadata).toEqual(metadata);
  });

  test("are replaced as a whole", async () => {
    const stream = newStream();
    await server.client.setStreamMetadata(stream, { maxCount: 3, owner: "first" });
    await server.client.setStreamMetadata(stream, { maxAge: 100 });
    expect((await server.client.getStreamMetadata(stream)).metadata).toEqual({ maxAge: 100 });
  });

  test("are separate for each stream", async () => {
    const [one, other] = [newStream(), newStream()];
    await server.client.setStreamMetadata(one, { owner: "one" });
    await server.client.setStreamMetadata(other, { owner: "other" });
    expect((await server.client.getStreamMetadata(one)).metadata).toEqual({ owner: "one" });
    expect((await server.client.getStreamMetadata(other)).metadata).toEqual({ owner: "other" });
  });

  test("keep one of many concurrent writes", async () => {
    const stream = newStream();
    await Promise.all(
      numbers(1, 10).map((n) => server.client.setStreamMetadata(stream, { by: n })),
    );
    const { metadata } = await server.client.getStreamMetadata(stream);
    expect(numbers(1, 10)).toContain(metadata?.by);
  });

  test("do not create the stream", async () => {
    const stream = newStream();
    await server.client.setStreamMetadata(stream, { maxCount: 3 });
    expect(await errorOf(readAllOf(server.client, stream))).toBeInstanceOf(StreamNotFoundError);
  });

  test("are stored as an event in the metadata stream with the system's names", async () => {
    const stream = newStream();
    await server.client.setStreamMetadata(stream, { maxCount: 3, owner: "me" });
    const [stored] = await readAllOf(server.client, `$$${stream}`, {
      direction: BACKWARDS,
      fromRevision: END,
      maxCount: 1,
    });
    expect(stored).toMatchObject({
      streamId: `$$${stream}`,
      type: "$metadata",
      isJson: true,
      revision: 0n,
      data: { $maxCount: 3, owner: "me" },
    });
  });

  test("can be appended to the metadata stream directly", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 4));
    await server.client.appendToStream(`$$${stream}`, event({ $maxCount: 2 }, "$metadata"));
    expect((await server.client.getStreamMetadata(stream)).metadata).toEqual({ maxCount: 2 });
    expect(await revisionsOf(server.client, stream)).toEqual([3, 4]);
  });

  test("are included in $all", async () => {
    const stream = newStream();
    const set = positionOf(await server.client.setStreamMetadata(stream, { owner: "me" }));
    const found = await ofAllBetween(server.client, set, set, [`$$${stream}`]);
    expect(found.map((e) => [e.event?.type, e.event?.data])).toEqual([
      ["$metadata", { owner: "me" }],
    ]);
  });

  test.each(["maxAge", "truncateBefore", "cacheControl", "maxCount"])(
    "accept only whole numbers as %s",
    async (key) => {
      const error = await errorOf(server.client.setStreamMetadata(newStream(), { [key]: 2.5 }));
      expect(error).toBeInstanceOf(Error);
    },
  );

  describe("expected revision", () => {
    test("no_stream sets metadata once", async () => {
      const stream = newStream();
      const first = await server.client.setStreamMetadata(
        stream,
        { n: 1 },
        { expectedRevision: NO_STREAM },
      );
      expect(first.nextExpectedRevision).toBe(0n);
      const error = await errorOf(
        server.client.setStreamMetadata(stream, { n: 2 }, { expectedRevision: NO_STREAM }),
      );
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({
        streamName: `$$${stream}`,
        expectedVersion: NO_STREAM,
        actualVersion: 0n,
      });
      expect((await server.client.getStreamMetadata(stream)).metadata).toEqual({ n: 1 });
    });

    test("refers to the metadata stream, not to the stream", async () => {
      const stream = newStream();
      await server.client.appendToStream(stream, eventsOf(0, 9));
      await server.client.setStreamMetadata(stream, { n: 1 });
      const second = await server.client.setStreamMetadata(
        stream,
        { n: 2 },
        { expectedRevision: 0n },
      );
      expect(second.nextExpectedRevision).toBe(1n);
      expect((await server.client.getStreamMetadata(stream)).metadata).toEqual({ n: 2 });
    });

    test("of missing metadata is a wrong expected version", async () => {
      const stream = newStream();
      const error = await errorOf(
        server.client.setStreamMetadata(stream, { n: 1 }, { expectedRevision: 2n }),
      );
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ expectedVersion: 2n, actualVersion: "no_stream" });
      expect(await server.client.getStreamMetadata(stream)).toEqual({ streamName: stream });
    });
  });

  describe.each(APPEND_METHODS)(
    "allow an append by $method to a stream without events",
    ({ options }) => {
      test.each([ANY, NO_STREAM, STREAM_EXISTS] as const)(
        "expecting %s",
        async (expectedRevision) => {
          const stream = newStream();
          await server.client.setStreamMetadata(stream, { maxCount: 10 });
          const { nextExpectedRevision } = await server.client.appendToStream(stream, event(0), {
            ...options,
            expectedRevision,
          });
          expect(nextExpectedRevision).toBe(0n);
        },
      );
    },
  );
});

describe("$maxCount", () => {
  test.each([
    { maxCount: 3, options: {}, expected: [7, 8, 9] },
    { maxCount: 1, options: {}, expected: [9] },
    { maxCount: 10, options: {}, expected: numbers(0, 9) },
    { maxCount: 1_000, options: {}, expected: numbers(0, 9) },
    { maxCount: 3, options: { maxCount: 2 }, expected: [7, 8] },
    { maxCount: 3, options: { fromRevision: 0n, maxCount: 100 }, expected: [7, 8, 9] },
    { maxCount: 3, options: { fromRevision: 8n }, expected: [8, 9] },
    { maxCount: 3, options: { direction: BACKWARDS, fromRevision: END }, expected: [9, 8, 7] },
    { maxCount: 3, options: { direction: BACKWARDS, fromRevision: 8n }, expected: [8, 7] },
    { maxCount: 3, options: { direction: BACKWARDS, fromRevision: 5n }, expected: [] },
  ] as const)(
    "$maxCount of ten events, read with $options",
    async ({ maxCount, options, expected }) => {
      expect(await revisionsOf(server.client, await streamWith({ maxCount }, 10), options)).toEqual(
        expected,
      );
    },
  );

  test("applies to events from before it was set", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 9));
    expect(await revisionsOf(server.client, stream)).toEqual(numbers(0, 9));
    await server.client.setStreamMetadata(stream, { maxCount: 2 });
    expect(await revisionsOf(server.client, stream)).toEqual([8, 9]);
  });

  test.each([
    { from: 3, to: 4, expected: [1, 2, 3, 4] },
    { from: 3, to: 2, expected: [3, 4] },
  ])("changed from $from to $to changes the visible events", async ({ from, to, expected }) => {
    const stream = await streamWith({ maxCount: from }, 5);
    await server.client.setStreamMetadata(stream, { maxCount: to }, { expectedRevision: 0n });
    expect(await revisionsOf(server.client, stream)).toEqual(expected);
    expect(
      await revisionsOf(server.client, stream, { direction: BACKWARDS, fromRevision: END }),
    ).toEqual([...expected].reverse());
  });

  test("moves with each append without changing revisions", async () => {
    const stream = await streamWith({ maxCount: 2 }, 2);
    for (const n of numbers(2, 6)) {
      const { nextExpectedRevision } = await server.client.appendToStream(stream, event(n), {
        expectedRevision: BigInt(n - 1),
      });
      expect(nextExpectedRevision).toBe(BigInt(n));
      expect(await revisionsOf(server.client, stream)).toEqual([n - 1, n]);
    }
  });

  test("limits a subscription from the start", async () => {
    const stream = await streamWith({ maxCount: 3 }, 10);
    const seen = server.watch(server.client.subscribeToStream(stream));
    await server.client.appendToStream(stream, event(10));
    await seen.until(() => seen.of().some((e) => e.revision === 10n));
    const first = Number(seen.of()[0]?.revision);
    // The append may have come before the subscription's first read.
    expect([7, 8]).toContain(first);
    expect(seen.of().map((e) => Number(e.revision))).toEqual(numbers(first, 10));
  });

  test("does not affect other streams", async () => {
    const stream = await streamWith({ maxCount: 1 }, 3);
    const longer = `${stream}-more`;
    await server.client.appendToStream(longer, eventsOf(0, 4));
    expect(await revisionsOf(server.client, longer)).toEqual(numbers(0, 4));
  });
});

describe("$tb (truncate before)", () => {
  test.each([
    { before: 4, options: {}, expected: numbers(4, 9) },
    { before: 0, options: {}, expected: numbers(0, 9) },
    { before: 4, options: { fromRevision: START, maxCount: 2 }, expected: [4, 5] },
    { before: 4, options: { fromRevision: 2n, maxCount: 3 }, expected: [4, 5, 6] },
    { before: 4, options: { fromRevision: 6n }, expected: numbers(6, 9) },
    { before: 4, options: { direction: BACKWARDS, fromRevision: END }, expected: numbers(9, 4) },
    { before: 4, options: { direction: BACKWARDS, fromRevision: 5n }, expected: [5, 4] },
    { before: 4, options: { direction: BACKWARDS, fromRevision: 3n }, expected: [] },
    { before: 10, options: {}, expected: [] },
  ] as const)(
    "$before of ten events, read with $options",
    async ({ before, options, expected }) => {
      const stream = await streamWith({ truncateBefore: before }, 10);
      expect(await revisionsOf(server.client, stream, options)).toEqual(expected);
    },
  );

  test("beyond the end keeps the revisions of later events", async () => {
    const stream = await streamWith({ truncateBefore: 10 }, 10);
    await server.client.appendToStream(stream, event(10), { expectedRevision: 9n });
    expect(await revisionsOf(server.client, stream)).toEqual([10]);
  });

  test("can be increased", async () => {
    const stream = await streamWith({ truncateBefore: 2 }, 5);
    await server.client.setStreamMetadata(stream, { truncateBefore: 4 });
    expect(await revisionsOf(server.client, stream)).toEqual([4]);
  });

  test("limits a subscription from the start", async () => {
    const stream = await streamWith({ truncateBefore: 6 }, 10);
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.of().length >= 4);
    expect(seen.of().map((e) => Number(e.revision))).toEqual([6, 7, 8, 9]);
  });

  test("combines with $maxCount to the stricter limit", async () => {
    const byCount = await streamWith({ truncateBefore: 2, maxCount: 3 }, 10);
    expect(await revisionsOf(server.client, byCount)).toEqual([7, 8, 9]);
    const byPlace = await streamWith({ truncateBefore: 8, maxCount: 5 }, 10);
    expect(await revisionsOf(server.client, byPlace)).toEqual([8, 9]);
  });
});

describe("$maxAge", () => {
  test("keeps younger events", async () => {
    const stream = await streamWith({ maxAge: 3_600 }, 5);
    expect(await revisionsOf(server.client, stream)).toEqual(numbers(0, 4));
    expect(
      await revisionsOf(server.client, stream, { direction: BACKWARDS, fromRevision: END }),
    ).toEqual(numbers(4, 0));
  });

  test("hides ageing events and keeps later ones", async () => {
    const stream = await streamWith({ maxAge: 1 }, 3);
    await expect.poll(() => readableOf(server.client, stream), { timeout: 60_000 }).toEqual([]);
    expect(
      await revisionsOf(server.client, stream, { direction: BACKWARDS, fromRevision: END }).catch(
        () => [],
      ),
    ).toEqual([]);
    // Long enough for the next events to be read while they are young.
    await server.client.setStreamMetadata(stream, { maxAge: 3_600 });
    await server.client.appendToStream(stream, eventsOf(3, 4), { expectedRevision: 2n });
    expect(await revisionsOf(server.client, stream, { fromRevision: 3n })).toEqual([3, 4]);
  });

  test("is enforced for metadata written in any way", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 2));
    await server.client.appendToStream(
      `$$${stream}`,
      jsonEvent({ type: "$metadata", data: { $maxAge: 1 } }),
    );
    await expect.poll(() => readableOf(server.client, stream), { timeout: 60_000 }).toEqual([]);
  });
});
