import { deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFrameReader, frameAll } from "../../../src/eventstore/grpc/frames.ts";

const MAX_BYTES = 1_000;

const packed = (bytes: Buffer): Buffer => {
  const frame = frameAll([bytes], bytes.length);
  frame[0] = 1;
  return frame;
};

const read = (piece: Buffer, encoding = "identity") =>
  createFrameReader(MAX_BYTES, encoding)(piece).map((message) => message.toString());

describe("gRPC frames", () => {
  test("are decoded independently of the chunks of the stream", () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 });
    const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(messages, cuts, (sent, lengths) => {
        const wire = frameAll(
          sent,
          sent.reduce((sum, { length }) => sum + length, 0),
        );
        const reader = createFrameReader(MAX_BYTES, "identity");
        const got: Buffer[] = [];
        for (let at = 0, n = 0; at < wire.length; n += 1) {
          const length = lengths[n % lengths.length] ?? 1;
          got.push(...reader(wire.subarray(at, at + length)));
          at += length;
        }
        expect(got.map((message) => [...message])).toEqual(sent.map((message) => [...message]));
      }),
    );
  });

  test("support the offered compressions", () => {
    const text = Buffer.from("a".repeat(500));
    expect(read(packed(gzipSync(text)), "gzip")).toEqual([text.toString()]);
    expect(read(packed(deflateSync(text)), "deflate")).toEqual([text.toString()]);
    expect(() => read(packed(text), "snappy")).toThrow("not supported");
    expect(() => read(packed(text), "gzip")).toThrow("decompressed");
  });

  test("are refused by their declared length and by their decompressed length", () => {
    const head = Buffer.from([0, 0, 0, 4, 0]);
    expect(() => read(head)).toThrow("exceeds the limit");
    expect(() => read(packed(gzipSync(Buffer.alloc(MAX_BYTES + 1))), "gzip")).toThrow(
      "exceeds the limit",
    );
  });
});
