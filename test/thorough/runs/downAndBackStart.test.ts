import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCustomer } from "../../support/customer.ts";
import { type Outages, startOutages } from "../../support/outages.ts";
import type { ServiceProcess } from "../../support/serviceProcess.ts";

/** Containers come up in any order: the service waits for the others. */
describe("a service that starts during outages of its parts", () => {
  let outages: Outages;
  let service: ServiceProcess | null = null;

  beforeAll(async () => {
    outages = await startOutages();
  });
  afterAll(async () => {
    await service?.end("SIGTERM");
    await outages?.stop();
  });

  it("becomes ready when all are available and stops cleanly while they are away", async () => {
    await outages.fail("database", "refused");
    await outages.fail("event_log", "frozen");
    await outages.fail("bus", "swallowed");
    const said: string[] = [];
    const starting = outages.startService(said);
    const waits = (setting: string) =>
      said.filter((line) => line.includes("waiting for") && line.includes(setting)).length;
    for (const [part, setting] of [
      ["database", "DATABASE_URL"],
      ["bus", "NATS_URL"],
      ["event_log", "EVENTSTORE_URL"],
    ] as const) {
      await expect.poll(() => waits(setting), { timeout: 60_000 }).toBe(1);
      await outages.mend(part);
    }
    service = await starting;
    const ann = await createCustomer(service.url, outages.site);
    await ann.recovers();

    for (const part of ["database", "event_log", "bus"] as const)
      await outages.fail(part, "swallowed");
    expect(await service.end("SIGTERM")).toBe(0);
    service = null;
  });
});
