import { afterEach, describe, expect, test } from "vitest";
import { sleep } from "../../../src/platform/sleep.ts";
import { type Deployment, startDeployment } from "./deployment.ts";

describe("stopping workers", () => {
  let deployment: Deployment;
  afterEach(() => deployment.stop());

  test("succeeds at any moment of their start", async () => {
    deployment = await startDeployment();
    for (let ms = 0; ms <= 60; ms += 4) {
      const parts = [
        deployment.startDispatcher(),
        deployment.startWorker(),
        deployment.startWatchdog(),
      ];
      await sleep(ms);
      await Promise.all(parts.map((part) => part.stop()));
    }
    expect(await deployment.db.selectFrom("executor_slots").select("worker").execute()).toEqual([]);
  });
});
