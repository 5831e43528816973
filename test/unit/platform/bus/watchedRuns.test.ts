import { describe, expect, it } from "vitest";
import { inProcessBus } from "../../../../src/platform/bus/inProcess.ts";
import { announceWatcher, trackWatchedRuns } from "../../../../src/platform/bus/watchedRuns.ts";
import { eventually } from "../../../support/client.ts";

describe("watched runs", () => {
  it("announce each newly watched run once", async () => {
    const bus = inProcessBus();
    const stopping = new AbortController();
    const begun: string[] = [];
    const watched = trackWatchedRuns({
      ...{ bus, signal: stopping.signal },
      onBegin: (runId) => void begun.push(runId),
    });
    expect(watched.isWatched("one")).toBe(false);
    announceWatcher(bus, "one");
    announceWatcher(bus, "one");
    announceWatcher(bus, "two");
    await eventually(
      async () => begun,
      (all) => all.includes("two"),
    );
    expect(begun).toEqual(["one", "two"]);
    expect([watched.isWatched("one"), watched.isWatched("three")]).toEqual([true, false]);
    stopping.abort();
    await watched.ended;
    await bus.close();
  });
});
