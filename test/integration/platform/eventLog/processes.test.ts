import { afterEach, describe, expect, test } from "vitest";
import { connectEventLog } from "../../../../src/platform/eventLog/client.ts";
import { LogUnavailableError } from "../../../../src/platform/eventLog/errors.ts";
import type { RecordedEvent } from "../../../../src/platform/eventLog/port.ts";
import { startTestLog } from "../../../support/log.ts";
import { createTestDatabase } from "../../../support/postgres.ts";
import { appendSurely, collect, freePort, newEvent, runScript, type Script } from "./support.ts";

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

describe("a server that is killed with SIGKILL during appends", () => {
  test("loses nothing that it acknowledged; a subscriber sees every event once, in order", async () => {
    const database = await createTestDatabase();
    cleanUp.push(() => database.drop());
    const port = await freePort();
    let server: Script | null = null;
    const start = async (): Promise<void> => {
      server = runScript("serverProcess.ts", [database.url, String(port)]);
      await server.line("ready");
    };
    const kill = async (): Promise<void> => {
      server?.child.kill("SIGKILL");
      await server?.exited;
    };
    cleanUp.push(kill);
    await start();
    const log = connectEventLog(`esdb://127.0.0.1:${port}?tls=false`);
    cleanUp.push(() => log.close());

    const acknowledged = new Map<string, { stream: string; revision: number }>();
    let writing = true;
    const writers = Array.from({ length: 24 }, async (_, w) => {
      for (let n = 0; writing; n += 1) {
        const stream = `writer-${w}`;
        const event = newEvent({ w, n });
        await appendSurely(log, stream, event, n === 0 ? "no_stream" : BigInt(n - 1));
        acknowledged.set(event.id, { stream, revision: n });
      }
    });

    // A consumer as the projector is one: it resubscribes after the last position that it handled.
    const consumed: RecordedEvent[] = [];
    let consuming = true;
    const consumer = (async () => {
      while (consuming) {
        const subscription = log.subscribeAll({ after: consumed.at(-1)?.position ?? null });
        try {
          for await (const event of subscription) {
            consumed.push(event);
            if (!consuming) break;
          }
        } catch (error) {
          if (!(error instanceof LogUnavailableError)) throw error;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    })();

    for (let round = 0; round < 4; round += 1) {
      const size = acknowledged.size;
      await expect.poll(() => acknowledged.size, { timeout: 40_000 }).toBeGreaterThan(size + 150);
      await kill();
      await start();
    }
    writing = false;
    await Promise.all(writers);

    const all = await collect(log.readAll({ after: null }));
    await expect.poll(() => consumed.length, { timeout: 40_000 }).toBe(all.length);
    consuming = false;
    await log.append("end-1", [newEvent("end")], "any");
    await consumer;

    expect(all.map((e) => e.position)).toEqual(all.map((_, i) => BigInt(i + 1)));
    expect(new Set(all.map((e) => e.id)).size).toBe(all.length);
    expect(consumed.slice(0, all.length).map((e) => e.id)).toEqual(all.map((e) => e.id));
    const stored = new Map(all.map((e) => [e.id, e]));
    for (const [id, { stream, revision }] of acknowledged) {
      expect(stored.get(id)).toMatchObject({ stream, revision: BigInt(revision) });
    }
    // Every append was repeated until it was acknowledged, so there is nothing else either.
    expect(all.length).toBe(acknowledged.size);
  }, 180_000);
});

describe("two client processes", () => {
  test("that compete for one stream both get through, and both end by themselves", async () => {
    const running = await startTestLog();
    cleanUp.push(() => running.stop());
    const share = 60;
    const scripts = ["one", "two"].map((name) =>
      runScript("appenderProcess.ts", [running.logUrl, "contested-1", String(share), name]),
    );
    for (const script of scripts) {
      await script.line("done");
      expect(await script.exited).toEqual({ code: 0, signal: null });
    }
    const events = await collect(running.log.readStream("contested-1"));
    expect(events.map((e) => e.revision)).toEqual(events.map((_, i) => BigInt(i)));
    for (const name of ["one", "two"]) {
      const own = events
        .map((e) => e.data as { name: string; written: number })
        .filter((d) => d.name === name);
      expect(own.map((d) => d.written)).toEqual(Array.from({ length: share }, (_, i) => i));
    }
  }, 120_000);
});
