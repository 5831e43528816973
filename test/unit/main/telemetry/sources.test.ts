import { describe, expect, it } from "vitest";
import { createInstruments } from "../../../../src/main/telemetry/instruments.ts";
import { readScrapeSources, type Sources } from "../../../../src/main/telemetry/sources.ts";

const GAUGES = [
  "runledger_queue_waiting",
  "runledger_queue_oldest_seconds",
  "runledger_webhooks_open",
  "runledger_webhooks_oldest_seconds",
  "runledger_log_position",
  "runledger_projection_lag_seconds",
];

describe("the sources of a scrape", () => {
  const told = async (sources: Partial<Sources>): Promise<readonly string[]> => {
    const instruments = createInstruments();
    const none = {
      log: {} as Sources["log"],
      projections: null,
      audit: null,
      queue: null,
      webhooks: null,
    };
    await readScrapeSources(instruments, { ...none, ...sources });
    const text = await instruments.registry.metrics();
    return GAUGES.filter((name) => new RegExp(`^${name}[ {]`, "m").test(text));
  };

  it("exports no value for sources of other roles", async () => {
    expect(await told({})).toEqual([]);
  });

  it("exports queue and webhook metrics in a dispatcher, also if they are empty", async () => {
    const countWaiting = async () => ({ count: 0, oldestSeconds: 0 });
    const countOpen = async () => ({ count: 2, oldestSeconds: 7 });
    expect(await told({ queue: { countWaiting }, webhooks: { countOpen } })).toEqual(
      GAUGES.slice(0, 4),
    );
  });
});
