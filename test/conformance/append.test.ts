import { randomUUID } from "node:crypto";
import {
  ANY,
  binaryEvent,
  DeadlineExceededError,
  type EventStoreDBClient,
  jsonEvent,
  MaxAppendSizeExceededError,
  NO_STREAM,
  STREAM_EXISTS,
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

describe.each(APPEND_METHODS)("appending by $method", ({ method, options }) => {
  const append = (
    stream: string,
    events: Parameters<EventStoreDBClient["appendToStream"]>[1],
    expectedRevision: bigint | typeof ANY | typeof NO_STREAM | typeof STREAM_EXISTS = ANY,
  ) => server.client.appendToStream(stream, events, { ...options, expectedRevision });

  test("starts a new stream at revision 0, with a position", async () => {
    const stream = newStream();
    const result = await append(stream, event({ n: 1 }), NO_STREAM);
    expect(result.success).toBe(true);
    expect(result.nextExpectedRevision).toBe(0n);
    expect(result.position?.commit).toBeTypeOf("bigint");
    const [stored] = await readAllOf(server.client, stream);
    expect(stored).toMatchObject({ streamId: stream, revision: 0n, data: { n: 1 }, isJson: true });
    expect(stored?.position?.commit).toBe(result.position?.commit);
  });

  test("appends several events contiguously and in order, and returns the last revision", async () => {
    const stream = newStream();
    const first = await append(stream, [event(1), event(2), event(3)], NO_STREAM);
    expect(first.nextExpectedRevision).toBe(2n);
    const second = await append(stream, [event(4), event(5)], 2n);
    expect(second.nextExpectedRevision).toBe(4n);
    const stored = await readAllOf(server.client, stream);
    expect(stored.map((e) => [e.revision, e.data])).toEqual([
      [0n, 1],
      [1n, 2],
      [2n, 3],
      [3n, 4],
      [4n, 5],
    ]);
  });

  test("returns increasing positions across streams", async () => {
    const positions: bigint[] = [];
    for (const stream of [newStream(), newStream(), newStream()]) {
      const { position } = await append(stream, event("x"), NO_STREAM);
      positions.push(position?.commit ?? -1n);
    }
    expect([...positions].sort((a, b) => (a < b ? -1 : 1))).toEqual(positions);
    expect(new Set(positions).size).toBe(3);
  });

  describe("expected revision", () => {
    test.each([
      { expected: NO_STREAM, given: 0, fits: true },
      { expected: NO_STREAM, given: 1, fits: false },
      { expected: ANY, given: 0, fits: true },
      { expected: ANY, given: 2, fits: true },
      { expected: STREAM_EXISTS, given: 0, fits: false },
      { expected: STREAM_EXISTS, given: 1, fits: true },
      { expected: 0n, given: 0, fits: false },
      { expected: 0n, given: 1, fits: true },
      { expected: 0n, given: 2, fits: false },
      { expected: 5n, given: 2, fits: false },
    ] as const)(
      "$expected on a stream of $given events is accepted: $fits",
      async ({ expected, given, fits }) => {
        const stream = newStream();
        for (let i = 0; i < given; i += 1) await append(stream, event(i));
        const attempt = append(stream, event("new"), expected);
        if (fits) {
          expect((await attempt).nextExpectedRevision).toBe(BigInt(given));
          return;
        }
        const error = await errorOf(attempt);
        expect(error).toBeInstanceOf(WrongExpectedVersionError);
        expect(error).toMatchObject({
          type: "wrong-expected-version",
          streamName: stream,
          expectedVersion: expected,
          actualVersion: given === 0 ? "no_stream" : BigInt(given - 1),
        });
        if (given > 0) expect(await readAllOf(server.client, stream)).toHaveLength(given);
      },
    );

    test("lets exactly one of many callers with the same expected revision succeed", async () => {
      const stream = newStream();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => append(stream, event(i), NO_STREAM)),
      );
      expect(outcomes.filter((o) => o.status === "fulfilled")).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") {
          expect(outcome.reason).toBeInstanceOf(WrongExpectedVersionError);
        }
      }
      expect(await readAllOf(server.client, stream)).toHaveLength(1);
    });
  });

  describe("a repeated append with the same event ids", () => {
    test("at its expected revision succeeds with the same response and writes nothing", async () => {
      const stream = newStream();
      const events = [event(1), event(2)];
      const first = await append(stream, events, NO_STREAM);
      const again = await append(stream, events, NO_STREAM);
      expect(again.nextExpectedRevision).toBe(first.nextExpectedRevision);
      expect(again.position?.commit).toBe(first.position?.commit);
      expect(await readAllOf(server.client, stream)).toHaveLength(2);
    });

    test("succeeds after other appends to the stream", async () => {
      const stream = newStream();
      await append(stream, event(0), NO_STREAM);
      const events = [event(1), event(2)];
      const first = await append(stream, events, 0n);
      await append(stream, [event(3), event(4)], 2n);
      const again = await append(stream, events, 0n);
      expect(again.nextExpectedRevision).toBe(first.nextExpectedRevision);
      expect(await readAllOf(server.client, stream)).toHaveLength(5);
    });

    test.each([ANY, STREAM_EXISTS] as const)(
      "with %s succeeds and writes nothing",
      async (expected) => {
        const stream = newStream();
        await append(stream, event(0), NO_STREAM);
        const events = [event(1), event(2)];
        const first = await append(stream, events, expected);
        await append(stream, event(3));
        const again = await append(stream, events, expected);
        expect(again.nextExpectedRevision).toBe(first.nextExpectedRevision);
        expect(await readAllOf(server.client, stream)).toHaveLength(4);
      },
    );

    test("at the same time writes the events once", async () => {
      const stream = newStream();
      const events = [event(1), event(2)];
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => append(stream, events, NO_STREAM)),
      );
      expect(new Set(answers.map((a) => a.nextExpectedRevision))).toEqual(new Set([1n]));
      expect(await readAllOf(server.client, stream)).toHaveLength(2);
    });

    test("is a wrong expected version if it contains only some of the events, or more of them", async () => {
      const stream = newStream();
      const [a, b] = [event(1), event(2)];
      await append(stream, [a, b], NO_STREAM);
      await expect(append(stream, [a, event(9)], NO_STREAM)).rejects.toThrow(
        WrongExpectedVersionError,
      );
      await expect(append(stream, [a, b, event(9)], NO_STREAM)).rejects.toThrow(
        WrongExpectedVersionError,
      );
      await expect(append(stream, [b, a], NO_STREAM)).rejects.toThrow(WrongExpectedVersionError);
      await expect(append(stream, [a, event(9)], ANY)).rejects.toThrow(WrongExpectedVersionError);
      expect(await readAllOf(server.client, stream)).toHaveLength(2);
    });

    test("is written again if it expects the current revision", async () => {
      const stream = newStream();
      const repeated = event("again");
      await append(stream, repeated, NO_STREAM);
      expect((await append(stream, repeated, 0n)).nextExpectedRevision).toBe(1n);
    });

    test.each([
      { name: "its first event", from: 0, to: 0, expected: NO_STREAM, last: 0n },
      { name: "its first events", from: 0, to: 3, expected: NO_STREAM, last: 3n },
      { name: "its middle", from: 2, to: 3, expected: 1n, last: 3n },
      { name: "its end", from: 4, to: 5, expected: 3n, last: 5n },
      { name: "its middle, expecting anything", from: 1, to: 2, expected: ANY, last: 2n },
      { name: "its end, expecting it to exist", from: 5, to: 5, expected: STREAM_EXISTS, last: 5n },
    ] as const)(
      "succeeds and writes nothing if it is a part of the first append, $name",
      async ({ from, to, expected, last }) => {
        const stream = newStream();
        const events = eventsOf(0, 5);
        await append(stream, events, NO_STREAM);
        const { nextExpectedRevision } = await append(stream, events.slice(from, to + 1), expected);
        expect(nextExpectedRevision).toBe(last);
        expect(await revisionsOf(server.client, stream)).toEqual(numbers(0, 5));
      },
    );

    test("succeeds and writes nothing if it spans several earlier appends", async () => {
      const stream = newStream();
      const events = eventsOf(0, 5);
      await append(stream, events.slice(0, 2), NO_STREAM);
      await append(stream, events.slice(2, 4), 1n);
      await append(stream, events.slice(4), 3n);
      expect((await append(stream, events, NO_STREAM)).nextExpectedRevision).toBe(5n);
      expect((await append(stream, events.slice(1, 5), 0n)).nextExpectedRevision).toBe(4n);
      expect(await revisionsOf(server.client, stream)).toEqual(numbers(0, 5));
    });

    test("at another expected revision is a wrong expected version", async () => {
      const stream = newStream();
      const events = eventsOf(0, 5);
      await append(stream, events, NO_STREAM);
      for (const expected of [4n, 6n]) {
        expect(await errorOf(append(stream, events.slice(0, 1), expected))).toBeInstanceOf(
          WrongExpectedVersionError,
        );
      }
      expect(await revisionsOf(server.client, stream)).toEqual(numbers(0, 5));
    });

    test("with other data is a repeat and keeps the first data", async () => {
      const stream = newStream();
      const first = event("first");
      await append(stream, first, NO_STREAM);
      await append(stream, { ...event("second"), id: first.id }, NO_STREAM);
      expect((await readAllOf(server.client, stream)).map((e) => e.data)).toEqual(["first"]);
    });

    test("within one append writes the event as often as it is contained", async () => {
      const stream = newStream();
      const same = event("same");
      const { nextExpectedRevision } = await append(stream, [same, same, same], NO_STREAM);
      expect(nextExpectedRevision).toBe(2n);
      const again = await append(stream, [same, same, same], NO_STREAM);
      expect(again.nextExpectedRevision).toBe(2n);
      expect(await revisionsOf(server.client, stream)).toEqual([0, 1, 2]);
    });

    test("to another stream is a separate append", async () => {
      const same = event("shared id");
      const [one, other] = [newStream(), newStream()];
      await append(one, same);
      await append(other, event(0));
      await append(other, same);
      expect(await readAllOf(server.client, one)).toHaveLength(1);
      expect(await readAllOf(server.client, other)).toHaveLength(2);
    });
  });

  describe("preserves the content of an event", () => {
    const text = "zero\u0000 quote\" back\\slash\nline  é 漢字 😀 \ud800 $1 'a'";

    test.each([
      ["null", null],
      ["a string", text],
      ["a number", 1.7976931348623157e308],
      ["nested", { a: [1, { b: null }, "\u0000", ""], "": { "$dollar.dot": true } }],
      ["an empty list", []],
    ])("JSON data: %s", async (_name, data) => {
      const stream = newStream();
      await append(stream, event(data));
      expect((await readAllOf(server.client, stream))[0]?.data).toEqual(data);
    });

    test("order of JSON keys", async () => {
      const stream = newStream();
      await append(stream, event({ z: 1, a: 2, m: 3 }));
      const [stored] = await readAllOf(server.client, stream);
      expect(JSON.stringify(stored?.data)).toBe('{"z":1,"a":2,"m":3}');
    });

    test("metadata, id and type", async () => {
      const stream = newStream();
      const id = randomUUID();
      const metadata = { $correlationId: randomUUID(), text, list: [1, 2] };
      await append(stream, jsonEvent({ id, type: "Größe 漢字 😀", data: {}, metadata }));
      expect((await readAllOf(server.client, stream))[0]).toMatchObject({
        id,
        type: "Größe 漢字 😀",
        metadata,
      });
    });

    test("absent metadata", async () => {
      const stream = newStream();
      await append(stream, event(1));
      expect((await readAllOf(server.client, stream))[0]?.metadata).toBeUndefined();
    });

    test("binary metadata of a JSON event and JSON metadata of a binary event", async () => {
      const stream = newStream();
      const bytes = Uint8Array.from([0, 1, 254, 255]);
      await append(stream, [
        jsonEvent({ type: "Json", data: { a: 1 }, metadata: bytes }),
        binaryEvent({ type: "Bytes", data: bytes, metadata: { a: 1 } }),
      ]);
      const [json, binary] = await readAllOf(server.client, stream);
      expect(json).toMatchObject({ isJson: true, data: { a: 1 } });
      expect(Buffer.from(json?.metadata as Uint8Array)).toEqual(Buffer.from(bytes));
      expect(binary).toMatchObject({ isJson: false, metadata: { a: 1 } });
      expect(Buffer.from(binary?.data as unknown as Uint8Array)).toEqual(Buffer.from(bytes));
    });

    test("an empty binary event", async () => {
      const stream = newStream();
      await append(stream, binaryEvent({ type: "Nothing", data: new Uint8Array() }));
      const [stored] = await readAllOf(server.client, stream);
      expect(stored).toMatchObject({ isJson: false, type: "Nothing" });
      expect(Buffer.from(stored?.data as unknown as Uint8Array)).toHaveLength(0);
    });

    test("events of all kinds in one append", async () => {
      const stream = newStream();
      await append(stream, [
        event({ n: 0 }, "First"),
        binaryEvent({ type: "Second", data: Buffer.from("1") }),
        event([2], "Third"),
      ]);
      const stored = await readAllOf(server.client, stream);
      expect(stored.map((e) => [e.type, e.isJson])).toEqual([
        ["First", true],
        ["Second", false],
        ["Third", true],
      ]);
    });

    test("any bytes of a binary event and its binary metadata", async () => {
      const stream = newStream();
      const data = Uint8Array.from({ length: 256 }, (_, i) => i);
      const metadata = Uint8Array.from([0, 255, 128, 0]);
      await append(stream, binaryEvent({ type: "Bytes", data, metadata }));
      const [stored] = await readAllOf(server.client, stream);
      expect(stored?.isJson).toBe(false);
      expect(Buffer.from(stored?.data as Uint8Array)).toEqual(Buffer.from(data));
      expect(Buffer.from(stored?.metadata as Uint8Array)).toEqual(Buffer.from(metadata));
    });

    test("and adds the creation time of the server", async () => {
      const stream = newStream();
      const before = Date.now();
      await append(stream, event(1));
      const created = (await readAllOf(server.client, stream))[0]?.created.getTime() ?? 0;
      // The server's clock may be another's.
      expect(Math.abs(created - before)).toBeLessThan(60_000);
    });
  });

  test.each(["with space", "漢字-😀-é", "quote'-\"-\\-%-$1", "a very long name ", "UPPER-lower"])(
    "accepts the stream name %j",
    async (suffix) => {
      const stream = `${newStream()}-${suffix.endsWith(" ") ? suffix.repeat(30) : suffix}`;
      await append(stream, event(suffix), NO_STREAM);
      await append(stream, event(suffix), 0n);
      const stored = await readAllOf(server.client, stream);
      expect(stored.map((e) => e.streamId)).toEqual([stream, stream]);
    },
  );

  describe("size limit of an append", () => {
    test("leaves the stream unchanged if exceeded", async () => {
      const stream = newStream();
      await append(stream, event(0), NO_STREAM);
      expect(await errorOf(append(stream, event("x".repeat(2_000_000)), 0n))).toBeInstanceOf(
        MaxAppendSizeExceededError,
      );
      expect((await append(stream, event(1), 0n)).nextExpectedRevision).toBe(1n);
    });

    test("accepts just under 1 MiB in one or many events", async () => {
      const stream = newStream();
      await append(stream, event("x".repeat(1_048_000)), NO_STREAM);
      await append(
        stream,
        Array.from({ length: 100 }, () => event("y".repeat(10_000))),
        0n,
      );
      const stored = await readAllOf(server.client, stream);
      expect(stored).toHaveLength(101);
      expect(stored[0]?.data).toBe("x".repeat(1_048_000));
    });

    test("rejects more than 1 MiB by name and does not affect concurrent appends", async () => {
      const [stream, beside] = [newStream(), newStream()];
      const [tooLarge, several, small] = await Promise.allSettled([
        append(stream, event("x".repeat(1_100_000))),
        append(
          stream,
          Array.from({ length: 12 }, () => event("y".repeat(100_000))),
        ),
        append(beside, event("small")),
      ]);
      for (const refused of [tooLarge, several]) {
        expect(refused).toMatchObject({
          status: "rejected",
          reason: { type: "maximum-append-size-exceeded", maxAppendSize: 1_048_576 },
        });
        if (refused?.status === "rejected") {
          expect(refused.reason).toBeInstanceOf(MaxAppendSizeExceededError);
        }
      }
      expect(small?.status).toBe("fulfilled");
      expect(await readAllOf(server.client, beside)).toHaveLength(1);
    });
  });

  test.each([NO_STREAM, ANY] as const)(
    "an empty append with the expected revision %s creates no stream",
    async (expected) => {
      const stream = newStream();
      await append(stream, [], expected);
      await append(stream, [], expected);
      expect(await errorOf(readAllOf(server.client, stream))).toBeInstanceOf(StreamNotFoundError);
      expect((await append(stream, event(0), NO_STREAM)).nextExpectedRevision).toBe(0n);
    },
  );

  test("an empty append at the wrong revision is a wrong expected version", async () => {
    const stream = newStream();
    await append(stream, eventsOf(0, 2), NO_STREAM);
    for (const expected of [NO_STREAM, 0n, 7n] as const) {
      expect(await errorOf(append(stream, [], expected))).toBeInstanceOf(WrongExpectedVersionError);
    }
  });

  test("appends a large batch of small events atomically", async () => {
    const stream = newStream();
    const result = await append(stream, eventsOf(0, 2_499), NO_STREAM);
    expect(result.nextExpectedRevision).toBe(2_499n);
    const stored = await readAllOf(server.client, stream);
    expect(stored.map((e) => e.data)).toEqual(numbers(0, 2_499));
    expect(stored.at(-1)?.position?.commit).toBe(positionOf(result).commit);
  });

  test("appends events from several messages atomically", async () => {
    const stream = newStream();
    const events = numbers(0, 99).map((n) => event({ n, text: "y".repeat(200) }));
    const sent = { ...options, expectedRevision: NO_STREAM, batchAppendSize: 1_000 } as const;
    const result = await server.client.appendToStream(stream, events, sent);
    expect(result.nextExpectedRevision).toBe(99n);
    expect(await revisionsOf(server.client, stream)).toEqual(numbers(0, 99));
    const again = await server.client.appendToStream(stream, events, sent);
    expect(again.nextExpectedRevision).toBe(99n);
  });

  test("is written before its deadline or reports that the deadline has passed", async () => {
    const stream = newStream();
    const outcomes = await Promise.all(
      numbers(0, 9).map((n) =>
        server.client
          .appendToStream(stream, event(n), { ...options, deadline: 1 })
          .catch((error: unknown) => error),
      ),
    );
    const written = outcomes.filter((outcome) => !(outcome instanceof Error));
    for (const outcome of outcomes) {
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(DeadlineExceededError);
    }
    await append(stream, event("later"));
    const stored = await readAllOf(server.client, stream);
    // A late append may still be written; an acknowledged one is.
    expect(stored.length).toBeGreaterThan(written.length);
    expect(stored.some((e) => (e.data as unknown) === "later")).toBe(true);
  });

  test("an empty append returns the current revision", async () => {
    const stream = newStream();
    await append(stream, [event(1), event(2)], NO_STREAM);
    expect((await append(stream, [], 1n)).nextExpectedRevision).toBe(1n);
    expect(await readAllOf(server.client, stream)).toHaveLength(2);
  });

  test("answers each of many concurrent appends", async () => {
    const streams = Array.from({ length: 30 }, newStream);
    const answers = await Promise.all(
      Array.from({ length: 600 }, (_, i) => append(streams[i % 30] ?? "", event(i))),
    );
    expect(new Set(answers.map((a) => a.position?.commit)).size).toBe(600);
    for (const [index, stream] of streams.entries()) {
      const stored = await readAllOf(server.client, stream);
      expect(stored.map((e) => e.revision)).toEqual(
        Array.from({ length: 20 }, (_, i) => BigInt(i)),
      );
      // Calls of Append overtake each other; BatchAppend is one stream, and keeps the order of its caller.
      const data = stored.map((e) => e.data as unknown as number);
      const inOrder = Array.from({ length: 20 }, (_, i) => i * 30 + index);
      expect(method === "BatchAppend" ? data : data.sort((a, b) => a - b)).toEqual(inOrder);
    }
  });
});
