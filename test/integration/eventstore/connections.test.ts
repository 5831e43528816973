import { connect as connectHttp2 } from "node:http2";
import { createRequire } from "node:module";
import { connect, createServer, type Socket } from "node:net";
import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";
import { createTestDatabase } from "../../support/postgres.ts";

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const start = async (keepAlive?: { intervalMs: number; timeoutMs: number }) => {
  const database = await createTestDatabase();
  cleanUp.push(() => database.drop());
  const server = await startEmbeddedEventStore({
    databaseUrl: database.url,
    ...(keepAlive && { keepAlive }),
  });
  cleanUp.push(() => server.stop());
  return { url: server.url, port: Number(new URL(server.url).port), databaseUrl: database.url };
};

const connectClient = (url: string): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(url);
  cleanUp.push(async () => {
    await Promise.race([client.dispose(), new Promise((resolve) => setTimeout(resolve, 1_000))]);
  });
  return client;
};

/** Calls a method by hand, with a timeout as gRPC writes it; the status that the server answers. */
const statusOf = (
  port: number,
  method: string,
  message: Uint8Array,
  timeout: string,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.on("error", reject);
    cleanUp.push(async () => session.destroy());
    const request = session.request({
      ":method": "POST",
      ":path": `/event_store.client.streams.Streams/${method}`,
      "content-type": "application/grpc",
      te: "trailers",
      "grpc-timeout": timeout,
    });
    const status = (headers: Record<string, unknown>): void => {
      if (headers["grpc-status"] !== undefined) resolve(headers["grpc-status"]);
    };
    request.on("error", reject);
    request.on("response", status);
    request.on("trailers", status);
    request.resume();
    const frame = Buffer.alloc(5 + message.length);
    frame.writeUInt32BE(message.length, 1);
    frame.set(message, 5);
    request.end(frame);
  });

const requireFromClient = createRequire(
  createRequire(import.meta.url).resolve("@eventstore/db-client"),
);
const streams = requireFromClient(
  "../generated/streams_pb.js",
) as typeof import("@eventstore/db-client/generated/streams_pb.js");
const shared = requireFromClient(
  "../generated/shared_pb.js",
) as typeof import("@eventstore/db-client/generated/shared_pb.js");

const event = () => jsonEvent({ type: "Counted", data: {} });

describe("an idle connection", () => {
  test("is pinged by the server, which answers pings at once", async () => {
    const { port } = await start({ intervalMs: 100, timeoutMs: 1_000 });
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    cleanUp.push(async () => session.destroy());
    let pings = 0;
    session.on("ping", () => {
      pings += 1;
    });
    await expect.poll(() => pings, { timeout: 60_000 }).toBeGreaterThan(1);
    const answered = await new Promise<boolean>((resolve) => {
      session.ping((error) => resolve(error === null));
    });
    expect(answered).toBe(true);
  });

  test("is closed with its subscriptions if the peer is dead", async () => {
    // On a busy machine one that lives may answer late, too.
    const { port } = await start({ intervalMs: 200, timeoutMs: 2_000 });
    // A wire that swallows everything once it is deaf, as a machine does that has lost its power.
    let deaf = false;
    let closedByServer = false;
    const sockets: Socket[] = [];
    const wire = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      sockets.push(near, far);
      near.on("error", () => undefined);
      far.on("error", () => undefined);
      near.on("data", (chunk) => deaf || far.write(chunk));
      far.on("data", (chunk) => deaf || near.write(chunk));
      far.on("close", () => {
        closedByServer = true;
      });
    });
    const wirePort = await new Promise<number>((resolve) => {
      wire.listen(0, "127.0.0.1", () => {
        const address = wire.address();
        resolve(address && typeof address === "object" ? address.port : 0);
      });
    });
    cleanUp.push(async () => {
      for (const socket of sockets) socket.destroy();
      wire.close();
    });
    const client = connectClient(`esdb://127.0.0.1:${wirePort}?tls=false&keepAliveInterval=-1`);
    const subscription = client.subscribeToAll();
    subscription.on("error", () => undefined);
    await new Promise((resolve) => subscription.on("caughtUp", resolve).resume());
    expect(closedByServer).toBe(false);
    deaf = true;
    await expect.poll(() => closedByServer, { timeout: 60_000 }).toBe(true);
    for (const socket of sockets) socket.destroy();
    subscription.destroy();
  });
});

describe("a call's deadline", () => {
  test("is enforced for every kind of call while the database hangs, and calls succeed afterwards", async () => {
    const { url, port, databaseUrl } = await start();
    const client = connectClient(url);
    await client.appendToStream("slow", event());
    const holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
    cleanUp.push(() => holder.end());
    await holder.query("BEGIN");
    await holder.query("LOCK TABLE eventstore.events IN ACCESS EXCLUSIVE MODE");
    const credentials = { username: "admin", password: "changeit" };
    const calls = [
      client.appendToStream("slow", event(), { deadline: 300 }),
      client.appendToStream("slow", event(), { deadline: 300, credentials }),
      client.deleteStream("slow", { deadline: 300 }),
      client.tombstoneStream("slow", { deadline: 300 }),
      client.setStreamMetadata("slow", { maxCount: 1 }, { deadline: 300 }),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { type: "deadline-exceeded" } });
    }
    // The client sets no deadline for reads, and its own would hide the server's.
    const end = new shared.Empty();
    const all = new streams.ReadReq.Options.AllOptions().setStart(end);
    const named = new streams.ReadReq.Options.StreamOptions()
      .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from("slow")))
      .setStart(end);
    const options = () =>
      new streams.ReadReq.Options().setCount("10").setNoFilter(end).setResolveLinks(false);
    const reads = [options().setAll(all), options().setStream(named)].map((asked) =>
      statusOf(port, "Read", new streams.ReadReq().setOptions(asked).serializeBinary(), "300m"),
    );
    expect(await Promise.all(reads)).toEqual(["4", "4"]);
    await holder.query("ROLLBACK");
    const other = connectClient(url);
    await other.appendToStream("fine", event());
  });
});
