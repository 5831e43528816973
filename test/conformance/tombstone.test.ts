import {
  ANY,
  BACKWARDS,
  DeadlineExceededError,
  END,
  NO_STREAM,
  STREAM_EXISTS,
  StreamDeletedError,
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

/** A stream of two events, which was then tombstoned. */
const tombstoned = async (): Promise<string> => {
  const stream = newStream();
  await server.client.appendToStream(stream, eventsOf(0, 1));
  await server.client.tombstoneStream(stream);
  return stream;
};

const expectDeleted = (error: unknown, stream: string): void => {
  expect(error).toBeInstanceOf(StreamDeletedError);
  expect(error).toMatchObject({ type: "stream-deleted", streamName: stream });
};

describe("a tombstone", () => {
  test("has a position after the stream's last event", async () => {
    const stream = newStream();
    const last = positionOf(await server.client.appendToStream(stream, eventsOf(0, 2)));
    expect(positionOf(await server.client.tombstoneStream(stream)).commit).toBeGreaterThan(
      last.commit,
    );
  });

  test.each([
    { options: {} },
    { options: { fromRevision: 1n } },
    { options: { maxCount: 1 } },
    { options: { direction: BACKWARDS, fromRevision: END } },
  ] as const)("makes a read with $options say that the stream is deleted", async ({ options }) => {
    const stream = await tombstoned();
    expectDeleted(await errorOf(readAllOf(server.client, stream, options)), stream);
  });

  test("may be put on a stream that was deleted softly", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 1));
    await server.client.deleteStream(stream);
    await server.client.tombstoneStream(stream);
    expectDeleted(await errorOf(readAllOf(server.client, stream)), stream);
  });

  test("may be put on a stream that lives again", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, event(0));
    await server.client.deleteStream(stream);
    await server.client.appendToStream(stream, event(1));
    await server.client.tombstoneStream(stream, { expectedRevision: 1n });
    expectDeleted(await errorOf(readAllOf(server.client, stream)), stream);
  });

  test("leaves streams whose names begin alike as they are", async () => {
    const stream = newStream();
    const longer = `${stream}-more`;
    await server.client.appendToStream(stream, event(0));
    await server.client.appendToStream(longer, eventsOf(0, 2));
    await server.client.tombstoneStream(stream);
    expect(await revisionsOf(server.client, longer)).toEqual([0, 1, 2]);
  });

  test("stands in $all after the stream's events, as the system's event of it", async () => {
    const stream = newStream();
    const first = positionOf(await server.client.appendToStream(stream, event(0)));
    await server.client.tombstoneStream(stream);
    const last = positionOf(await server.client.appendToStream(newStream(), event("end")));
    const found = await ofAllBetween(server.client, first, last, [stream]);
    expect(found.map((e) => e.event?.type)).toEqual(["ConformanceChecked", "$streamDeleted"]);
  });

  describe("with an expected revision", () => {
    test.each([
      { given: 3, expected: ANY },
      { given: 3, expected: 2n },
      { given: 0, expected: ANY },
      { given: 0, expected: NO_STREAM },
    ] as const)("$expected, on $given events, is put", async ({ given, expected }) => {
      const stream = newStream();
      if (given > 0) await server.client.appendToStream(stream, eventsOf(0, given - 1));
      await server.client.tombstoneStream(stream, { expectedRevision: expected });
      expectDeleted(await errorOf(readAllOf(server.client, stream)), stream);
    });

    test.each([
      { given: 3, expected: 1n },
      { given: 3, expected: 5n },
      { given: 1, expected: 1n },
    ])("$expected, on $given events, is wrong, and says so", async ({ given, expected }) => {
      const stream = newStream();
      await server.client.appendToStream(stream, eventsOf(0, given - 1));
      const error = await errorOf(
        server.client.tombstoneStream(stream, { expectedRevision: expected }),
      );
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({
        streamName: stream,
        expectedVersion: expected,
        actualVersion: BigInt(given - 1),
      });
      expect(await revisionsOf(server.client, stream)).toEqual(numbers(0, given - 1));
    });

    test.each([
      { given: 2, expected: NO_STREAM },
      { given: 0, expected: 0n },
    ] as const)("$expected, on $given events, is wrong", async ({ given, expected }) => {
      const stream = newStream();
      if (given > 0) await server.client.appendToStream(stream, eventsOf(0, given - 1));
      const error = await errorOf(
        server.client.tombstoneStream(stream, { expectedRevision: expected }),
      );
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ streamName: stream });
    });
  });

  test("put by many at once is put once", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, event(0));
    const outcomes = await Promise.allSettled(
      numbers(1, 5).map(() => server.client.tombstoneStream(stream, { expectedRevision: 0n })),
    );
    expect(outcomes.filter((o) => o.status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expectDeleted(outcome.reason, stream);
    }
  });

  test("is put before its deadline, or the deadline has passed", async () => {
    const stream = newStream();
    const outcome = await server.client
      .tombstoneStream(stream, { deadline: 1 })
      .catch((e: unknown) => e);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(DeadlineExceededError);
    await server.client.appendToStream(newStream(), event(0));
  });
});

describe("after a tombstone", () => {
  describe.each(APPEND_METHODS)("$method", ({ options }) => {
    test.each([ANY, NO_STREAM, STREAM_EXISTS, 1n, 7n] as const)(
      "expecting %s is told that the stream is deleted",
      async (expectedRevision) => {
        const stream = await tombstoned();
        expectDeleted(
          await errorOf(
            server.client.appendToStream(stream, event(2), { ...options, expectedRevision }),
          ),
          stream,
        );
      },
    );

    test("does not disturb who appends to other streams at the same time", async () => {
      const [gone, alive] = [await tombstoned(), newStream()];
      const outcomes = await Promise.allSettled(
        numbers(0, 19).map((n) =>
          server.client.appendToStream(n % 2 ? gone : alive, event(n), options),
        ),
      );
      expect(outcomes.map((o) => o.status)).toEqual(
        numbers(0, 19).map((n) => (n % 2 ? "rejected" : "fulfilled")),
      );
      expect(await revisionsOf(server.client, alive)).toEqual(numbers(0, 9));
    });
  });

  test("the stream cannot be tombstoned again", async () => {
    const stream = await tombstoned();
    expectDeleted(await errorOf(server.client.tombstoneStream(stream)), stream);
    expectDeleted(
      await errorOf(server.client.tombstoneStream(stream, { expectedRevision: NO_STREAM })),
      stream,
    );
  });

  test("the stream cannot be deleted", async () => {
    const stream = await tombstoned();
    expectDeleted(await errorOf(server.client.deleteStream(stream)), stream);
  });

  test("its metadata are gone with it", async () => {
    const stream = newStream();
    await server.client.setStreamMetadata(stream, { maxCount: 5 });
    await server.client.appendToStream(stream, event(0));
    await server.client.tombstoneStream(stream);
    expectDeleted(await errorOf(server.client.getStreamMetadata(stream)), `$$${stream}`);
  });

  test("no metadata can be set", async () => {
    const stream = await tombstoned();
    expect(await errorOf(server.client.setStreamMetadata(stream, { maxCount: 5 }))).toBeInstanceOf(
      StreamDeletedError,
    );
  });

  test("a new subscription to the stream ends with that", async () => {
    const stream = await tombstoned();
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.errors.length > 0);
    expectDeleted(seen.errors[0], stream);
    expect(seen.of()).toEqual([]);
  });

  test("a subscription that was there gave all the events, and ends with that", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 2));
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.of().length === 3);
    await server.client.tombstoneStream(stream);
    await seen.until(() => seen.errors.length > 0);
    expectDeleted(seen.errors[0], stream);
    expect(seen.of().map((e) => e.data)).toEqual([0, 1, 2]);
  });

  test("a subscription that waits for the stream ends with that", async () => {
    const stream = newStream();
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.signs.includes("confirmation"));
    await server.client.tombstoneStream(stream, { expectedRevision: NO_STREAM });
    await seen.until(() => seen.errors.length > 0);
    expectDeleted(seen.errors[0], stream);
  });

  test("a subscription to $all goes on", async () => {
    const seen = server.watch(server.client.subscribeToAll({ fromPosition: END }));
    await seen.until(() => seen.signs.includes("confirmation"));
    const [gone, alive] = [await tombstoned(), newStream()];
    await server.client.appendToStream(alive, event("after"));
    await seen.until(() => seen.of(alive).length === 1);
    expect(seen.of(gone).map((e) => e.type)).toEqual([
      "ConformanceChecked",
      "ConformanceChecked",
      "$streamDeleted",
    ]);
  });
});
