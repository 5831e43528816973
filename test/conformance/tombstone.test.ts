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
  test("has a position after the last event of the stream", async () => {
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
  ] as const)("makes a read with $options report a deleted stream", async ({ options }) => {
    const stream = await tombstoned();
    expectDeleted(await errorOf(readAllOf(server.client, stream, options)), stream);
  });

  test("can follow a soft deletion", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 1));
    await server.client.deleteStream(stream);
    await server.client.tombstoneStream(stream);
    expectDeleted(await errorOf(readAllOf(server.client, stream)), stream);
  });

  test("can follow a reopened stream", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, event(0));
    await server.client.deleteStream(stream);
    await server.client.appendToStream(stream, event(1));
    await server.client.tombstoneStream(stream, { expectedRevision: 1n });
    expectDeleted(await errorOf(readAllOf(server.client, stream)), stream);
  });

  test("does not affect streams with the same prefix", async () => {
    const stream = newStream();
    const longer = `${stream}-more`;
    await server.client.appendToStream(stream, event(0));
    await server.client.appendToStream(longer, eventsOf(0, 2));
    await server.client.tombstoneStream(stream);
    expect(await revisionsOf(server.client, longer)).toEqual([0, 1, 2]);
  });

  test("is included in $all as a system event after the stream's events", async () => {
    const stream = newStream();
    const first = positionOf(await server.client.appendToStream(stream, event(0)));
    await server.client.tombstoneStream(stream);
    const last = positionOf(await server.client.appendToStream(newStream(), event("end")));
    const found = await ofAllBetween(server.client, first, last, [stream]);
    expect(found.map((e) => e.event?.type)).toEqual(["ConformanceChecked", "$streamDeleted"]);
  });

  describe("expected revision of a tombstone", () => {
    test.each([
      { given: 3, expected: ANY },
      { given: 3, expected: 2n },
      { given: 0, expected: ANY },
      { given: 0, expected: NO_STREAM },
    ] as const)("$expected on $given events is accepted", async ({ given, expected }) => {
      const stream = newStream();
      if (given > 0) await server.client.appendToStream(stream, eventsOf(0, given - 1));
      await server.client.tombstoneStream(stream, { expectedRevision: expected });
      expectDeleted(await errorOf(readAllOf(server.client, stream)), stream);
    });

    test.each([
      { given: 3, expected: 1n },
      { given: 3, expected: 5n },
      { given: 1, expected: 1n },
    ])("$expected on $given events is a wrong expected version", async ({ given, expected }) => {
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
    ] as const)(
      "$expected on $given events is a wrong expected version",
      async ({ given, expected }) => {
        const stream = newStream();
        if (given > 0) await server.client.appendToStream(stream, eventsOf(0, given - 1));
        const error = await errorOf(
          server.client.tombstoneStream(stream, { expectedRevision: expected }),
        );
        expect(error).toBeInstanceOf(WrongExpectedVersionError);
        expect(error).toMatchObject({ streamName: stream });
      },
    );
  });

  test("is written once by many concurrent callers", async () => {
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

  test("is written before its deadline or reports that the deadline has passed", async () => {
    const stream = newStream();
    const outcome = await server.client
      .tombstoneStream(stream, { deadline: 1 })
      .catch((e: unknown) => e);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(DeadlineExceededError);
    await server.client.appendToStream(newStream(), event(0));
  });
});

describe("a tombstoned stream", () => {
  describe.each(APPEND_METHODS)("$method", ({ options }) => {
    test.each([ANY, NO_STREAM, STREAM_EXISTS, 1n, 7n] as const)(
      "expecting %s reports a deleted stream",
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

    test("does not affect concurrent appends to other streams", async () => {
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

  test("cannot be tombstoned again", async () => {
    const stream = await tombstoned();
    expectDeleted(await errorOf(server.client.tombstoneStream(stream)), stream);
    expectDeleted(
      await errorOf(server.client.tombstoneStream(stream, { expectedRevision: NO_STREAM })),
      stream,
    );
  });

  test("cannot be deleted", async () => {
    const stream = await tombstoned();
    expectDeleted(await errorOf(server.client.deleteStream(stream)), stream);
  });

  test("has no metadata", async () => {
    const stream = newStream();
    await server.client.setStreamMetadata(stream, { maxCount: 5 });
    await server.client.appendToStream(stream, event(0));
    await server.client.tombstoneStream(stream);
    expectDeleted(await errorOf(server.client.getStreamMetadata(stream)), `$$${stream}`);
  });

  test("accepts no metadata", async () => {
    const stream = await tombstoned();
    expect(await errorOf(server.client.setStreamMetadata(stream, { maxCount: 5 }))).toBeInstanceOf(
      StreamDeletedError,
    );
  });

  test("ends a new subscription with an error", async () => {
    const stream = await tombstoned();
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.errors.length > 0);
    expectDeleted(seen.errors[0], stream);
    expect(seen.of()).toEqual([]);
  });

  test("sends a live subscription the tombstone's event, then the error", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 2));
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.of().length === 3);
    await server.client.tombstoneStream(stream);
    await seen.until(() => seen.errors.length > 0);
    expectDeleted(seen.errors[0], stream);
    expect(seen.of().map((e) => e.type)).toEqual([
      ...Array.from({ length: 3 }, () => "ConformanceChecked"),
      "$streamDeleted",
    ]);
  });

  test("ends a waiting subscription", async () => {
    const stream = newStream();
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.signs.includes("confirmation"));
    await server.client.tombstoneStream(stream, { expectedRevision: NO_STREAM });
    await seen.until(() => seen.errors.length > 0);
    expectDeleted(seen.errors[0], stream);
  });

  test("does not end a subscription to $all", async () => {
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
