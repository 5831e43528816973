import { Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { EventStoreDBClient } from "@eventstore/db-client";
import { expect, test, vi } from "vitest";
import { watchBackpressure } from "../../../../src/platform/eventLog/backpressure.ts";

/** A client as far as its calls go. */
const clientOf = (calls: unknown): EventStoreDBClient =>
  ({ disposableStreams: calls }) as unknown as EventStoreDBClient;

/** A call that passes nothing on. */
const stuckCall = (): Writable =>
  new Writable({ objectMode: true, highWaterMark: 2, write: () => undefined });

test.each([
  ["no calls that can be found", undefined],
  ["its calls in another form", []],
  ["no call yet", new Set()],
  ["a call that takes nothing", new Set([{}])],
  ["more than one call", new Set([stuckCall(), stuckCall()])],
])("admits the buffer size of a new stream for a client with %s", (_name, calls) => {
  const room = watchBackpressure(clientOf(calls), () => undefined);
  expect(room.hasRoom(14)).toBe(true);
  expect(room.hasRoom(15)).toBe(false);
});

test("counts events of a replaced call until the next turn", async () => {
  const full = stuckCall();
  const calls = new Set([full]);
  const onRoom = vi.fn();
  const room = watchBackpressure(clientOf(calls), onRoom);
  full.write("a");
  full.write("b");
  expect(room.hasRoom(2)).toBe(false);

  calls.clear();
  calls.add(stuckCall());

  expect(room.hasRoom(2)).toBe(false);
  await turn();
  await turn();
  expect(onRoom).toHaveBeenCalled();
  expect(room.hasRoom(2)).toBe(true);
});

test("notifies waiting callers if a full call breaks", async () => {
  const full = stuckCall();
  full.on("error", () => undefined);
  const onRoom = vi.fn();
  const room = watchBackpressure(clientOf(new Set([full])), onRoom);
  full.write("a");
  full.write("b");
  room.hasRoom(2);
  await turn();
  await turn();
  room.hasRoom(2);
  onRoom.mockClear();

  full.destroy(new Error("cut"));
  await turn();

  expect(onRoom).toHaveBeenCalledTimes(1);
});
