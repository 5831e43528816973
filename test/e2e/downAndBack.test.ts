import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  ANSWER_MS,
  type Customer,
  createCustomer,
  type Outages,
  type PartName,
  startOutages,
  type Timed,
  titles,
} from "../support/outages.ts";
import type { Fault } from "../support/partsApart.ts";
import type { ServiceProcess } from "../support/serviceProcess.ts";

type Cell = readonly [part: PartName, fault: Fault, load: "at rest" | "under load"];

const FAULTS: readonly Fault[] = ["refused", "reset", "swallowed", "slow", "frozen", "killed"];
const NETWORKED: readonly PartName[] = ["event_log", "database", "bus"];

/** Every part, every fault, at rest and under load, with DOWN_AND_BACK=all; else pairs of them that have each at least once. */
const cells: readonly Cell[] =
  process.env.DOWN_AND_BACK === "all"
    ? (["at rest", "under load"] as const).flatMap((load) => [
        ...NETWORKED.flatMap((part) => FAULTS.map((fault) => [part, fault, load] as const)),
        ["blob_store", "refused", load],
        ["blob_store", "reset", load],
      ])
    : [
        ["event_log", "swallowed", "at rest"],
        ["event_log", "killed", "under load"],
        ["database", "frozen", "at rest"],
        ["database", "swallowed", "under load"],
        ["bus", "reset", "at rest"],
        ["bus", "frozen", "under load"],
        ["blob_store", "refused", "under load"],
      ];

/** How long a fault lasts at least, beyond what the questions take. */
const LASTS_MS = 1_000;

describe("a part that goes away and comes back", () => {
  let outages: Outages;
  let service: ServiceProcess;
  let ann: Customer;

  beforeAll(async () => {
    outages = await startOutages();
    service = await outages.startService();
    ann = await createCustomer(service.url, outages.site);
  });
  afterAll(async () => {
    await service?.end("SIGTERM");
    await outages?.stop();
  });

  let failing: PartName | null = null;
  const mend = async (): Promise<void> => {
    if (failing) await outages.mend(failing);
    failing = null;
  };
  afterEach(mend);

  const expectAway = (part: PartName, reply: Timed): void => {
    expect([reply.status, reply.body.detail]).toEqual([503, expect.stringMatching(titles[part])]);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Object.keys(reply.body)).toEqual(["detail"]);
    expect(reply.body.detail).not.toMatch(/nothing was/i);
  };

  /** What each kind of request says while a part is away. */
  const expectHonest = (part: PartName, said: Awaited<ReturnType<Customer["askEverything"]>>) => {
    for (const [name, { ms }] of Object.entries(said))
      expect([name, ms < ANSWER_MS]).toEqual([name, true]);
    expect(said.live.status).toBe(200);
    expect(said.plans.status).toBe(200);
    expect(said.ready.status).toBe(503);
    expect(said.ready.body.detail).toContain(part);
    if (part === "database") {
      expectAway(part, said.list);
      expectAway(part, said.picture);
      // Whose key was looked up a moment ago may go on: parsing needs nothing else.
      if (said.parse.status !== 200) expectAway(part, said.parse);
    } else expect([said.parse.status, said.list.status]).toEqual([200, 200]);
    if (part === "event_log" || part === "database") {
      expectAway(part, said.write);
      expectAway(part, said.dispatch);
    } else expect([said.write.status, said.dispatch.status]).toEqual([201, 202]);
    if (part === "blob_store") expectAway(part, said.picture);
    if (part === "event_log" || part === "bus") expect(said.picture.status).toBe(200);
  };

  it.each(cells)("%s %s, %s", async (part, fault, load) => {
    const saidBefore = service.said.length;
    let running: string | null = null;
    const watching = [];
    if (load === "under load") {
      running = (await ann.queueRun(ann.slow)).body.run_ids[0] as string;
      watching.push(await ann.watchToTheEnd(running));
    }
    let isLoaded = load === "under load";
    const outcomes: Record<string, number> = {};
    const loaders = Array.from({ length: 4 }, async () => {
      while (isLoaded) {
        const { status, ms } = await ann.createTest();
        outcomes[status] = (outcomes[status] ?? 0) + 1;
        expect([201, 503]).toContain(status);
        expect(ms).toBeLessThan(ANSWER_MS);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    if (isLoaded) await new Promise((resolve) => setTimeout(resolve, 500));

    await outages.fail(part, fault);
    failing = part;
    const isBrief = fault === "killed" && part === "database";
    // It comes back by itself, perhaps before all is asked: then each answer is one or the other.
    const said = await ann.askEverything();
    if (isBrief)
      for (const { ms, status } of Object.values(said)) {
        expect(ms).toBeLessThan(ANSWER_MS);
        expect([200, 201, 202, 503]).toContain(status);
      }
    else expectHonest(part, said);
    await new Promise((resolve) => setTimeout(resolve, LASTS_MS));
    await mend();

    const took = await ann.recovers();
    isLoaded = false;
    await Promise.all(loaders);
    for (const one of watching) {
      const events = await (await one).end();
      expect(events.map((event) => event.sequence)).toEqual(events.map((_, n) => n + 1));
    }
    await ann.expectNothingLost(outages.direct);
    expect(service.exitCode()).toBeUndefined();
    const lines = service.said
      .slice(saidBefore)
      .filter((line) => !line.includes('"msg":"answered"'));
    if (process.env.DOWN_AND_BACK)
      process.stderr.write(
        `${JSON.stringify({ part, fault, load, ms: Object.fromEntries(Object.entries(said).map(([name, { ms, status }]) => [name, `${status} ${Math.round(ms)}`])), took, outcomes, lines: lines.length, open: Object.values(outages.parts).map(({ wire }) => wire.open()) })}\n`,
      );
    if (process.env.DOWN_AND_BACK === "log") process.stderr.write(`${lines.join("\n")}\n`);
  });
});
