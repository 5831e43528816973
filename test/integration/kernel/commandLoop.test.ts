import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLoop } from "../../../src/commands/kernel/commandLoop.ts";
import { receiptOf } from "../../../src/commands/kernel/receipt.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
} from "../../../src/platform/eventLog/errors.ts";
import type { EventLog } from "../../../src/platform/eventLog/port.ts";
import { idsFrom, newId } from "../../../src/platform/ids.ts";
import { counterDecider, systemContext } from "../../support/counter.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";

describe("command loop", () => {
  let started: TestLog;
  let log: EventLog;
  beforeAll(async () => {
    started = await startTestLog();
    log = started.log;
  });
  afterAll(() => started.stop());

  const loopOver = (eventLog: EventLog) => createCommandLoop({ log: eventLog, clock: systemClock });
  const eventsOf = async (id: string) => {
    const events = [];
    for await (const event of log.readStream(`counter-${id}`)) events.push(event);
    return events;
  };

  it("appends an event to a new stream with time, actor and causation", async () => {
    const id = newId();
    const context = { ...systemContext(newId()), organizationId: newId() };
    const done = await loopOver(log).execute(counterDecider, id, { name: "a", limit: 3 }, context);
    const [event] = await eventsOf(id);
    expect(event?.data).toEqual({ name: "a", total: 1 });
    expect(event?.position).toBe(done.position);
    expect(event?.metadata).toMatchObject({
      $correlationId: context.correlationId,
      actor: { type: "system", id: "test" },
      organization_id: context.organizationId,
      schema_version: 1,
    });
    expect(event?.metadata.recorded_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(receiptOf(done)).toEqual({ position: done.position, eventTypes: ["Counted"] });
  });

  it("records nothing for a repeated command, also in another process", async () => {
    const id = newId();
    const command = { name: "a", limit: 3 };
    const loop = loopOver(log);
    await loop.execute(counterDecider, id, command, systemContext());
    const again = await loop.execute(counterDecider, id, command, systemContext());
    const elsewhere = await loopOver(log).execute(counterDecider, id, command, systemContext());
    expect([again.position, elsewhere.position]).toEqual([null, null]);
    expect(await eventsOf(id)).toHaveLength(1);
  });

  it("loses no update and keeps the limit exactly with four processes of eight callers on a stream", async () => {
    const id = newId();
    const callers = Array.from({ length: 4 }, () => loopOver(log)).flatMap((loop, process) =>
      Array.from({ length: 8 }, (_, caller) =>
        loop
          .execute(counterDecider, id, { name: `${process}.${caller}`, limit: 20 }, systemContext())
          .then(
            () => "counted",
            (error) => error.code,
          ),
      ),
    );
    const outcomes = await Promise.all(callers);
    const events = await eventsOf(id);
    expect(outcomes.filter((one) => one === "counted")).toHaveLength(20);
    expect(outcomes.filter((one) => one === "counter.full")).toHaveLength(12);
    expect(events.map((event) => (event.data as { total: number }).total)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it("appends an event once if the first response was lost", async () => {
    const id = newId();
    const forgetful = losingAnswers(log, 1);
    const done = await loopOver(forgetful).execute(
      counterDecider,
      id,
      { name: "a", limit: 3 },
      systemContext(),
    );
    expect(done.state.total).toBe(1);
    expect(await eventsOf(id)).toHaveLength(1);
  });

  it("does not claim that nothing was written if the response was lost and the log is unavailable", async () => {
    const id = newId();
    const gone: EventLog = {
      ...log,
      append: async (...all) => {
        if ((await eventsOf(id)).length > 0) throw new LogUnavailableError(new Error("away"));
        await log.append(...all);
        throw new AppendOutcomeUnknownError(new Error("the answer was lost"));
      },
    };
    const outcome = loopOver(gone).execute(
      counterDecider,
      id,
      { name: "a", limit: 3 },
      systemContext(),
    );
    await expect(outcome).rejects.toBeInstanceOf(AppendOutcomeUnknownError);
    expect(await eventsOf(id)).toHaveLength(1);
  });

  it("appends both events once if another writer intervenes after a lost response", async () => {
    const id = newId();
    const rival = loopOver(log);
    const forgetful = losingAnswers(log, 1, () =>
      rival.execute(counterDecider, id, { name: "rival", limit: 3 }, systemContext()),
    );
    const done = await loopOver(forgetful).execute(
      counterDecider,
      id,
      { name: "a", limit: 3 },
      systemContext(),
    );
    expect(done.state.total).toBeGreaterThanOrEqual(1);
    const names = (await eventsOf(id)).map((event) => (event.data as { name: string }).name);
    expect(names).toEqual(["a", "rival"]);
  });

  it("checks the log only for a repeated request id, and appends its event once", async () => {
    const id = newId();
    let reads = 0;
    const counting: EventLog = {
      ...log,
      readStream: (...asked) => {
        reads += 1;
        return log.readStream(...asked);
      },
    };
    const context = { ...systemContext(newId()), ids: idsFrom(newId()) };
    const command = { name: "a", limit: 3 };
    const first = await loopOver(counting).execute(counterDecider, id, command, {
      ...context,
      first: true,
    });
    expect([reads, first.revision]).toEqual([0, 0n]);
    const again = await loopOver(counting).execute(counterDecider, id, command, {
      ...context,
      again: true,
    });
    expect(again.position).toBe(first.position);
    expect(reads).toBeGreaterThan(0);
    expect(await eventsOf(id)).toHaveLength(1);
  });

  it("appends an event once for a repeated cause", async () => {
    const id = newId();
    const eventId = newId();
    for (const loop of [loopOver(log), loopOver(log)]) {
      await loop.execute(counterDecider, id, { name: "a", limit: 3 }, systemContext(), {
        eventId: () => eventId,
      });
    }
    expect((await eventsOf(id)).map((event) => event.id)).toEqual([eventId]);
  });

  it("refuses a command on the current stream if another process wrote to a cached one", async () => {
    const id = newId();
    const here = loopOver(log);
    const there = loopOver(log);
    await here.execute(counterDecider, id, { name: "a", limit: 2 }, systemContext());
    await there.execute(counterDecider, id, { name: "b", limit: 2 }, systemContext());
    const outcome = here.execute(counterDecider, id, { name: "c", limit: 2 }, systemContext());
    await expect(outcome).rejects.toMatchObject({ code: "counter.full" });
  });

  it("re-reads the stream before it refuses a command on a cached state", async () => {
    const id = newId();
    const here = loopOver(log);
    const there = loopOver(log);
    await here.execute(counterDecider, id, { name: "a", limit: 9 }, systemContext());
    await there.execute(counterDecider, id, { name: "b", limit: 9 }, systemContext());
    const done = await here.execute(counterDecider, id, { name: "a", limit: 9 }, systemContext());
    expect(done.state.total).toBe(2);
    expect(done.position).toBeNull();
  });
});

/** The real log, of which the first answers are lost on the way back. */
const losingAnswers = (
  log: EventLog,
  count: number,
  meanwhile: () => Promise<unknown> = async () => undefined,
): EventLog => {
  let left = count;
  return {
    ...log,
    append: async (stream, events, expected) => {
      const appended = await log.append(stream, events, expected);
      if (left === 0) return appended;
      left -= 1;
      await meanwhile();
      throw new AppendOutcomeUnknownError(new Error("the answer was lost"));
    },
  };
};
