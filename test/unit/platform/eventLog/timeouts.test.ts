import { expect, test } from "vitest";
import type { EventLog } from "../../../../src/platform/eventLog/port.ts";
import { eventLogWithTimeouts } from "../../../../src/platform/eventLog/timeouts.ts";
import { untrackedParts } from "../../../../src/platform/partHealth.ts";

/** A client whose every call is silent, or answered at once, and which is closed when it is told to be. */
const clientOf = (isSilent: boolean) => {
  let close: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const appended: string[] = [];
  const never = new Promise<never>(() => undefined);
  const log = {
    append: async (stream: string) => {
      appended.push(stream);
      return { revision: 0n, position: 1n };
    },
    head: () => (isSilent ? never : Promise.resolve(1n)),
    close: () => closed,
  } as unknown as EventLog;
  return { log, close, appended };
};

test("waits for the disposed client to end before the next one appends", async () => {
  const [silent, next] = [clientOf(true), clientOf(false)];
  const clients = [silent, next];
  const connect = (): EventLog => {
    const client = clients.shift();
    if (!client) throw new Error("There is no other client");
    return client.log;
  };
  const log = eventLogWithTimeouts({ connect, parts: untrackedParts, answerMs: 20 });
  await expect(log.head()).rejects.toThrow("event log");
  const appending = log.append("s-1", [], "any");
  // Whatever waits for nothing has had its turn by then.
  await new Promise((resolve) => setImmediate(resolve));
  expect(next.appended).toEqual([]);
  silent.close();
  expect(await appending).toEqual({ revision: 0n, position: 1n });
  expect([silent.appended, next.appended]).toEqual([[], ["s-1"]]);
  next.close();
  await log.close();
});
