import pino from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createCommandLoop } from "../../../src/commands/kernel/commandLoop.ts";
import { DomainError } from "../../../src/domain/kernel/errors.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { type Database, openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { newId } from "../../../src/platform/ids.ts";
import { type Reaction, type Reactor, startReactor } from "../../../src/workers/kernel/reactor.ts";
import { eventually } from "../../support/client.ts";
import { type Counted, counterDecider, systemContext } from "../../support/counter.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";

describe("reactor", () => {
  let started: TestLog;
  let database: Database;
  const running: Reactor[] = [];
  /** The errors logged by the reactors. */
  const said: string[] = [];

  beforeAll(async () => {
    started = await startTestLog();
    database = openDatabase(started.databaseUrl);
    await migrate(database.db);
  });
  afterEach(async () => {
    for (const reactor of running.splice(0)) await reactor.stop();
  });
  afterAll(async () => {
    await database.close();
    await started.stop();
  });

  const start = (name: string, reaction: Reaction<Counted>) => {
    const reactor = startReactor<Counted>({
      name,
      log: started.log,
      db: database.db,
      holder: newId(),
      logger: pino({ level: "error" }, { write: (line: string) => void said.push(line) }),
      codecs: [counterDecider.codec],
      on: { Counted: reaction },
    });
    running.push(reactor);
    return reactor;
  };
  const count = async (id: string, ...names: string[]) => {
    const loop = createCommandLoop({ log: started.log, clock: systemClock });
    for (const name of names) {
      await loop.execute(counterDecider, id, { name, limit: 99 }, systemContext());
    }
  };

  it("reacts to events from before and after its start in order", async () => {
    const id = newId();
    const seen: string[] = [];
    await count(id, "a", "b");
    start("ordered", async (event) => {
      if (event.stream === `counter-${id}`) seen.push(event.data.name);
    });
    await count(id, "c");
    await eventually(
      async () => seen.length,
      (length) => length >= 3,
    );
    expect(seen).toEqual(["a", "b", "c"]);
  });

  it("does not repeat handled events after a clean stop", async () => {
    const id = newId();
    const seen: string[] = [];
    const note: Reaction<Counted> = async (event) => {
      if (event.stream === `counter-${id}`) seen.push(event.data.name);
    };
    const first = start("resumed", note);
    await count(id, "a");
    await eventually(
      async () => seen.length,
      (length) => length === 1,
    );
    await eventually(
      () =>
        database.db
          .selectFrom("reactor_checkpoints")
          .select("position")
          .where("name", "=", "resumed")
          .executeTakeFirst(),
      (row) => row !== undefined,
    );
    await first.stop();
    await count(id, "b");
    start("resumed", note);
    await eventually(
      async () => seen.length,
      (length) => length >= 2,
    );
    expect(seen).toEqual(["a", "b"]);
  });

  it("handles each event of an interrupted batch once", async () => {
    const id = newId();
    const seen: string[] = [];
    let goOn: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await count(id, "a", "b", "c");
    const note: Reaction<Counted> = async (event) => {
      if (event.stream !== `counter-${id}`) return;
      seen.push(event.data.name);
      if (event.data.name === "b") await released;
    };
    const first = start("interrupted", note);
    await eventually(
      async () => seen.length,
      (length) => length === 2,
    );
    const stopped = first.stop();
    goOn();
    await stopped;
    expect(seen).toEqual(["a", "b"]);
    start("interrupted", note);
    await eventually(
      async () => seen.length,
      (length) => length >= 3,
    );
    expect(seen).toEqual(["a", "b", "c"]);
  });

  it("retries an event after a transient failure before the next one", async () => {
    const id = newId();
    const seen: string[] = [];
    let failures = 2;
    await count(id, "a", "b");
    start("stubborn", async (event) => {
      if (event.stream !== `counter-${id}`) return;
      if (failures > 0) {
        failures -= 1;
        throw new Error("the bus is away");
      }
      seen.push(event.data.name);
    });
    await eventually(
      async () => seen.length,
      (length) => length >= 2,
    );
    expect(seen).toEqual(["a", "b"]);
  });

  it("parks a rejected event with its error and continues", async () => {
    const id = newId();
    const seen: string[] = [];
    await count(id, "refused", "b");
    start("parking", async (event) => {
      if (event.stream !== `counter-${id}`) return;
      if (event.data.name === "refused") {
        throw new DomainError("counter.bad", `It cannot be ${event.data.name}.`);
      }
      seen.push(event.data.name);
    });
    await eventually(
      async () => seen.length,
      (length) => length >= 1,
    );
    const parked = await database.db
      .selectFrom("parked_events")
      .selectAll()
      .where("consumer", "=", "reactor:parking")
      .execute();
    expect(parked).toMatchObject([{ type: "Counted", error: "It cannot be [value]." }]);
    const noted = said.filter((line) => line.includes("event parked"));
    expect(noted).toHaveLength(1);
    expect(noted.join()).not.toContain("refused");
  });

  it("does not expose data of an event with an invalid schema in the parked row or the log", async () => {
    const id = newId();
    const event = {
      id: newId(),
      type: "Counted",
      data: { name: ["hunter2"], total: "hunter2", hunter2: 1 },
      metadata: {
        $correlationId: id,
        $causationId: id,
        actor: { type: "system", id: "test" },
        organization_id: null,
        occurred_at: new Date().toISOString(),
        recorded_at: new Date().toISOString(),
        schema_version: 1,
      },
    } as const;
    await started.log.append(`counter-${id}`, [event], "no_stream");
    start("schema", async () => undefined);
    const parked = await eventually(
      () =>
        database.db
          .selectFrom("parked_events")
          .select("error")
          .where("consumer", "=", "reactor:schema")
          .where("event_id", "=", event.id)
          .execute(),
      (rows) => rows.length > 0,
    );
    expect(JSON.stringify([parked, said])).not.toContain("hunter2");
  });
});
