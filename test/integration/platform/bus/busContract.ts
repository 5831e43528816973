import { afterEach, describe, expect, it } from "vitest";
import type { Bus, Job, JobConsumer } from "../../../../src/platform/bus/port.ts";

let counter = 0;
const fresh = (name: string): string => {
  counter += 1;
  return `${name}_${process.pid}_${counter}`;
};

/** The acknowledgement time of jobs whose redelivery no test waits for, long enough for a loaded machine. */
const LONG_MS = 20_000;
/** So soon it comes again where that is waited for. */
const SOON_MS = 700;

/** The contract of both buses. `open` opens a bus with this acknowledgement time in milliseconds. */
export const busContract = (open: (ackWaitMs: number) => Promise<Bus>): void => {
  const opened: { close(): unknown }[] = [];
  const bus = async (ackWaitMs = LONG_MS): Promise<Bus> => {
    const made = await open(ackWaitMs);
    opened.push(made);
    return made;
  };
  const consume = async (from: Bus, queue: string, capacity = 10): Promise<Taking> => {
    const consumer = await from.consume(queue, { capacity });
    opened.push(consumer);
    return taking(consumer);
  };

  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  describe("subjects", () => {
    it("deliver a message with headers to each subscriber", async () => {
      const it = await bus();
      const [first, second] = [it.subscribe("run.1.events"), it.subscribe("run.1.events")];
      await it.ping();
      it.publish("run.1.events", "böse ✓", { traceparent: "00-abc-def-01" });
      const expected = {
        subject: "run.1.events",
        payload: "böse ✓",
        headers: { traceparent: "00-abc-def-01" },
      };
      expect(await take(first, 1)).toEqual([expected]);
      expect(await take(second, 1)).toEqual([expected]);
    });

    it.each([
      ["run.*.events", ["run.1.events", "run.2.events"]],
      ["run.>", ["run.1.events", "run.2.events", "run.2.events.more"]],
      ["run.2.events", ["run.2.events"]],
    ])("deliver matching messages to a subscriber of %s in order", async (pattern, fitting) => {
      const it = await bus();
      const prefix = fresh("p");
      const subscription = it.subscribe(`${prefix}.${pattern}`);
      await it.ping();
      for (const subject of [
        "run.1.events",
        "run.2.events",
        "run",
        "run.2.events.more",
        "other.1",
      ]) {
        it.publish(`${prefix}.${subject}`, subject);
      }
      it.publish(`${prefix}.${pattern.replace("*", "1").replace(">", "1.events")}`, "last");
      const got = await takeUntil(subscription, "last");
      expect(got).toEqual(fitting);
    });

    it("drop messages without a subscriber", async () => {
      const it = await bus();
      const subject = fresh("gone");
      it.publish(subject, "early");
      await it.ping();
      const subscription = it.subscribe(subject);
      await it.ping();
      it.publish(subject, "late");
      expect((await take(subscription, 1)).map(({ payload }) => payload)).toEqual(["late"]);
    });

    it("end the loop of a closed subscription", async () => {
      const it = await bus();
      const subscription = it.subscribe("a.b");
      const loop = take(subscription, 1);
      subscription.close();
      expect(await loop).toEqual([]);
    });

    it.each(["", "a..b", "a b", "a.*", ">", ".a"])("reject publishing to %j", async (subject) => {
      const it = await bus();
      expect(() => it.publish(subject, "x")).toThrow("Not a subject");
    });
  });

  describe("work queue", () => {
    it("delivers each acknowledged job once with id, payload and headers", async () => {
      const it = await bus();
      const queue = fresh("q");
      for (const n of [1, 2, 3])
        await it.enqueue(queue, `id-${n}`, `work ${n}`, { traceparent: `${n}` });
      const jobs = await consume(it, queue);
      const got = [await jobs.next(), await jobs.next(), await jobs.next()];
      for (const job of got) await job.ack();
      expect(
        got.map(({ id, payload, headers, deliveries }) => ({ id, payload, headers, deliveries })),
      ).toEqual(
        [1, 2, 3].map((n) => ({
          id: `id-${n}`,
          payload: `work ${n}`,
          headers: { traceparent: `${n}` },
          deliveries: 1,
        })),
      );
      await jobs.expectNoneFor(1_000);
    });

    it("delivers a new job to a waiting consumer", async () => {
      const it = await bus();
      const queue = fresh("q");
      const jobs = await consume(it, queue);
      const waiting = jobs.next();
      await it.enqueue(queue, "a", "work");
      const job = await waiting;
      expect(job.payload).toBe("work");
      await job.ack();
    });

    it("delivers a repeated id once, also after its acknowledgement", async () => {
      const it = await bus();
      const queue = fresh("q");
      await it.enqueue(queue, "same", "first");
      await it.enqueue(queue, "same", "second");
      const jobs = await consume(it, queue);
      const job = await jobs.next();
      expect(job.payload).toBe("first");
      await job.ack();
      await it.enqueue(queue, "same", "third");
      await jobs.expectNoneFor(300);
    });

    it("redelivers an unacknowledged job after the ack wait and counts deliveries", async () => {
      const it = await bus(SOON_MS);
      const queue = fresh("q");
      await it.enqueue(queue, "a", "work");
      const jobs = await consume(it, queue, 1);
      expect((await jobs.next()).deliveries).toBe(1);
      const again = await jobs.next();
      expect([again.id, again.deliveries]).toEqual(["a", 2]);
      await again.ack();
      await jobs.expectNoneFor(1_000);
    });

    it("redelivers a returned job after its delay", async () => {
      const it = await bus();
      const queue = fresh("q");
      await it.enqueue(queue, "a", "work");
      const jobs = await consume(it, queue);
      await (await jobs.next()).retryLater(50);
      const again = await jobs.next();
      expect([again.id, again.deliveries]).toEqual(["a", 2]);
      await again.ack();
      await jobs.expectNoneFor(1_000);
    });

    it("holds jobs beyond the capacity of a consumer", async () => {
      const it = await bus();
      const queue = fresh("q");
      for (const n of [1, 2, 3, 4, 5]) await it.enqueue(queue, `${n}`, `${n}`);
      const jobs = await consume(it, queue, 2);
      const first = await jobs.next();
      const second = await jobs.next();
      await jobs.expectNoneFor(200);
      await first.ack();
      const third = await jobs.next();
      await jobs.expectNoneFor(200);
      await second.ack();
      await third.ack();
      for (const _ of [4, 5]) await (await jobs.next()).ack();
    });

    it("delivers each job to one of two consumers", async () => {
      const it = await bus();
      const queue = fresh("q");
      const ids = Array.from({ length: 20 }, (_, n) => `job-${n}`);
      const seen: string[] = [];
      const work = async (jobs: Taking): Promise<void> => {
        while (seen.length < ids.length) {
          const job = await Promise.race([jobs.next(), waitFor(() => seen.length >= ids.length)]);
          if (!job) return;
          seen.push(job.id);
          await job.ack();
        }
      };
      const workers = [await consume(it, queue, 1), await consume(it, queue, 1)].map(work);
      for (const id of ids) await it.enqueue(queue, id, id);
      await Promise.all(workers);
      expect([...seen].sort()).toEqual([...ids].sort());
    });

    it("redelivers jobs that a closed consumer had not taken", async () => {
      const it = await bus();
      const queue = fresh("q");
      for (const n of [1, 2, 3]) await it.enqueue(queue, `${n}`, `${n}`);
      const unread = await it.consume(queue, { capacity: 3 });
      await unread.close();
      const jobs = await consume(it, queue);
      const got = [await jobs.next(), await jobs.next(), await jobs.next()];
      for (const job of got) await job.ack();
      expect(got.map(({ id }) => id).sort()).toEqual(["1", "2", "3"]);
    });

    it("separates queues", async () => {
      const it = await bus();
      const [one, other] = [fresh("q"), fresh("q")];
      const jobs = await consume(it, other);
      await it.enqueue(one, "a", "x");
      await jobs.expectNoneFor(200);
    });

    it("rejects an invalid queue name", async () => {
      const it = await bus();
      await expect(it.enqueue("a.b", "1", "x")).rejects.toThrow("Not a queue name");
      await expect(it.consume("", { capacity: 1 })).rejects.toThrow("Not a queue name");
    });
  });

  it("rejects a ping after the bus is closed", async () => {
    const closed = await open(LONG_MS);
    await closed.ping();
    await closed.close();
    await expect(closed.ping()).rejects.toThrow();
  });
};

type Taking = { next(): Promise<Job>; expectNoneFor(ms: number): Promise<void> };

/** Takes jobs one by one; a job that comes while none is expected fails the test that looks. */
const taking = (consumer: JobConsumer): Taking => {
  const iterator = consumer[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<Job>> | null = null;
  const ask = (): Promise<IteratorResult<Job>> => {
    pending ??= iterator.next();
    return pending;
  };
  return {
    next: async () => {
      const result = await ask();
      pending = null;
      if (result.done) throw new Error("The consumer ended");
      return result.value;
    },
    expectNoneFor: async (ms) => {
      const none = new Promise<"none">((resolve) => setTimeout(() => resolve("none"), ms));
      expect(await Promise.race([ask(), none])).toBe("none");
    },
  };
};

const take = async <Item>(from: AsyncIterable<Item>, count: number): Promise<Item[]> => {
  const items: Item[] = [];
  for await (const item of from) {
    items.push(item);
    if (items.length === count) break;
  }
  return items;
};

const takeUntil = async (
  from: AsyncIterable<{ payload: string }>,
  last: string,
): Promise<string[]> => {
  const payloads: string[] = [];
  for await (const { payload } of from) {
    if (payload === last) break;
    payloads.push(payload);
  }
  return payloads;
};

const waitFor = async (condition: () => boolean): Promise<null> => {
  await expect.poll(condition, { timeout: 60_000 }).toBe(true);
  return null;
};
