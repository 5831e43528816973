import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PartUnavailableError } from "../../../src/platform/partHealth.ts";
import type { RunTest } from "../../../src/workers/runs/runTest.ts";
import { eventually } from "../../support/client.ts";
import { type Deployment, passing, startDeployment } from "./deployment.ts";

/** A test that leaves a console besides its pictures. */
const talking: RunTest = (test, report) =>
  passing(test, (each) => {
    if (each.type === "browserFinished") {
      const { at } = each;
      const bytes = Buffer.from("{}");
      const contentType = "application/json";
      report({ type: "evidenceTaken", name: "console.json", contentType, bytes, absent: null, at });
    }
    report(each);
  });

describe("screenshots that cannot be stored", () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
  });
  afterAll(() => deployment.stop());

  const eventsAfter = async (put: (key: string) => Promise<void>, runTest: RunTest = talking) => {
    const worker = deployment.startWorker({
      runTest,
      blobs: { ...deployment.blobs, put },
    });
    const run = await deployment.queueRun(1);
    const state = await eventually(run.run, ({ status }) => status === "passed", 60_000);
    expect(state).toMatchObject({ status: "passed" });
    await worker.stop();
    return run.executionEvents();
  };

  it("are stored once for two steps, or lost for both", async () => {
    const sharing: RunTest = (test, report) =>
      passing(test, (each) =>
        report(
          each.type === "screenshotTaken" && each.number === 2 ? { ...each, sameAs: 1 } : each,
        ),
      );
    const keys: string[] = [];
    const kept = await eventsAfter(async (key) => void keys.push(key), sharing);
    const taken = kept.filter(({ type }) => type === "ScreenshotTaken").map(({ data }) => data);
    const key = expect.stringMatching(/\/1\.(jpg|png)$/);
    expect(taken).toMatchObject([
      { number: 1, key },
      { number: 2, key },
    ]);
    expect(new Set(keys.filter((one) => /\.(jpg|png)$/.test(one))).size).toBe(1);
    const without = await eventsAfter(async () => {
      throw new PartUnavailableError("blob_store", "is full");
    }, sharing);
    const lost = without.filter(({ type }) => type === "ScreenshotLost");
    expect(lost.map(({ data }) => data)).toMatchObject([{ number: 1 }, { number: 2 }]);
  });

  it("do not affect the verdict, and are recorded as missing with the reason", async () => {
    const events = await eventsAfter(async () => {
      throw new PartUnavailableError("blob_store", "is full");
    });
    const lost = events.filter(({ type }) => type === "ScreenshotLost");
    const reason = "The store of screenshots is full.";
    expect(lost.map(({ data }) => data)).toMatchObject([
      { number: 1, name: null, reason },
      { number: 2, name: null, reason },
    ]);
    expect(events.map(({ type }) => type)).not.toContain("ScreenshotTaken");
    expect(events.find(({ type }) => type === "EvidenceKept")?.data).toMatchObject({
      ...{ name: "console.json", bytes: 0, key: null, absent: reason },
    });
    expect(events.at(-1)).toMatchObject({ type: "ExecutionFinished" });
  });

  it("are recorded as missing at the end if the store hangs, and ignored later", async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const events = await eventsAfter(() => answered);
    answer();
    const lost = events.filter(({ type }) => type === "ScreenshotLost");
    expect(lost.map(({ data }) => data)).toMatchObject([
      { number: 1, reason: "It was not stored in time." },
      { number: 2, reason: "It was not stored in time." },
    ]);
    const types = events.map(({ type }) => type);
    expect(types.indexOf("ScreenshotLost")).toBeLessThan(types.indexOf("AttemptFinished"));
  });
});
