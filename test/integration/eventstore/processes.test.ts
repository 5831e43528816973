import { afterEach, describe, expect, test } from "vitest";
import { startTestLog } from "../../support/log.ts";
import { collect, runScript } from "./support.ts";

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

describe("two client processes", () => {
  test("compete for one stream without losing events and exit by themselves", async () => {
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
