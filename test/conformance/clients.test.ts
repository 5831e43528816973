import {
  ANY,
  type AppendResult,
  BACKWARDS,
  END,
  NO_STREAM,
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
  positionOf,
  readAllOf,
  revisionsOf,
  useServer,
} from "./support.ts";

const server = useServer();

describe("several clients", () => {
  test("read each other's appends at once", async () => {
    const others = [server.connect(), server.connect()];
    const stream = newStream();
    let revision: bigint | typeof NO_STREAM = NO_STREAM;
    for (const n of numbers(0, 8)) {
      const writer = [server.client, ...others][n % 3] ?? server.client;
      const appended: AppendResult = await writer.appendToStream(stream, event(n), {
        expectedRevision: revision,
      });
      revision = appended.nextExpectedRevision;
      for (const reader of [server.client, ...others]) {
        expect(await revisionsOf(reader, stream)).toEqual(numbers(0, n));
      }
    }
  });

  test("receive each other's appends in subscriptions", async () => {
    const other = server.connect();
    const stream = newStream();
    const seen = server.watch(other.subscribeToAll({ fromPosition: END }));
    await seen.until(() => seen.signs.includes("confirmation"));
    await server.client.appendToStream(stream, eventsOf(0, 4));
    await seen.until(() => seen.of(stream).length >= 5);
    expect(seen.of(stream).map((e) => e.data)).toEqual(numbers(0, 4));
  });

  test("compete for a stream without losing events", async () => {
    const clients = [server.client, server.connect(), server.connect(), server.connect()];
    const stream = newStream();
    const share = 8;
    await Promise.all(
      clients.map(async (own, who) => {
        for (let n = 0; n < share; ) {
          const [last] = await readAllOf(own, stream, {
            direction: BACKWARDS,
            fromRevision: END,
            maxCount: 1,
          }).catch((error: unknown) => {
            if (error instanceof StreamNotFoundError) return [];
            throw error;
          });
          try {
            await own.appendToStream(stream, event({ who, n }), {
              expectedRevision: last?.revision ?? NO_STREAM,
            });
            n += 1;
          } catch (error) {
            if (!(error instanceof WrongExpectedVersionError)) throw error;
          }
        }
      }),
    );
    const stored = await readAllOf(server.client, stream);
    expect(stored.map((e) => Number(e.revision))).toEqual(numbers(0, 4 * share - 1));
    for (const who of numbers(0, 3)) {
      const own = stored.map((e) => e.data as unknown as { who: number; n: number });
      expect(own.filter((d) => d.who === who).map((d) => d.n)).toEqual(numbers(0, share - 1));
    }
  });

  test("are not affected if another client is disposed of", async () => {
    const [closed, stays] = [server.connect(), server.connect()];
    const stream = newStream();
    await closed.appendToStream(stream, event(0));
    const seen = server.watch(stays.subscribeToStream(stream));
    await seen.until(() => seen.of().length === 1);
    await closed.dispose();
    await stays.appendToStream(stream, event(1));
    await seen.until(() => seen.of().length === 2);
    expect(await revisionsOf(stays, stream)).toEqual([0, 1]);
  });

  test("repeat each other's appends without writing twice", async () => {
    const other = server.connect();
    const stream = newStream();
    const events = eventsOf(0, 2);
    const first = await server.client.appendToStream(stream, events, {
      expectedRevision: NO_STREAM,
    });
    const again = await other.appendToStream(stream, events, { expectedRevision: NO_STREAM });
    expect(again.nextExpectedRevision).toBe(first.nextExpectedRevision);
    expect(await revisionsOf(server.client, stream)).toEqual([0, 1, 2]);
  });
});

describe("a client", () => {
  test("sends a connection name", async () => {
    const named = server.connect("connectionName=the-conformance-suite");
    const stream = newStream();
    await named.appendToStream(stream, event(0));
    expect(await revisionsOf(named, stream)).toEqual([0]);
  });

  test("can require the leader", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, event(0), { requiresLeader: true });
    expect(await revisionsOf(server.client, stream, { requiresLeader: true })).toEqual([0]);
  });

  describe.each(APPEND_METHODS)(
    "with throwOnAppendFailure disabled, by $method",
    ({ method, options }) => {
      test("receives a response for a wrong expected revision instead of an error", async () => {
        const mild = server.connect("throwOnAppendFailure=false");
        const stream = newStream();
        await mild.appendToStream(stream, eventsOf(0, 2), options);
        const result = await mild.appendToStream(stream, event(3), {
          ...options,
          expectedRevision: 7n,
        });
        expect(result.success).toBe(false);
        expect(result.position).toBeUndefined();
        // After BatchAppend, the client computes the revision itself.
        if (method === "Append") expect(result.nextExpectedRevision).toBe(2n);
        expect(await revisionsOf(mild, stream)).toEqual([0, 1, 2]);
        const good = await mild.appendToStream(stream, event(3), {
          ...options,
          expectedRevision: 2n,
        });
        expect(good).toMatchObject({ success: true, nextExpectedRevision: 3n });
      });
    },
  );

  test("continues after every kind of error", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, event(0));
    for (const _ of numbers(1, 5)) {
      const attempts: Promise<unknown>[] = [
        errorOf(server.client.appendToStream(stream, event(1), { expectedRevision: 9n })),
        errorOf(readAllOf(server.client, newStream())),
        errorOf(server.client.deleteStream(stream, { expectedRevision: 9n })),
        errorOf(server.client.tombstoneStream(stream, { expectedRevision: 9n })),
        errorOf(server.client.appendToStream(stream, event("x".repeat(1_100_000)))),
      ];
      const errors = await Promise.all(attempts);
      expect(errors.map((error) => (error as { type: string }).type)).toEqual([
        "wrong-expected-version",
        "stream-not-found",
        "wrong-expected-version",
        "wrong-expected-version",
        "maximum-append-size-exceeded",
      ]);
    }
    const { nextExpectedRevision } = await server.client.appendToStream(stream, event(1), {
      expectedRevision: 0n,
    });
    expect(nextExpectedRevision).toBe(1n);
  });

  test("receives positions that can be compared", async () => {
    const stream = newStream();
    const before = positionOf(await server.client.appendToStream(stream, event(0)));
    const metadata = positionOf(await server.client.setStreamMetadata(stream, { n: 1 }));
    const deleted = positionOf(await server.client.deleteStream(stream));
    const after = positionOf(
      await server.client.appendToStream(stream, event(1), { expectedRevision: ANY }),
    );
    const positions = [before, metadata, deleted, after].map((p) => p.commit);
    expect([...positions].sort((a, b) => (a < b ? -1 : 1))).toEqual(positions);
    expect(new Set(positions).size).toBe(4);
  });
});
