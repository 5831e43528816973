import { randomUUID } from "node:crypto";
import { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { answerBatchAppend, type BatchCall } from "../../../src/eventstore/calls/batchAppend.ts";
import { answerRead } from "../../../src/eventstore/calls/read.ts";
import type { BatchRequest } from "../../../src/eventstore/protocol/batchAppend.ts";
import { checkStreamName } from "../../../src/eventstore/protocol/fields.ts";
import type { Reader } from "../../../src/eventstore/read/reader.ts";
import type { StreamView } from "../../../src/eventstore/read/streamView.ts";
import { createTail } from "../../../src/eventstore/read/tail.ts";
import type { AppendResult } from "../../../src/eventstore/records.ts";
import type { Writer } from "../../../src/eventstore/write/writer.ts";

const MEGABYTE = 1_000_000;

/** An append of about a megabyte. */
const request = (isFinal: boolean): BatchRequest => ({
  correlationId: randomUUID(),
  correlationBytes: Buffer.from([]),
  options: { stream: Buffer.from("s"), expected: { kind: "any" }, deadline: undefined },
  proposed: [
    {
      id: randomUUID(),
      type: "T",
      contentType: "application/json",
      data: Buffer.alloc(MEGABYTE),
      metadata: Buffer.alloc(0),
    },
  ],
  isFinal,
});

/** A call of BatchAppend whose appends are settled by hand. `received` counts those that reached the writer. */
const startCall = (readsResponses = true) => {
  const waiting: ((result: AppendResult) => void)[] = [];
  const writer: Writer = {
    start: async () => undefined,
    stop: async () => undefined,
    append: () => new Promise((resolve) => waiting.push(resolve)),
  };
  const errors: unknown[] = [];
  let resumeReading = (): void => undefined;
  const call = new Duplex({
    objectMode: true,
    highWaterMark: 1,
    read: () => undefined,
    write: (_response, _encoding, done) => {
      if (readsResponses) done();
      else resumeReading = done;
    },
  });
  call.on("error", (error) => errors.push(error));
  answerBatchAppend(writer, call as unknown as BatchCall, new AbortController().signal);
  return {
    call,
    errors,
    received: () => waiting.length,
    settleAll: () => {
      for (const settle of waiting.splice(0)) {
        settle({ kind: "written", revision: 1, position: 1 });
      }
    },
    readResponse: () => resumeReading(),
  };
};

describe("BatchAppend", () => {
  test("pauses a call with 16 MiB of uncommitted appends until they are written", async () => {
    const { call, received, settleAll } = startCall();
    for (let i = 0; i < 60; i += 1) call.push(request(true));
    await vi.waitFor(() => expect(call.isPaused()).toBe(true));
    expect(received()).toBe(17);
    settleAll();
    await vi.waitFor(() => expect(received()).toBe(17));
    expect(call.isPaused()).toBe(true);
    call.destroy();
  });

  test("pauses a call whose caller does not read its responses", async () => {
    const { call, received, settleAll, readResponse } = startCall(false);
    call.push(request(true));
    await vi.waitFor(() => expect(received()).toBe(1));
    settleAll();
    await vi.waitFor(() => expect(call.isPaused()).toBe(true));
    call.push(request(true));
    await delay(20);
    expect(received()).toBe(0);
    readResponse();
    await vi.waitFor(() => expect(received()).toBe(1));
    call.destroy();
  });

  test("ends a call with 64 MiB of appends without a final message", async () => {
    const { call, errors } = startCall();
    for (let i = 0; i < 70; i += 1) call.push(request(false));
    await vi.waitFor(() =>
      expect(errors).toEqual([
        expect.objectContaining({ details: "Too many appends lack their final message" }),
      ]),
    );
    call.destroy();
  });
});

test("skips thousands of events beyond $maxAge in full pages", async () => {
  const asked: number[] = [];
  const view: StreamView = { state: "present", last: 9_999, first: 0, shows: () => false };
  const stream: Reader["stream"] = async (_stream, { from, limit }) => {
    asked.push(limit);
    const next = from + Math.min(limit, 1_000);
    return { view, events: [], next: next > 9_999 ? null : next };
  };
  const reader = { stream } as Reader;
  const gone = new AbortController();
  await answerRead(
    { reader, tail: createTail() },
    {
      source: { kind: "stream", stream: "s" },
      from: "start",
      backwards: false,
      count: 1,
      filter: null,
      resolvesLinks: false,
      ids: "string",
      takesPositions: false,
    },
    { signal: gone.signal, send: () => undefined },
  );
  expect(asked[0]).toBe(1);
  expect(asked).toHaveLength(11);
});

test("refuses a stream name whose decoded text exceeds the limit", () => {
  const long = Buffer.alloc(2_048, 0xff);
  expect(() => checkStreamName(long)).toThrow("2,048 bytes");
  expect(checkStreamName(Buffer.alloc(600, 0xff))).toBe("\ufffd".repeat(600));
  expect(checkStreamName(Buffer.alloc(2_048, 97))).toHaveLength(2_048);
});
