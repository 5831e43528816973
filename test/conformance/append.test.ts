import { randomUUID } from "node:crypto";
import {
  ANY,
  binaryEvent,
  jsonEvent,
  MaxAppendSizeExceededError,
  NO_STREAM,
  STREAM_EXISTS,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  event,
  newStream,
  readAllOf,
  type ServerUnderTest,
  startServerUnderTest,
  WAYS,
} from "./support.ts";

let server: ServerUnderTest;
beforeAll(async () => {
  server = await startServerUnderTest();
});
afterAll(() => server.stop());

describe.each(WAYS)("appending by $way", ({ way, options }) => {
  const append = (
    stream: string,
    events: Parameters<typeof server.client.appendToStream>[1],
    expectedRevision: bigint | typeof ANY | typeof NO_STREAM | typeof STREAM_EXISTS = ANY,
  ) => server.client.appendToStream(stream, events, { ...options, expectedRevision });

  test("given a new stream, the first event has revision 0 and a position", async () => {
    const stream = newStream();
    const result = await append(stream, event({ n: 1 }), NO_STREAM);
    expect(result.success).toBe(true);
    expect(result.nextExpectedRevision).toBe(0n);
    expect(result.position?.commit).toBeTypeOf("bigint");
    const [stored] = await readAllOf(server.client, stream);
    expect(stored).toMatchObject({ streamId: stream, revision: 0n, data: { n: 1 }, isJson: true });
    expect(stored?.position?.commit).toBe(result.position?.commit);
  });

  test("several events of one append stand together, in order, and the last revision comes back", async () => {
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

  test("positions grow from append to append, whatever the stream", async () => {
    const positions: bigint[] = [];
    for (const stream of [newStream(), newStream(), newStream()]) {
      const { position } = await append(stream, event("x"), NO_STREAM);
      positions.push(position?.commit ?? -1n);
    }
    expect([...positions].sort((a, b) => (a < b ? -1 : 1))).toEqual(positions);
    expect(new Set(positions).size).toBe(3);
  });

  describe("the expected revision", () => {
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
      "$expected on a stream of $given events fits: $fits",
      async ({ expected, given, fits }) => {
        const stream = newStream();
        for (let i = 0; i < given; i += 1) await append(stream, event(i));
        const attempt = append(stream, event("new"), expected);
        if (fits) {
          expect((await attempt).nextExpectedRevision).toBe(BigInt(given));
          return;
        }
        const error = await attempt.then(
          () => null,
          (e: unknown) => e,
        );
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

    test("of many callers with the same expected revision exactly one succeeds", async () => {
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

  describe("an append that is repeated with the same ids", () => {
    test("at its expected revision succeeds again, with the same answer, and writes nothing", async () => {
      const stream = newStream();
      const events = [event(1), event(2)];
      const first = await append(stream, events, NO_STREAM);
      const again = await append(stream, events, NO_STREAM);
      expect(again.nextExpectedRevision).toBe(first.nextExpectedRevision);
      expect(again.position?.commit).toBe(first.position?.commit);
      expect(await readAllOf(server.client, stream)).toHaveLength(2);
    });

    test("succeeds again when others have written after it", async () => {
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
      "with %s succeeds again and writes nothing",
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

    test("at the same time, the events are there once", async () => {
      const stream = newStream();
      const events = [event(1), event(2)];
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => append(stream, events, NO_STREAM)),
      );
      expect(new Set(answers.map((a) => a.nextExpectedRevision))).toEqual(new Set([1n]));
      expect(await readAllOf(server.client, stream)).toHaveLength(2);
    });

    test("in part only, or with more behind it, is a wrong expected version", async () => {
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

    test("at the new head is written again: the expected revision rules", async () => {
      const stream = newStream();
      const repeated = event("again");
      await append(stream, repeated, NO_STREAM);
      expect((await append(stream, repeated, 0n)).nextExpectedRevision).toBe(1n);
    });

    test("to another stream is an append of its own", async () => {
      const same = event("shared id");
      const [one, other] = [newStream(), newStream()];
      await append(one, same);
      await append(other, event(0));
      await append(other, same);
      expect(await readAllOf(server.client, one)).toHaveLength(1);
      expect(await readAllOf(server.client, other)).toHaveLength(2);
    });
  });

  describe("what an event carries comes back as it was", () => {
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

    test("key order is kept", async () => {
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

    test("every byte of a binary event, and its binary metadata", async () => {
      const stream = newStream();
      const data = Uint8Array.from({ length: 256 }, (_, i) => i);
      const metadata = Uint8Array.from([0, 255, 128, 0]);
      await append(stream, binaryEvent({ type: "Bytes", data, metadata }));
      const [stored] = await readAllOf(server.client, stream);
      expect(stored?.isJson).toBe(false);
      expect(Buffer.from(stored?.data as Uint8Array)).toEqual(Buffer.from(data));
      expect(Buffer.from(stored?.metadata as Uint8Array)).toEqual(Buffer.from(metadata));
    });

    test("when it was written: the time of the server", async () => {
      const stream = newStream();
      const before = Date.now();
      await append(stream, event(1));
      const created = (await readAllOf(server.client, stream))[0]?.created.getTime() ?? 0;
      // The server's clock may be another's.
      expect(Math.abs(created - before)).toBeLessThan(60_000);
    });
  });

  test.each(["with space", "漢字-😀-é", "quote'-\"-\\-%-$1", "a very long name ", "UPPER-lower"])(
    "a stream may be called %j",
    async (suffix) => {
      const stream = `${newStream()}-${suffix.endsWith(" ") ? suffix.repeat(30) : suffix}`;
      await append(stream, event(suffix), NO_STREAM);
      await append(stream, event(suffix), 0n);
      const stored = await readAllOf(server.client, stream);
      expect(stored.map((e) => e.streamId)).toEqual([stream, stream]);
    },
  );

  describe("the size of an append", () => {
    test("just under 1 MiB fits, in one event or in many", async () => {
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

    test("above 1 MiB is refused by name, and what is appended beside it is not disturbed", async () => {
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

  test("an append of nothing says where the stream is", async () => {
    const stream = newStream();
    await append(stream, [event(1), event(2)], NO_STREAM);
    expect((await append(stream, [], 1n)).nextExpectedRevision).toBe(1n);
    expect(await readAllOf(server.client, stream)).toHaveLength(2);
  });

  test("many appends at once all get their own answer", async () => {
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
      expect(way === "BatchAppend" ? data : data.sort((a, b) => a - b)).toEqual(inOrder);
    }
  });
});
