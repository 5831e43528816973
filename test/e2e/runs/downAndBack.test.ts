import { readdirSync, readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, createCustomer, type Timed } from "../../support/customer.ts";
import {
  ANSWER_MS,
  type Outages,
  type PartName,
  startOutages,
  titles,
  watchLateness,
} from "../../support/outages.ts";
import type { Fault } from "../../support/partsApart.ts";
import type { ServiceProcess } from "../../support/serviceProcess.ts";
import { isThorough } from "../../support/thorough.ts";

type Cell = readonly [part: PartName, fault: Fault, load: "at rest" | "under load"];

const FAULTS: readonly Fault[] = ["refused", "reset", "swallowed", "slow", "frozen", "killed"];
const NETWORKED: readonly PartName[] = ["event_log", "database", "bus"];

const FURTHER: readonly Cell[] = [
  ["event_log", "swallowed", "at rest"],
  ["database", "frozen", "at rest"],
  ["bus", "reset", "at rest"],
];

/** With DOWN_AND_BACK=all every fault of every part, at rest and under load. Otherwise a selection with each part once. */
const cells: readonly Cell[] =
  process.env.DOWN_AND_BACK === "all"
    ? (["at rest", "under load"] as const).flatMap((load) => [
        ...NETWORKED.flatMap((part) => FAULTS.map((fault) => [part, fault, load] as const)),
        ["blob_store", "refused", load],
        ["blob_store", "reset", load],
      ])
    : [
        ["event_log", "killed", "under load"],
        ["database", "swallowed", "under load"],
        ["bus", "frozen", "under load"],
        ["blob_store", "refused", "under load"],
        ...(isThorough ? FURTHER : []),
      ];

/** The minimum duration of a fault after the requests, in milliseconds. */
const LASTS_MS = 1_000;

describe("outage of a part", () => {
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
  let isLoaded = false;
  let lateness: ReturnType<typeof watchLateness> | null = null;
  afterEach(async () => {
    isLoaded = false;
    await mend();
    await lateness?.stop();
  });
  // All cells together would exceed the monthly quota of the free plan.
  beforeEach(async () => {
    lateness = watchLateness(service.url);
    if (process.env.DOWN_AND_BACK) ann = await createCustomer(service.url, outages.site);
  });

  const expectAway = (part: PartName, reply: Timed): void => {
    expect([reply.status, reply.body.detail]).toEqual([503, expect.stringMatching(titles[part])]);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Object.keys(reply.body)).toEqual(["detail"]);
    expect(reply.body.detail).not.toMatch(/nothing was/i);
  };

  const expectInTime = (said: Awaited<ReturnType<Customer["askEverything"]>>) => {
    for (const [name, { ms, status }] of Object.entries(said)) {
      expect([name, ms < ANSWER_MS + (lateness?.soFar() ?? 0)]).toEqual([name, true]);
      expect([200, 201, 202, 503]).toContain(status);
    }
  };

  /** Expects the response of each kind of request while a part is unavailable. */
  const expectHonest = (
    part: PartName,
    fault: Fault,
    said: Awaited<ReturnType<Customer["askEverything"]>>,
  ) => {
    expectInTime(said);
    expect(said.live.status).toBe(200);
    expect(said.plans.status).toBe(200);
    // A slow bus still works, because its messages are short.
    if (said.ready.status !== 200 || part !== "bus" || fault !== "slow") {
      expect(said.ready.status).toBe(503);
      expect(said.ready.body.detail).toContain(part);
    }
    if (part === "database") {
      expectAway(part, said.list);
      expectAway(part, said.picture);
      // Parsing needs only the key, whose lookup may be cached.
      if (said.parse.status !== 200) expectAway(part, said.parse);
    } else expect([said.parse.status, said.list.status]).toEqual([200, 200]);
    if (part === "event_log" || part === "database") {
      expectAway(part, said.write);
      expectAway(part, said.dispatch);
    } else expect([said.write.status, said.dispatch.status]).toEqual([201, 202]);
    if (part === "blob_store") expectAway(part, said.picture);
    if (part === "event_log" || part === "bus") expect(said.picture.status).toBe(200);
  };

  /** Four who write all the while, until `isLoaded` is false; how often each status was answered. */
  const startLoad = () => {
    isLoaded = true;
    const outcomes: Record<string, number> = {};
    const worst = { ms: 0 };
    const writers = Array.from({ length: 4 }, async () => {
      while (isLoaded) {
        const { status, ms } = await ann.createTest();
        outcomes[status] = (outcomes[status] ?? 0) + 1;
        worst.ms = Math.max(worst.ms, ms);
        await pause(20);
      }
    });
    return {
      end: async () => {
        isLoaded = false;
        await Promise.all(writers);
        expect(Object.keys(outcomes).filter((status) => !["201", "503"].includes(status))).toEqual(
          [],
        );
        expect(worst.ms).toBeLessThan(ANSWER_MS + (lateness?.soFar() ?? 0));
        return outcomes;
      },
    };
  };

  /** Lines of the log but those for each request. */
  const linesSince = (from: number) =>
    service.said.slice(from).filter((line) => !line.includes('"msg":"answered"'));
  const connections = () => Object.values(outages.parts).map(({ wire }) => wire.open());

  it.each(cells)("of the %s %s, %s, is followed by a full recovery", async (...cell) => {
    const [part, fault, load] = cell;
    const from = service.said.length;
    const isBusy = load === "under load";
    const running = isBusy ? (await ann.queueRun(ann.slow)).body.run_ids[0] : null;
    const watching = isBusy ? await ann.watchToTheEnd(running) : null;
    const writing = isBusy ? startLoad() : null;
    if (isBusy) await pause(500);

    await outages.fail(part, fault);
    failing = part;
    const said = await ann.askEverything();
    // A database that is killed is started again by its supervisor, perhaps before all is asked.
    if (part === "database" && fault === "killed") expectInTime(said);
    else expectHonest(part, fault, said);
    await pause(LASTS_MS);
    await mend();

    const took = await ann.recovers();
    const outcomes = await writing?.end();
    const events = (await watching?.end()) ?? [];
    expect(events.map((event) => event.sequence)).toEqual(events.map((_, n) => n + 1));
    await ann.expectNothingLost(outages.direct);
    expect(service.exitCode()).toBeUndefined();
    const lines = linesSince(from);
    // Once for each time that it goes and comes, not for each request.
    expect(lines.length).toBeLessThan(40);
    if (!process.env.DOWN_AND_BACK) return;
    const answers = Object.entries(said).map(([name, { status, ms }]) => [
      name,
      `${status} ${Math.round(ms)}`,
    ]);
    const row = { cell, answers: Object.fromEntries(answers), took, outcomes };
    process.stderr.write(
      `${JSON.stringify({ ...row, lines: lines.length, connections: connections() })}\n`,
    );
  });

  it("of all parts, repeatedly, leaks no connections and files", async () => {
    const parts = ["event_log", "database", "bus"] as const;
    const faults = ["reset", "refused", "swallowed"] as const;
    const rounds = process.env.DOWN_AND_BACK ? 20 : 4;
    const held: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const fault = faults[round % faults.length] ?? "reset";
      await Promise.all(parts.map((part) => outages.fail(part, fault)));
      await Promise.all([ann.createTest(), ann.queueRun(ann.quick), ann.createTest()]);
      await Promise.all(parts.map((part) => outages.mend(part)));
      await ann.recovers();
      if (round === 0) await pause(1_000);
      held.push(readdirSync(`/proc/${service.pid}/fd`).length);
      if (process.env.DOWN_AND_BACK) {
        const memory = /VmRSS:\s+(\d+)/.exec(
          readFileSync(`/proc/${service.pid}/status`, "utf8"),
        )?.[1];
        process.stderr.write(
          `${JSON.stringify({ round, fault, files: held.at(-1), memory, connections: connections() })}\n`,
        );
      }
    }
    // A pool of ten and a listener; two clients of the log, and one that may be on its way out; one of NATS.
    // The log closes connections that the client library has forgotten after a minute.
    await expect
      .poll(
        () => {
          const [eventLog = 0, database = 0, bus = 0] = connections();
          return eventLog <= 6 && database <= 12 && bus === 1;
        },
        { timeout: 120_000 },
      )
      .toBe(true);
    // The connections of a run are closed after its browser has ended.
    await expect
      .poll(() => readdirSync(`/proc/${service.pid}/fd`).length, { timeout: 60_000 })
      .toBeLessThan((held[0] ?? 0) + 15);
    expect(service.exitCode()).toBeUndefined();
  });
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
