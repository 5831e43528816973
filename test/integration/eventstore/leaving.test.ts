import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import type { EventLog, RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { newEvent, runScript, type Script } from "./support.ts";

/** A server in a process of its own: it has answered a read in full before the reader has left it. */
describe("reads that are stopped early", () => {
  let database: TestDatabase;
  let server: Script;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = runScript("serverProcess.ts", [database.url, "0"]);
    url = (await server.line("ready")).split(" ").at(-1) ?? "";
    const log = connectEventLog(url);
    const events = Array.from({ length: 60 }, (_, n) => newEvent({ n, text: "x".repeat(2_000) }));
    await log.append("long", events, "no_stream");
    await log.close();
  });
  afterAll(async () => {
    server.child.kill("SIGKILL");
    await server.exited;
    await database.drop();
  });

  const leave = async (events: AsyncIterable<RecordedEvent>) => {
    for await (const _ of events) return;
  };
  const ways: readonly (readonly [string, (log: EventLog) => Promise<unknown>])[] = [
    ["a read of one event", (log) => leave(log.readStream("long", { limit: 1 }))],
    ["a read of a whole stream", (log) => leave(log.readStream("long"))],
    ["a read backwards", (log) => leave(log.readStreamBackwards("long"))],
    ["a read of $all", (log) => leave(log.readAll({ after: null }))],
    ["the head", (log) => log.head()],
  ];

  test.each(ways)(
    "%s leaves nothing open that prevents the client from closing",
    async (_, look) => {
      const log = connectEventLog(url);
      for (let n = 0; n < 20; n += 1) await look(log);
      let isClosed = false;
      const closing = log.close().then(() => {
        isClosed = true;
      });
      await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, 1_500))]);
      expect(isClosed).toBe(true);
    },
  );

  test("the head is the position of the newest event", async () => {
    const log = connectEventLog(url);
    const { position } = await log.append("other", [newEvent({})], "any");
    expect(await log.head()).toBe(position);
    await log.close();
  });
});
