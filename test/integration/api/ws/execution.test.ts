import cookie from "@fastify/cookie";
import websocket from "@fastify/websocket";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { registerExecutionSocket } from "../../../../src/api/ws/execution.ts";
import type { NumberedRunEvent } from "../../../../src/domain/runs/watchedEvents.ts";
import { inProcessBus } from "../../../../src/platform/bus/inProcess.ts";
import { natsBus } from "../../../../src/platform/bus/nats.ts";
import type { Bus } from "../../../../src/platform/bus/port.ts";
import { type Database, openDatabase } from "../../../../src/platform/database/database.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { createLogger } from "../../../../src/platform/logger.ts";
import { createPositions } from "../../../../src/projections/kernel/positions.ts";
import {
  runEventQueries,
  runEventsProjection,
} from "../../../../src/projections/runs/watchedEvents.ts";
import { eventually } from "../../../support/client.ts";
import { type NatsServer, startNatsServer } from "../../../support/natsServer.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/postgres.ts";
import { type Message, watch } from "../../../support/watcher.ts";

const ORGANIZATION = newId();
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);
const numbers = (events: readonly Message[]) => events.map((event) => event.sequence);

let nats: NatsServer;
let holder: TestDatabase;
let database: Database;
let position = 0;
beforeAll(async () => {
  [nats, holder] = await Promise.all([startNatsServer(), createTestDatabase()]);
  database = openDatabase(holder.url);
  await runEventsProjection.create(database.db);
});
afterAll(async () => {
  await database.close();
  await Promise.all([nats.stop(), holder.drop()]);
});

describe.each(["in the process", "on NATS"])("/ws/execution, with the bus %s", (where) => {
  let bus: Bus;
  let app: FastifyInstance;
  let url: string;
  let open: boolean;
  let role: "owner" | "billing" | null;

  beforeEach(async () => {
    bus = where === "on NATS" ? await natsBus({ url: nats.url }) : inProcessBus();
    open = true;
    role = "owner";
    app = fastify();
    await app.register(cookie);
    await app.register(websocket);
    await app.register(
      async (api) =>
        registerExecutionSocket(api, {
          bus,
          runEvents: runEventQueries(database.db),
          findRunOwner: async () => ({ organizationId: ORGANIZATION }),
          findProjectOwner: async () => ({ organizationId: ORGANIZATION }),
          positions: createPositions(),
          callerOfBearer: async () => {
            throw new Error("no bearer");
          },
          sessionOfCookie: async () => ({ userId: "u", sessionId: "s" }),
          isSessionOpen: async () => open,
          roleIn: async () => role,
          allowedOrigins: () => [],
          logger: createLogger({ level: "silent" }),
        }),
      { prefix: "/api/v1" },
    );
    url = await app.listen({ host: "127.0.0.1", port: 0 });
  });
  afterEach(async () => {
    await app.close();
    await bus.close();
  });

  const connect = () => watch(url, { cookie: "refresh_token=x" });

  const eventOf = (runId: string, sequence: number, text = ""): NumberedRunEvent => ({
    run_id: runId,
    sequence,
    name: "step_started",
    execution_id: null,
    browser: null,
    attempt: 1,
    delivery: 1,
    step_number: sequence,
    data: { text },
    at: "2025-01-01T00:00:00.000Z",
  });
  const commit = async (...events: readonly NumberedRunEvent[]): Promise<void> => {
    await database.db
      .insertInto("run_events")
      .values(
        events.map((event) => {
          position += 1;
          return { ...event, data: JSON.stringify(event.data), position };
        }),
      )
      .execute();
  };
  const publish = (event: NumberedRunEvent): void =>
    bus.publish(`run.${event.run_id}.events`, JSON.stringify(event));

  const subscribed = async (runId: string, after?: number) => {
    const watcher = await connect();
    watcher.say({ type: "subscribe", run_id: runId, ...(after === undefined ? {} : { after }) });
    await watcher.until((message) => message.type === "subscribed");
    return watcher;
  };
  const hasAll = async (
    watcher: { events(runId: string): Message[] },
    runId: string,
    last: number,
  ) => {
    await eventually(
      async () => watcher.events(runId).length,
      (count) => count >= last,
    );
    expect(numbers(watcher.events(runId))).toEqual(upTo(last));
  };

  test("delivers events once and in order if the bus repeats, reorders or loses some", async () => {
    const runId = newId();
    const events = upTo(60).map((sequence) => eventOf(runId, sequence));
    await commit(...events.slice(0, 10));
    const watcher = await subscribed(runId);
    await commit(...events.slice(10));
    for (const [index, event] of [...events.slice(8)].reverse().entries())
      if (index % 3 !== 0) publish(event);
    for (const event of events) if (event.sequence % 7 !== 0) publish(event);
    await hasAll(watcher, runId, 60);
    watcher.drop();
  });

  test("delivers committed events if the bus delivers nothing", async () => {
    const runId = newId();
    const watcher = await subscribed(runId);
    await commit(eventOf(runId, 1), eventOf(runId, 2));
    await hasAll(watcher, runId, 2);
    watcher.drop();
  });

  test("delivers a long history and live events without a gap", async () => {
    const runId = newId();
    await commit(...upTo(2_000).map((sequence) => eventOf(runId, sequence)));
    const watcher = await subscribed(runId);
    for (let sequence = 2_001; sequence <= 2_300; sequence += 1) {
      const event = eventOf(runId, sequence);
      if (sequence % 10 === 1)
        await commit(...upTo(10).map((n) => eventOf(runId, sequence + n - 1)));
      publish(event);
    }
    await hasAll(watcher, runId, 2_300);
    watcher.drop();
  });

  test("answers an error for `after` beyond the last event", async () => {
    const runId = newId();
    await commit(eventOf(runId, 1));
    const watcher = await connect();
    watcher.say({ type: "subscribe", run_id: runId, after: 5 });
    const said = await watcher.until((message) => message.type === "error");
    expect(said.detail).toContain("number 1");
    watcher.drop();
  });

  test("disconnects a client that does not read, without affecting others", async () => {
    const runId = newId();
    const other = await subscribed(runId);
    const slow = new WebSocket(`${url.replace("http", "ws")}/api/v1/ws/execution`, {
      headers: { cookie: "refresh_token=x" },
    });
    await new Promise((resolve) => slow.on("open", resolve));
    slow.send(JSON.stringify({ type: "subscribe", run_id: runId }));
    await new Promise((resolve) => slow.on("message", resolve));
    slow.pause();
    const text = "x".repeat(100_000);
    const serverSide = () => app.websocketServer.clients.size;
    expect(serverSide()).toBe(2);
    for (const sequence of upTo(200)) {
      const event = eventOf(runId, sequence, text);
      await commit(event);
      publish(event);
    }
    await eventually(
      async () => serverSide(),
      (count) => count === 1,
    );
    await hasAll(other, runId, 200);
    other.drop();
    slow.terminate();
  });

  test.each([
    ["says what cannot be read", (slow: WebSocket) => slow.send(Buffer.alloc(1))],
    ["pings", (slow: WebSocket) => slow.ping("x".repeat(125))],
  ])("disconnects a client that %s continuously and does not read", async (_, ask) => {
    const slow = new WebSocket(`${url.replace("http", "ws")}/api/v1/ws/execution`, {
      headers: { cookie: "refresh_token=x" },
    });
    await new Promise((resolve) => slow.on("open", resolve));
    const gone = new Promise((resolve) => slow.on("close", resolve));
    slow.on("error", () => undefined);
    slow.pause();
    const serverSide = () => app.websocketServer.clients.size;
    while (serverSide() > 0) {
      for (let n = 0; n < 2_000; n += 1) ask(slow);
      await new Promise((resolve) => setImmediate(resolve));
    }
    slow.resume();
    await gone;
  });

  test("delivers each event once to 1,000 clients while some stall and some reconnect", async () => {
    const runId = newId();
    const [WATCHERS, EVENTS] = [1_000, 20];
    const watchers: { events: number[]; socket: WebSocket }[] = [];
    const open = async (after: number): Promise<void> => {
      const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/ws/execution`, {
        headers: { cookie: "refresh_token=x" },
        perMessageDeflate: false,
      });
      const watcher = { events: [] as number[], socket };
      socket.on("error", () => undefined);
      await new Promise((resolve) => socket.on("open", resolve));
      const subscribed = new Promise((resolve) =>
        socket.on("message", (data) => {
          const message = JSON.parse(String(data));
          if (message.type === "event") watcher.events.push(message.sequence);
          else resolve(message);
        }),
      );
      socket.send(JSON.stringify({ type: "subscribe", run_id: runId, after }));
      await subscribed;
      watchers.push(watcher);
    };
    for (let n = 0; n < WATCHERS; n += 50) {
      await Promise.all(Array.from({ length: 50 }, () => open(0)));
    }
    const stalled = watchers.slice(0, 10);
    for (const { socket } of stalled) socket.pause();
    const gone = watchers.slice(10, 20);
    for (const [n, sequence] of upTo(EVENTS).entries()) {
      const event = eventOf(runId, sequence, "x".repeat(100));
      await commit(event);
      publish(event);
      if (n !== EVENTS / 2) continue;
      for (const { socket } of gone) socket.terminate();
    }
    for (const { events } of gone) await open(events.at(-1) ?? 0);
    const back = watchers.slice(WATCHERS);
    const reading = watchers.slice(20, WATCHERS);
    await eventually(
      async () => [...reading, ...back].filter(({ events }) => events.at(-1) !== EVENTS).length,
      (late) => late === 0,
    );
    expect(new Set(reading.map(({ events }) => events.join()))).toEqual(
      new Set([upTo(EVENTS).join()]),
    );
    const together = gone.map(({ events }, n) => [...events, ...(back[n]?.events ?? [])]);
    expect(new Set(together.map((events) => events.join()))).toEqual(
      new Set([upTo(EVENTS).join()]),
    );
    for (const { socket } of watchers) socket.terminate();
  });

  test("resumes a client at a position that this process has not received yet", async () => {
    const runId = newId();
    const here = await subscribed(runId);
    const events = upTo(4).map((sequence) => eventOf(runId, sequence));
    await commit(...events.slice(0, 3));
    const resumed = await subscribed(runId, 3);
    await commit(...events.slice(3));
    for (const event of events) publish(event);
    await hasAll(here, runId, 4);
    await eventually(
      async () => numbers(resumed.events(runId)),
      (seen) => seen.length > 0,
    );
    expect(numbers(resumed.events(runId))).toEqual([4]);
    here.drop();
    resumed.drop();
  });

  test("closes the connection of a member who lost the right to read results", async () => {
    const runId = newId();
    const watcher = await subscribed(runId);
    role = "billing";
    expect(await watcher.closed).toBe(4401);
    const event = eventOf(runId, 1);
    await commit(event);
    publish(event);
    expect(watcher.events(runId)).toEqual([]);
  });

  test("closes every connection of a session that ends", async () => {
    const watchers = await Promise.all(Array.from({ length: 120 }, () => subscribed(newId())));
    open = false;
    expect(new Set(await Promise.all(watchers.map(({ closed }) => closed)))).toEqual(
      new Set([4401]),
    );
  });

  test("closes the connection when its session ends", async () => {
    const watcher = await subscribed(newId());
    open = false;
    expect(await watcher.closed).toBe(4401);
  });
});
