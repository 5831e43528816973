import {
  ANY,
  BACKWARDS,
  DeadlineExceededError,
  END,
  type EventStoreDBClient,
  NO_STREAM,
  STREAM_EXISTS,
  StreamDeletedError,
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
  revisionsOf,
  useServer,
} from "./support.ts";

const server = useServer();

/** Creates a stream of `count` events and deletes it. */
const deletedStream = async (count: number): Promise<string> => {
  const stream = newStream();
  await server.client.appendToStream(stream, eventsOf(0, count - 1), {
    expectedRevision: NO_STREAM,
  });
  await server.client.deleteStream(stream);
  return stream;
};

describe("deleting a stream", () => {
  test("returns a position after its last event", async () => {
    const stream = newStream();
    const last = positionOf(await server.client.appendToStream(stream, eventsOf(0, 2)));
    const deleted = positionOf(await server.client.deleteStream(stream));
    expect(deleted.commit).toBeGreaterThan(last.commit);
  });

  test("makes a read report StreamNotFound with its name", async () => {
    const stream = await deletedStream(3);
    const error = await errorOf(readAllOf(server.client, stream));
    expect(error).toBeInstanceOf(StreamNotFoundError);
    expect(error).toMatchObject({ type: "stream-not-found", streamName: stream });
  });

  test("makes a backwards read report StreamNotFound", async () => {
    const stream = await deletedStream(3);
    expect(
      await errorOf(readAllOf(server.client, stream, { direction: BACKWARDS, fromRevision: END })),
    ).toBeInstanceOf(StreamNotFoundError);
  });

  test("makes a read from a revision report StreamNotFound", async () => {
    const stream = await deletedStream(3);
    expect(await errorOf(readAllOf(server.client, stream, { fromRevision: 1n }))).toBeInstanceOf(
      StreamNotFoundError,
    );
  });

  test("keeps other streams, also those with the same prefix", async () => {
    const stream = newStream();
    const [longer, other] = [`${stream}-more`, newStream()];
    for (const name of [stream, longer, other])
      await server.client.appendToStream(name, eventsOf(0, 1));
    await server.client.deleteStream(stream);
    expect(await revisionsOf(server.client, longer)).toEqual([0, 1]);
    expect(await revisionsOf(server.client, other)).toEqual([0, 1]);
  });

  test("keeps its events in $all", async () => {
    const stream = newStream();
    const first = positionOf(await server.client.appendToStream(stream, event(0)));
    await server.client.appendToStream(stream, event(1));
    await server.client.deleteStream(stream);
    const last = positionOf(await server.client.appendToStream(newStream(), event("end")));
    const found = await ofAllBetween(server.client, first, last, [stream]);
    expect(found.map((e) => e.event?.data)).toEqual([0, 1]);
  });

  test("is visible to every client", async () => {
    const stream = newStream();
    const other = server.connect();
    await other.appendToStream(stream, eventsOf(0, 1));
    await server.client.deleteStream(stream);
    expect(await errorOf(readAllOf(other, stream))).toBeInstanceOf(StreamNotFoundError);
  });

  describe("expected revision of a deletion", () => {
    test.each([
      { given: 3, expected: ANY },
      { given: 3, expected: 2n },
      { given: 1, expected: 0n },
    ] as const)("$expected on $given events is accepted", async ({ given, expected }) => {
      const stream = newStream();
      await server.client.appendToStream(stream, eventsOf(0, given - 1));
      await server.client.deleteStream(stream, { expectedRevision: expected });
      expect(await errorOf(readAllOf(server.client, stream))).toBeInstanceOf(StreamNotFoundError);
    });

    test.each([
      { given: 3, expected: 1n },
      { given: 3, expected: 3n },
      { given: 1, expected: 99n },
    ])("$expected on $given events is a wrong expected version", async ({ given, expected }) => {
      const stream = newStream();
      await server.client.appendToStream(stream, eventsOf(0, given - 1));
      const error = await errorOf(
        server.client.deleteStream(stream, { expectedRevision: expected }),
      );
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({
        type: "wrong-expected-version",
        streamName: stream,
        expectedVersion: expected,
        actualVersion: BigInt(given - 1),
      });
      expect(await revisionsOf(server.client, stream)).toEqual(numbers(0, given - 1));
    });

    test("no_stream on an existing stream is a wrong expected version", async () => {
      const stream = newStream();
      await server.client.appendToStream(stream, eventsOf(0, 1));
      const error = await errorOf(
        server.client.deleteStream(stream, { expectedRevision: NO_STREAM }),
      );
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ streamName: stream });
      expect(await revisionsOf(server.client, stream)).toEqual([0, 1]);
    });

    test.each([ANY, NO_STREAM, 0n] as const)(
      "%s on a stream that never existed is a wrong expected version",
      async (expected) => {
        const stream = newStream();
        const error = await errorOf(
          server.client.deleteStream(stream, { expectedRevision: expected }),
        );
        expect(error).toBeInstanceOf(WrongExpectedVersionError);
        expect(error).toMatchObject({ streamName: stream });
      },
    );

    test("no_stream deletes a stream with only metadata", async () => {
      const stream = newStream();
      await server.client.setStreamMetadata(stream, { cacheControl: 10 });
      expect(
        positionOf(await server.client.deleteStream(stream, { expectedRevision: NO_STREAM })),
      ).toEqual(expect.objectContaining({ commit: expect.any(BigInt) }));
    });
  });

  test("is done before its deadline or reports that the deadline has passed", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, event(0));
    const outcome = await server.client
      .deleteStream(stream, { deadline: 1 })
      .catch((e: unknown) => e);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(DeadlineExceededError);
    // The client is as good as before.
    await server.client.appendToStream(newStream(), event(0));
  });
});

describe.each(APPEND_METHODS)("an append by $method to a deleted stream", ({ options }) => {
  const append = (
    stream: string,
    events: Parameters<EventStoreDBClient["appendToStream"]>[1],
    expectedRevision: bigint | typeof ANY | typeof NO_STREAM | typeof STREAM_EXISTS,
  ) => server.client.appendToStream(stream, events, { ...options, expectedRevision });

  test.each([ANY, NO_STREAM, 1n] as const)(
    "expecting %s reopens the stream and continues its revisions",
    async (expected) => {
      const stream = await deletedStream(2);
      const { nextExpectedRevision } = await append(stream, eventsOf(2, 4), expected);
      expect(nextExpectedRevision).toBe(4n);
      const stored = await readAllOf(server.client, stream);
      expect(stored.map((e) => [Number(e.revision), e.data])).toEqual([
        [2, 2],
        [3, 3],
        [4, 4],
      ]);
    },
  );

  test("expecting stream_exists reports a deleted stream", async () => {
    const stream = await deletedStream(2);
    const error = await errorOf(append(stream, event(2), STREAM_EXISTS));
    expect(error).toBeInstanceOf(StreamDeletedError);
    expect(error).toMatchObject({ type: "stream-deleted", streamName: stream });
  });

  test.each([0n, 2n])(
    "with the wrong expected revision %s is a wrong expected version",
    async (expected) => {
      const stream = await deletedStream(2);
      const error = await errorOf(append(stream, event(2), expected));
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ streamName: stream, expectedVersion: expected });
      expect(await errorOf(readAllOf(server.client, stream))).toBeInstanceOf(StreamNotFoundError);
    },
  );

  test("makes it an ordinary stream again", async () => {
    const stream = await deletedStream(2);
    await append(stream, event(2), NO_STREAM);
    expect(await errorOf(append(stream, event(3), NO_STREAM))).toBeInstanceOf(
      WrongExpectedVersionError,
    );
    await append(stream, event(3), STREAM_EXISTS);
    await append(stream, event(4), 3n);
    expect(await revisionsOf(server.client, stream)).toEqual([2, 3, 4]);
  });

  test("continues the revisions over many deletions", async () => {
    const stream = newStream();
    let next = 0;
    for (const life of [1, 2, 3]) {
      await append(stream, eventsOf(next, next + life), NO_STREAM);
      expect(await revisionsOf(server.client, stream)).toEqual(numbers(next, next + life));
      next += life + 1;
      await server.client.deleteStream(stream, { expectedRevision: BigInt(next - 1) });
      expect(await errorOf(readAllOf(server.client, stream))).toBeInstanceOf(StreamNotFoundError);
    }
  });
});

describe("a reopened stream", () => {
  const revived = async (): Promise<string> => {
    const stream = await deletedStream(5);
    await server.client.appendToStream(stream, eventsOf(5, 9));
    return stream;
  };

  test.each([
    { options: {}, expected: numbers(5, 9) },
    { options: { fromRevision: 0n }, expected: numbers(5, 9) },
    { options: { fromRevision: 0n, maxCount: 2 }, expected: [5, 6] },
    { options: { fromRevision: 7n }, expected: [7, 8, 9] },
    { options: { direction: BACKWARDS, fromRevision: END }, expected: numbers(9, 5) },
    { options: { direction: BACKWARDS, fromRevision: 6n }, expected: [6, 5] },
    { options: { direction: BACKWARDS, fromRevision: 3n }, expected: [] },
  ] as const)(
    "returns only its new events for a read with $options",
    async ({ options, expected }) => {
      expect(await revisionsOf(server.client, await revived(), options)).toEqual(expected);
    },
  );

  test("reports its first revision in its metadata", async () => {
    const { metadata } = await server.client.getStreamMetadata(await revived());
    expect(metadata).toEqual({ truncateBefore: 5 });
  });

  test("is subscribed to from its new events on", async () => {
    const stream = await revived();
    const seen = server.watch(server.client.subscribeToStream(stream));
    await server.client.appendToStream(stream, event(10));
    await seen.until(() => seen.of().length >= 6);
    expect(seen.of().map((e) => Number(e.revision))).toEqual(numbers(5, 10));
  });

  test("delivers new events to subscriptions from before the deletion", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 1));
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.of().length === 2);
    await server.client.deleteStream(stream);
    await server.client.appendToStream(stream, eventsOf(2, 3));
    await seen.until(() => seen.of().length >= 4);
    expect(seen.of().map((e) => e.data)).toEqual([0, 1, 2, 3]);
  });

  test("delivers new events to subscriptions from after the deletion", async () => {
    const stream = await deletedStream(3);
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.signs.includes("confirmation"));
    await server.client.appendToStream(stream, eventsOf(3, 5));
    await seen.until(() => seen.of().length >= 3);
    expect(seen.of().map((e) => Number(e.revision))).toEqual([3, 4, 5]);
  });

  test("can be reopened by new metadata, which start it empty after the old events", async () => {
    const stream = await deletedStream(2);
    await server.client.setStreamMetadata(stream, { maxCount: 100, owner: "me" });
    expect(await readAllOf(server.client, stream)).toEqual([]);
    expect((await server.client.getStreamMetadata(stream)).metadata).toEqual({
      maxCount: 100,
      owner: "me",
      truncateBefore: 2,
    });
    await server.client.appendToStream(stream, event(2), { expectedRevision: 1n });
    expect(await revisionsOf(server.client, stream)).toEqual([2]);
  });
});
