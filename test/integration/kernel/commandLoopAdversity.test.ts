import { EventStoreDBClient } from "@eventstore/db-client";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CommandContext,
  type CommandLoop,
  createCommandLoop,
} from "../../../src/commands/kernel/commandLoop.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { disposeClient } from "../../../src/platform/eventLog/dispose.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
} from "../../../src/platform/eventLog/errors.ts";
import type { EventLog } from "../../../src/platform/eventLog/port.ts";
import { idsFrom, newId } from "../../../src/platform/ids.ts";
import { eventually } from "../../support/client.ts";
import { type Counted, counterDecider, systemContext } from "../../support/counter.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";
import { size } from "../../support/thorough.ts";

const LIMIT = 1_000;

describe("command loop under contention and failures", () => {
  let started: TestLog;
  let log: EventLog;
  let client: EventStoreDBClient;
  beforeAll(async () => {
    started = await startTestLog();
    log = started.log;
    client = EventStoreDBClient.connectionString(started.logUrl);
  });
  afterAll(async () => {
    await disposeClient(client);
    await started.stop();
  });

  const loopOver = (eventLog: EventLog): CommandLoop =>
    createCommandLoop({ log: eventLog, clock: systemClock });
  const count = (
    loop: CommandLoop,
    id: string,
    name: string,
    { limit = LIMIT, context = systemContext() } = {},
  ) => loop.execute(counterDecider, id, { name, limit }, context);
  const eventsOf = async (id: string) => {
    const events = [];
    for await (const event of log.readStream(`counter-${id}`)) events.push(event);
    return events;
  };
  const namesOf = async (id: string) =>
    (await eventsOf(id)).map(({ data }) => (data as Counted["data"]).name);
  const appendsOf = (eventLog: EventLog): { log: EventLog; sizes: number[] } => {
    const sizes: number[] = [];
    const append: EventLog["append"] = (stream, events, expected) => {
      sizes.push(events.length);
      return eventLog.append(stream, events, expected);
    };
    return { log: { ...eventLog, append }, sizes };
  };

  it("batches 32 callers of a process into few appends, each with its own revision", async () => {
    const id = newId();
    const { log: counted, sizes } = appendsOf(log);
    const loop = loopOver(counted);
    const done = await Promise.all(
      Array.from({ length: 32 }, (_, caller) => count(loop, id, `${caller}`)),
    );
    expect(done.map(({ revision }) => Number(revision))).toEqual([...Array(32).keys()]);
    expect(done.map(({ state }) => state.total)).toEqual([...Array(32).keys()].map((n) => n + 1));
    expect(await namesOf(id)).toEqual([...Array(32).keys()].map(String));
    expect(sizes.length).toBeLessThan(8);
  });

  it("decides refusals and repeats within a batch in order", async () => {
    const id = newId();
    const loop = loopOver(log);
    const names = ["a", "a", "b", "c", "d", "b"];
    const outcomes = await Promise.all(
      names.map((name) =>
        count(loop, id, name, { limit: 3 }).then(
          ({ events }) => events.length,
          ({ code }) => code,
        ),
      ),
    );
    expect(outcomes).toEqual([1, 0, 1, 1, "counter.full", 0]);
    expect(await namesOf(id)).toEqual(["a", "b", "c"]);
  });

  it("fails only the caller whose events the log refuses", async () => {
    const id = newId();
    const loop = loopOver(log);
    const huge = "x".repeat(1_100_000);
    const outcomes = await Promise.allSettled(
      ["first", "a", huge, "b"].map((name) => count(loop, id, name)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(await namesOf(id)).toEqual(["first", "a", "b"]);
  });

  it("produces a serial order consistent with all responses, for any processes and lost responses", async () => {
    const caller = fc.record({
      process: fc.nat(3),
      name: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      limit: fc.constantFrom(2, 4, LIMIT),
      wait: fc.nat(4),
    });
    const lost = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(caller, { minLength: 1, maxLength: 16 }),
        lost,
        async (all, lose) => {
          const id = newId();
          let appends = 0;
          const lossy: EventLog = {
            ...log,
            append: async (...args) => {
              const appended = await log.append(...args);
              appends += 1;
              // Never so many in a row that the loop gives up.
              if (lose[appends] === true && appends % 3 > 0)
                throw new AppendOutcomeUnknownError(new Error("lost"));
              return appended;
            },
          };
          const loops = Array.from({ length: 4 }, () => loopOver(lossy));
          const outcomes = await Promise.all(
            all.map(async ({ process, name, limit, wait }) => {
              for (let n = 0; n < wait; n += 1) await new Promise(setImmediate);
              return count(loops[process] as CommandLoop, id, name, { limit }).then(
                ({ events, state, revision }) => ({ events, state, revision, code: null }),
                ({ code }) => ({ events: [], state: null, revision: null, code }),
              );
            }),
          );
          const recorded = await eventsOf(id);
          // Each event follows from the one before it: no decision was made on another state.
          expect(recorded.map(({ data }) => (data as Counted["data"]).total)).toEqual(
            recorded.map((_, n) => n + 1),
          );
          const names = recorded.map(({ data }) => (data as Counted["data"]).name);
          expect(new Set(names).size).toBe(names.length);
          // Each acknowledged event is in the log at its revision, and was reported to one caller only.
          const told = outcomes.filter(({ events }) => events.length > 0);
          expect(told.map(({ revision }) => Number(revision)).sort((a, b) => a - b)).toEqual([
            ...names.keys(),
          ]);
          for (const { events, revision, state } of told) {
            expect(recorded[Number(revision)]?.data).toEqual(events[0]?.data);
            expect(state?.total).toBe(Number(revision) + 1);
          }
          for (const [n, { code, events }] of outcomes.entries()) {
            const { name, limit } = all[n] as (typeof all)[number];
            if (code !== null)
              expect([code, names.length >= limit]).toEqual(["counter.full", true]);
            else if (events.length === 0) expect(names).toContain(name);
          }
        },
      ),
      // Under load a history may take a second or two.
      {
        numRuns: size("COMMAND_RUNS", 15, 40),
        interruptAfterTimeLimit: 30_000,
        endOnFailure: true,
      },
    );
  });

  it("decides again after an append was lost and another writer intervened, and appends once", async () => {
    const id = newId();
    let isFirst = true;
    const lossy: EventLog = {
      ...log,
      append: async (...args) => {
        if (!isFirst) return log.append(...args);
        isFirst = false;
        await count(loopOver(log), id, "rival");
        throw new AppendOutcomeUnknownError(new Error("lost"));
      },
    };
    const done = await count(loopOver(lossy), id, "mine");
    expect([done.state.total, done.revision]).toEqual([2, 1n]);
    expect(await namesOf(id)).toEqual(["rival", "mine"]);
  });

  it("tells each caller of a batch its own events after a lost response and another writer", async () => {
    const id = newId();
    let loses = false;
    const lossy: EventLog = {
      ...log,
      append: async (...args) => {
        const appended = await log.append(...args);
        if (!loses) return appended;
        loses = false;
        await count(loopOver(log), id, "rival");
        throw new AppendOutcomeUnknownError(new Error("lost"));
      },
    };
    const loop = loopOver(lossy);
    await count(loop, id, "first");
    loses = true;
    const done = await Promise.all(["a", "b", "c"].map((name) => count(loop, id, name)));
    const names = await namesOf(id);
    for (const [n, { revision, state, position }] of done.entries()) {
      expect(names[Number(revision)]).toBe(["a", "b", "c"][n]);
      expect(state.total).toBe(Number(revision) + 1);
      expect((await eventsOf(id))[Number(revision)]?.position).toBe(position);
    }
    expect([...names].sort()).toEqual(["a", "b", "c", "first", "rival"]);
  });

  it("reports an unknown outcome only to callers whose events may be in the append", async () => {
    const id = newId();
    await count(loopOver(log), id, "there");
    const mute: EventLog = {
      ...log,
      append: async () => {
        throw new AppendOutcomeUnknownError(new Error("silence"));
      },
    };
    const loop = loopOver(mute);
    const began = performance.now();
    const outcomes = await Promise.allSettled([
      count(loop, id, "a"),
      count(loop, id, "b"),
      count(loop, id, "there"),
    ]);
    expect(performance.now() - began).toBeLessThan(30_000);
    const reasons = outcomes.map((one) => (one.status === "rejected" ? one.reason : null));
    expect(reasons[0]).toBeInstanceOf(AppendOutcomeUnknownError);
    expect(reasons[1]).not.toBeNull();
    // No append was necessary.
    expect(reasons[2]).not.toBeInstanceOf(AppendOutcomeUnknownError);
  });

  it("asks a caller to retry after repeated conflicts, and records nothing", async () => {
    const id = newId();
    let rival = 0;
    const overtaken: EventLog = {
      ...log,
      append: async (...args) => {
        rival += 1;
        await count(loopOver(log), id, `rival ${rival}`);
        return log.append(...args);
      },
    };
    const outcome = count(loopOver(overtaken), id, "mine");
    await expect(outcome).rejects.toMatchObject({ code: "stream.contended" });
    expect(await namesOf(id)).not.toContain("mine");
  });

  it("checks the log before it refuses or skips a command on a cached stream that was deleted", async () => {
    const id = newId();
    const loop = loopOver(log);
    await count(loop, id, "a", { limit: 1 });
    await client.deleteStream(`counter-${id}`);
    expect((await loop.load(counterDecider, id)).state.total).toBe(0);
    const again = await count(loop, id, "a", { limit: 1 });
    expect([again.state.total, again.events.length]).toEqual([1, 1]);
    expect(await namesOf(id)).toEqual(["a"]);
  });

  it("uses the remaining events of a cached stream that was truncated", async () => {
    const id = newId();
    const loop = loopOver(log);
    for (const name of ["a", "b", "c"]) await count(loop, id, name);
    await client.setStreamMetadata(`counter-${id}`, { truncateBefore: 2 });
    const elsewhere = loopOver(log);
    expect((await elsewhere.load(counterDecider, id)).state.names).toEqual(new Set(["c"]));
    expect((await count(elsewhere, id, "a")).revision).toBe(3n);
    expect(await namesOf(id)).toEqual(["c", "a"]);
  });

  it.each(["held in memory", "new to the process"])(
    "reports the deletion of a stream %s to the caller",
    async (where) => {
      const id = newId();
      const loop = loopOver(log);
      await count(loop, id, "a");
      await client.tombstoneStream(`counter-${id}`);
      const mine = where === "held in memory" ? loop : loopOver(log);
      await expect(count(mine, id, "b")).rejects.toMatchObject({ code: "stream.deleted" });
      await expect(count(mine, id, "a")).rejects.toMatchObject({ code: "stream.deleted" });
    },
  );

  it.each([
    ["all of it is cut off, and it is held in memory", { truncateBefore: 3 }, true],
    ["all of it is cut off, and it is new to the process", { truncateBefore: 3 }, false],
    ["what is to come is cut off as well", { truncateBefore: 5 }, false],
    ["its events are too old", { maxAge: 1 }, true],
  ])("accepts commands on a stream without visible events when %s", async (_, metadata, isHeld) => {
    const id = newId();
    const first = loopOver(log);
    for (const name of ["a", "b", "c"]) await count(first, id, name);
    await client.setStreamMetadata(`counter-${id}`, metadata);
    await eventually(
      () => namesOf(id),
      (names) => names.length === 0,
    );
    const loop = isHeld ? first : loopOver(log);
    if (isHeld) await loop.load(counterDecider, id);
    const done = await Promise.all(["d", "e"].map((name) => count(loop, id, name)));
    expect(done.map(({ revision }) => revision).sort()).toEqual([3n, 4n]);
    expect((await count(loop, id, "f")).revision).toBe(5n);
    // Another process, which has seen none of that.
    expect((await count(loopOver(log), id, "g")).revision).toBe(6n);
    const keyed = { ...systemContext(), ids: idsFrom(newId()) };
    expect((await count(loopOver(log), id, "h", { context: keyed })).revision).toBe(7n);
  });

  it("reports a tombstoned stream to a reader of its state", async () => {
    const id = newId();
    const loop = loopOver(log);
    await count(loop, id, "a");
    await client.tombstoneStream(`counter-${id}`);
    const context = { ...systemContext(), ids: idsFrom(newId()), again: true as const };
    for (const one of [loop, loopOver(log)]) {
      await expect(one.load(counterDecider, id)).rejects.toMatchObject({ code: "stream.deleted" });
      await expect(
        one.findDone(counterDecider as never, id, "count" as never, context),
      ).rejects.toMatchObject({ code: "stream.deleted" });
    }
  });

  it("rebuilds a cached state after the log was restored from a backup", async () => {
    const id = newId();
    const restored = newId();
    let isRestored = false;
    const swap = (stream: string) => (isRestored ? stream.replace(id, restored) : stream);
    const loop = loopOver({
      ...log,
      append: (stream, ...rest) => log.append(swap(stream), ...rest),
      readStream: (stream, options) => log.readStream(swap(stream), options),
    });
    for (const name of ["a", "b", "c"]) await count(loop, id, name);
    for (const name of ["a", "other"]) await count(loopOver(log), restored, name);
    // From here the stream is like the other one: shorter, with another event at the same revision.
    isRestored = true;
    const done = await count(loop, id, "c");
    expect(done.state.names).toEqual(new Set(["a", "other", "c"]));
  });

  describe("repeated request", () => {
    const contextOf = (seed: string, again: boolean): CommandContext => ({
      ...systemContext(),
      ids: idsFrom(seed),
      ...(again ? { again } : {}),
    });

    it("returns the first outcome if it was recorded, from any process", async () => {
      const id = newId();
      const seed = newId();
      const loop = loopOver(log);
      const first = await count(loop, id, "a", { context: contextOf(seed, false) });
      await count(loop, id, "b");
      for (const asked of [loop, loopOver(log)]) {
        const again = await count(asked, id, "a", { context: contextOf(seed, true) });
        expect(again).toEqual(first);
      }
      expect(await namesOf(id)).toEqual(["a", "b"]);
    });

    it("records its events once if they were not recorded", async () => {
      const id = newId();
      const context = contextOf(newId(), true);
      const loop = loopOver(log);
      const done = await Promise.all([1, 2].map(() => count(loop, id, "a", { context })));
      expect(done.map(({ events }) => events.length)).toEqual([1, 1]);
      expect(await namesOf(id)).toEqual(["a"]);
    });

    it("appends once if the first request is still in progress, and both receive it", async () => {
      const id = newId();
      const seed = newId();
      await count(loopOver(log), id, "there");
      let second: Promise<unknown> = Promise.resolve();
      const slow: EventLog = {
        ...log,
        append: async (...args) => {
          second = count(loopOver(log), id, "a", { context: contextOf(seed, true) });
          await second;
          await count(loopOver(log), id, "rival");
          return log.append(...args);
        },
      };
      const first = await count(loopOver(slow), id, "a", { context: contextOf(seed, false) });
      expect((await second) as object).toMatchObject({ revision: first.revision });
      expect(await namesOf(id)).toEqual(["there", "a", "rival"]);
    });
  });

  it("reports a short outage to all waiting callers and counts none of them", async () => {
    const id = newId();
    const away: EventLog = {
      ...log,
      append: async () => {
        throw new LogUnavailableError(new Error("away"));
      },
    };
    const loop = loopOver(away);
    const outcomes = await Promise.allSettled(["a", "b", "c"].map((name) => count(loop, id, name)));
    for (const one of outcomes) {
      expect(one).toMatchObject({ status: "rejected", reason: { name: "LogUnavailableError" } });
    }
    expect(await eventsOf(id)).toEqual([]);
  });
});
