import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLoop } from "../../../src/commands/kernel/commandLoop.ts";
import { readCron } from "../../../src/domain/schedules/cron.ts";
import { ticksBetween } from "../../../src/domain/schedules/ticks.ts";
import { zoneOf } from "../../../src/domain/schedules/zone.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { lookOnce, type SchedulerDeps } from "../../../src/workers/schedules/scheduler.ts";
import { type Account, call, signUp } from "../../support/client.ts";
import { grant } from "../../support/members.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { size } from "../../support/thorough.ts";

let service: TestService;
let ann: Account;
let testId: string;
const never = new AbortController().signal;
const logger = pino({ level: "silent" });

beforeAll(async () => {
  service = await startTestService({}, ["api", "projections"]);
});
afterAll(() => service?.stop());

const asAnn = (method: string, path: string, body?: unknown) =>
  call(service.url, method, `/api/v1${path}`, { bearer: ann.accessToken, body });

/** A new organisation on a plan, with a test. */
const begin = async (plan: "free" | "starter" | "business"): Promise<void> => {
  ann = await signUp(service.url);
  const body = { name: "Sign in", steps: [{ action: "navigate", value: "/login" }] };
  testId = (await asAnn("POST", "/tests", body)).body.id;
  if (plan !== "free") await grant(service, ann.organizationId, plan);
};

const make = async (body: object): Promise<{ id: string; next_tick_at: string }> =>
  (await asAnn("POST", "/schedules", { name: "S", test_ids: [testId], ...body })).body;

/** A scheduler of a process of its own, whose clock is the test's: it has its own memory of streams. */
const scheduler = (clock: Clock, cancelled: string[] = []): SchedulerDeps => {
  const { core, platform } = service;
  const loop = createCommandLoop({ log: platform.log, clock });
  return {
    loop,
    clock,
    logger,
    slots: core.scheduleSlots,
    queries: core.queries.schedules,
    runs: core.commands.runs,
    cancelRun: async (_, runId) => cancelled.push(runId),
  };
};

/** Once an hour, the next time within two minutes: a tick of the next month would be asked of the next month's quota. */
const hourlySoon = (): string => `${new Date(Date.now() + 120_000).getUTCMinutes()} * * * *`;
const ticksOf = async (id: string) => {
  const items: { tick_at: string; outcome: string; run_ids: string[]; reason: string }[] = [];
  let cursor = "";
  do {
    const page = (await asAnn("GET", `/schedules/${id}/ticks?limit=100${cursor}`)).body;
    items.push(...page.items);
    cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");
  return items.reverse();
};

/** Resolves when the read model has reached the head of the log. */
const caughtUp = async (): Promise<void> => {
  const { db } = service.platform.database;
  const head = await service.platform.log.head();
  await expect
    .poll(
      async () => {
        const row = await db
          .selectFrom("projection_checkpoints" as never)
          .select("position" as never)
          .where("name" as never, "=", "schedules" as never)
          .executeTakeFirst();
        return BigInt((row as { position: string } | undefined)?.position ?? -1n) >= (head ?? -1n);
      },
      { interval: 5 },
    )
    .toBe(true);
};

describe("scheduler", () => {
  const years = [
    ["America/New_York", "*/30 2 * 3,11 0"],
    ["Europe/Berlin", "30 2 * * 0"],
    ["Australia/Sydney", "15 2 * * 0"],
  ] as const;
  it.each(years.slice(0, size("SCHEDULE_YEARS", 1, years.length)))(
    "gives every due tick one outcome over a year in %s of %s, with two schedulers and restarts",
    async (zone, cron) => {
      await begin("business");
      let now = Date.now();
      const clock = () => new Date(now);
      const { id } = await make({ cron, timezone: zone, overlap: "queue" });
      const read = readCron(cron);
      if (!read.ok) throw new Error(read.reason);
      const until = now + 366 * 86_400_000;
      const due = ticksBetween(read.cron, zoneOf(zone), now, until, 1_000);
      let [one, other] = [scheduler(clock), scheduler(clock)];
      for (const [index, tick] of due.entries()) {
        now = tick + 1_000;
        if (index % 10 === 0) [one, other] = [scheduler(clock), scheduler(clock)];
        await caughtUp();
        await Promise.all([lookOnce(one, never), lookOnce(other, never)]);
      }
      await caughtUp();
      const ticks = await ticksOf(id);
      expect(ticks.map(({ tick_at }) => tick_at)).toEqual(
        due.map((tick) => new Date(tick).toISOString()),
      );
      expect(new Set(ticks.map(({ outcome }) => outcome))).toEqual(new Set(["fired"]));
      const runs = ticks.flatMap(({ run_ids }) => run_ids);
      expect(new Set(runs).size).toBe(due.length);
      await asAnn("DELETE", `/schedules/${id}`);
    },
    // A hundred looks and more: on a machine that is busy they take longer than a test may otherwise.
    180_000,
  );

  it("records ticks past the deadline as missed and runs the later ones after an outage", async () => {
    await begin("business");
    let now = Date.now();
    const clock = () => new Date(now);
    const { id, next_tick_at } = await make({ cron: "*/5 * * * *", overlap: "queue" });
    now = Date.parse(next_tick_at) + 60 * 60_000 + 1_000;
    await lookOnce(scheduler(clock), never);
    await caughtUp();
    const ticks = await ticksOf(id);
    expect(ticks.map(({ outcome }) => outcome)).toEqual(["missed", "fired", "fired"]);
    expect(ticks[0]).toMatchObject({ count: 11, tick_at: next_tick_at });
    await asAnn("DELETE", `/schedules/${id}`);
  });

  it("skips, queues or replaces on overlap with the previous run", async () => {
    await begin("business");
    let now = Date.now();
    const clock = () => new Date(now);
    const outcomes: Record<string, unknown> = {};
    for (const overlap of ["skip", "queue", "cancel_older"]) {
      const { id, next_tick_at } = await make({ cron: "*/5 * * * *", overlap });
      const cancelled: string[] = [];
      now = Date.parse(next_tick_at) + 1_000;
      await lookOnce(scheduler(clock), never);
      await caughtUp();
      now += 5 * 60_000;
      await lookOnce(scheduler(clock, cancelled), never);
      await caughtUp();
      const ticks = await ticksOf(id);
      outcomes[overlap] = [ticks[1]?.outcome, cancelled.length];
      if (overlap === "skip") expect(ticks[1]?.reason).toContain(ticks[0]?.run_ids[0]);
      if (overlap === "cancel_older") expect(cancelled).toEqual(ticks[0]?.run_ids);
      await asAnn("DELETE", `/schedules/${id}`);
    }
    expect(outcomes).toEqual({
      skip: ["skipped", 0],
      queue: ["fired", 0],
      cancel_older: ["fired", 1],
    });
  });

  it("assigns runs to their tick once if a scheduler dies before it records the outcome", async () => {
    await begin("business");
    let now = Date.now();
    const clock = () => new Date(now);
    const { id, next_tick_at } = await make({ cron: hourlySoon(), overlap: "queue" });
    now = Date.parse(next_tick_at) + 1_000;
    const dying = scheduler(clock);
    const queued: string[] = [];
    await lookOnce(
      {
        ...dying,
        runs: {
          ...dying.runs,
          queueRuns: async (context, input) => {
            queued.push(...(await dying.runs.queueRuns(context, input)).runIds);
            throw new Error("killed");
          },
        },
      },
      never,
    );
    expect(queued).toHaveLength(1);
    now += 20 * 60_000;
    await lookOnce(scheduler(clock), never);
    await caughtUp();
    expect(await ticksOf(id)).toMatchObject([{ outcome: "fired", run_ids: queued }]);
    const usage = await asAnn("GET", "/usage");
    expect(usage.body.used + usage.body.reserved).toBe(1);
    await asAnn("DELETE", `/schedules/${id}`);
  });

  it("refuses a tick whose test set is deleted meanwhile, once, with the reason, and later ticks", async () => {
    await begin("business");
    let now = Date.now();
    const clock = () => new Date(now);
    const setOf = async (name: string) =>
      (await asAnn("POST", "/test-sets", { name, test_ids: [testId] })).body.id as string;
    const [kept, gone] = [await setOf("Kept"), await setOf("Gone")];
    const sets = { test_ids: [], test_set_ids: [kept, gone] };
    const { id, next_tick_at } = await make({ cron: hourlySoon(), overlap: "queue", ...sets });
    now = Date.parse(next_tick_at) + 1_000;
    const dying = scheduler(clock);
    const { queueRuns } = dying.runs;
    const queued: string[] = [];
    const half: SchedulerDeps["runs"] = {
      ...dying.runs,
      // The first of its runs is queued; then the process dies.
      queueRuns: async (context, input) => {
        const selection = { testIds: [], testSetIds: [kept] };
        queued.push(...(await queueRuns(context, { ...input, selection })).runIds);
        throw new Error("killed");
      },
    };
    await lookOnce({ ...dying, runs: half }, never);
    await asAnn("DELETE", `/test-sets/${gone}`);
    await lookOnce(scheduler(clock), never);
    await lookOnce(scheduler(clock), never);
    await caughtUp();
    expect(await ticksOf(id)).toMatchObject([
      {
        outcome: "refused",
        reason: expect.stringMatching(/there is no test set .* had been queued before\.$/),
        run_ids: queued,
      },
    ]);
    now += 3_600_000;
    await lookOnce(scheduler(clock), never);
    await caughtUp();
    expect(queued).toHaveLength(1);
    const outcomes = (await ticksOf(id)).map(({ outcome, run_ids }) => [outcome, run_ids]);
    expect(outcomes).toEqual([
      ["refused", queued],
      ["refused", []],
    ]);
    await asAnn("DELETE", `/schedules/${id}`);
  });

  it("refuses a tick without quota, and the newest schedules beyond a smaller plan", async () => {
    await begin("starter");
    let now = Date.now();
    const clock = () => new Date(now);
    const many = Array.from({ length: 12 }, () => testId);
    const cron = hourlySoon();
    const older = await make({ cron, test_ids: many, overlap: "queue" });
    const younger = await make({ cron, overlap: "queue" });
    await grant(service, ann.organizationId, "free");
    const { usage } = service.core.commands;
    const context = {
      actor: { type: "system", id: "test" },
      organizationId: ann.organizationId,
      correlationId: older.id,
      causationId: older.id,
    } as const;
    await usage.reserveRuns(context, ann.organizationId, [{ runId: older.id, units: 50 }]);
    now = Math.max(Date.parse(older.next_tick_at), Date.parse(younger.next_tick_at)) + 1_000;
    await lookOnce(scheduler(clock), never);
    await caughtUp();
    const [refused] = await ticksOf(older.id);
    expect([refused?.outcome, refused?.reason]).toEqual([
      "refused",
      expect.stringContaining("monthly quota of 50"),
    ]);
    const [beyond] = await ticksOf(younger.id);
    expect([beyond?.outcome, beyond?.reason]).toEqual([
      "refused",
      expect.stringContaining("(schedules). Starter allows 10."),
    ]);
  });
});
