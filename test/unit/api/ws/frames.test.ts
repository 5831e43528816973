import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { frameText } from "../../../../src/api/ws/frames.ts";

/** What a real client makes of bytes that a server sends. */
const received = (frame: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const stream = new PassThrough();
    // The constructor without an address makes a socket that is handed its stream, as the server does it.
    const client = new WebSocket(null as unknown as string, undefined, {});
    const internals = client as unknown as {
      _isServer: boolean;
      setSocket(stream: PassThrough, head: Buffer, options: { maxPayload: number }): void;
    };
    internals._isServer = false;
    Object.assign(stream, { setTimeout: () => undefined, setNoDelay: () => undefined });
    client.on("message", (data, isBinary) => {
      if (isBinary) reject(new Error("binary"));
      else resolve(data.toString());
    });
    client.on("error", reject);
    internals.setSocket(stream, Buffer.alloc(0), { maxPayload: 0 });
    stream.write(frame);
  });

describe("a shared WebSocket frame", () => {
  test.each([0, 1, 125, 126, 65_535, 65_536, 100_000])(
    "with %i characters is decoded by a client",
    async (length) => {
      const text = "x".repeat(length);
      expect(await received(frameText(text))).toBe(text);
    },
  );

  test("with multi-byte characters is decoded by a client", async () => {
    const text = '{"error":"Ünïcödé – ✓ 🎭"}';
    expect(await received(frameText(text))).toBe(text);
  });
});
