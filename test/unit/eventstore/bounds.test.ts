import { randomUUID } from "node:crypto";
import { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { answerBatchAppend, type BatchCall } from "../../../src/eventstore/calls/batchAppend.ts";
import type { BatchRequest } from "../../../src/eventstore/protocol/batchAppend.ts";
import { answerRead } from "../../../src/eventstore/calls/read.ts";
import type { Reader, StreamView } from "../../../src/eventstore/read/reader.ts";
import type { AppendResult } from "../../../src/eventstore/records.ts";
import { createTail } from "../../../src/eventstore/read/tail.ts";
import { checkStreamName } from "../../../src/eventstore/protocol/fields.ts";
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

/** A call whose caller can be asked how much of what it says has been heard. */
const startCall = (takesAnswers = true) => {
  const waiting: ((result: AppendResult) => void)[] = [];
  const writer: Writer = {
    start: async () => undefined,
    stop: async () => undefined,
    append: () => new Promise((resolve) => waiting.push(resolve)),
  };
  const errors: unknown[] = [];
  let take = (): void => undefined;
  const call = new Duplex({
    objectMode: true,
    highWaterMark: 1,
    read: () => undefined,
    write: (_answer, _encoding, done) => {
      if (takesAnswers) done();
      else take = done;
    },
  });
  call.on("error", (error) => errors.push(error));
  answerBatchAppend(writer, call as unknown as BatchCall, new AbortController().signal);
  return {
    call,
    errors,
    heard: () => waiting.length,
    settleAll: () => {
      for (const settle of waiting.splice(0)) {
        settle({ kind: "written", revision: 1, position: 1 });
      }
    },
    takeAnswer: () => take(),
  };
};

describe("BatchAppend", () => {
  test("given a caller that sends faster than the log commits, when its appends have 16 MiB, then it is not listened to until they are written", async () => {
    const { call, heard, settleAll } = startCall();
    for (let i = 0; i < 60; i += 1) call.push(request(true));
    await vi.waitFor(() => expect(call.isPaused()).toBe(true));
    expect(heard()).toBe(17);
    settleAll();
    await vi.waitFor(() => expect(heard()).toBe(17));
    expect(call.isPaused()).toBe(true);
    call.destroy();
  });

  test("given a caller that does not take its answers, when the first waits, then it is not listened to until it does", async () => {
    const { call, heard, settleAll, takeAnswer } = startCall(false);
    call.push(request(true));
    await vi.waitFor(() => expect(heard()).toBe(1));
    settleAll();
    await vi.waitFor(() => expect(call.isPaused()).toBe(true));
    call.push(request(true));
    await pause(20);
    expect(heard()).toBe(0);
    takeAnswer();
    await vi.waitFor(() => expect(heard()).toBe(1));
    call.destroy();
  });

  test("given a caller that begins appends and finishes none, when they have 64 MiB, then its call ends", async () => {
    const { call, errors } = startCall();
    for (let i = 0; i < 70; i += 1) call.push(request(false));
    await vi.waitFor(() =>
      expect(errors).toEqual([
        expect.objectContaining({ details: "Too many appends were begun and not finished" }),
      ]),
    );
    call.destroy();
  });
});

test("given thousands of events that are too old to be shown, when one event is asked for, then they are passed over in full pages", async () => {
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
    },
    { signal: gone.signal, send: () => undefined },
  );
  expect(asked[0]).toBe(1);
  expect(asked).toHaveLength(11);
});

test("given a name that is no UTF-8, when it would be longer than a name may be once it is text, then it is refused", () => {
  const long = Buffer.alloc(2_048, 0xff);
  expect(() => checkStreamName(long)).toThrow("2,048 bytes");
  expect(checkStreamName(Buffer.alloc(600, 0xff))).toBe("\ufffd".repeat(600));
  expect(checkStreamName(Buffer.alloc(2_048, 97))).toHaveLength(2_048);
});
