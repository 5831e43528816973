import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { natsBus } from "../../../../src/platform/bus/nats.ts";
import type { Job } from "../../../../src/platform/bus/port.ts";
import { type NatsServer, startNatsServer } from "../../../support/natsServer.ts";
import { busContract } from "./busContract.ts";

let server: NatsServer;

beforeAll(async () => {
  server = await startNatsServer();
});

afterAll(async () => {
  await server?.stop();
});

describe("NATS bus", () => {
  busContract((ackWaitMs) => natsBus({ url: server.url, ackWaitMs }));
});

describe("an outage of the NATS server", () => {
  it("lets consumers and subscriptions resume on an empty server", async () => {
    const bus = await natsBus({ url: server.url, ackWaitMs: 5_000 });
    const consumer = await bus.consume("outage", { capacity: 2 });
    const heard: string[] = [];
    const done: string[] = [];
    const subscription = bus.subscribe("outage.live");
    const listening = (async () => {
      for await (const { payload } of subscription) heard.push(payload);
    })();
    const working = (async () => {
      for await (const job of consumer) {
        await job.ack();
        done.push(job.id);
      }
    })();
    await bus.enqueue("outage", "before", "x");
    await expect.poll(() => done, { timeout: 60_000 }).toEqual(["before"]);

    await server.kill();
    await expect(bus.ping()).rejects.toThrow();
    await server.start({ empty: true });

    await bus.enqueue("outage", "after", "x");
    await expect.poll(() => done, { timeout: 60_000 }).toEqual(["before", "after"]);
    await bus.ping();
    bus.publish("outage.live", "hello");
    await expect.poll(() => heard, { timeout: 60_000 }).toEqual(["hello"]);

    subscription.close();
    await consumer.close();
    await Promise.all([listening, working]);
    await bus.close();
  });

  it("keeps queued work", async () => {
    const bus = await natsBus({ url: server.url, ackWaitMs: 5_000 });
    await bus.enqueue("kept", "a", "work", { traceparent: "00-1-2-01" });
    await server.kill();
    await server.start();
    const consumer = await bus.consume("kept", { capacity: 1 });
    const jobs: Job[] = [];
    for await (const job of consumer) {
      jobs.push(job);
      await job.ack();
      break;
    }
    expect(jobs.map(({ payload, headers }) => [payload, headers])).toEqual([
      ["work", { traceparent: "00-1-2-01" }],
    ]);
    await consumer.close();
    await bus.close();
  });

  it("names setting and remedy if no server is available", async () => {
    await expect(
      natsBus({ url: "nats://user:hidden@127.0.0.1:1", patienceMs: 500 }),
    ).rejects.toThrow(
      /NATS_URL \(nats:\/\/127\.0\.0\.1:1\): the connection is refused\. .*nats-server -js/,
    );
  });
});
