import { describe, expect, test } from "vitest";
import {
  bufferSubscription,
  type Linger,
} from "../../../../src/platform/eventLog/bufferedSubscription.ts";
import type { LogSubscription, RecordedEvent } from "../../../../src/platform/eventLog/port.ts";

/** A subscription that brings what it is given, until it is ended or breaks. */
const fed = () => {
  const waiting: { readonly type: string }[] = [];
  let ended: Error | "closed" | null = null;
  let wake = (): void => undefined;
  const end = (how: Error | "closed"): void => {
    ended = how;
    wake();
  };
  async function* events(): AsyncGenerator<RecordedEvent> {
    for (;;) {
      const next = waiting.shift();
      if (next) yield next as RecordedEvent;
      else if (ended === "closed") return;
      else if (ended) throw ended;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }
  const subscription: LogSubscription = {
    [Symbol.asyncIterator]: () => events(),
    close: async () => end("closed"),
  };
  const give = (...types: readonly string[]): void => {
    for (const type of types) waiting.push({ type });
    wake();
  };
  return { subscription, give, end };
};

const FOREVER_MS = 3_600_000;
const lull = (more: Partial<Linger> = {}): Linger => ({
  ms: FOREVER_MS,
  enough: 10,
  mayWait: ({ type }) => type === "calm",
  ...more,
});
const types = (events: readonly RecordedEvent[] | null) => events?.map(({ type }) => type) ?? null;
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 20));

describe("buffered subscription", () => {
  test("returns an event at once without a delay", async () => {
    const { subscription, give } = fed();
    give("calm");
    expect(types(await bufferSubscription(subscription).take(10))).toEqual(["calm"]);
  });

  test("batches deferrable events that arrive within the delay", async () => {
    const { subscription, give } = fed();
    const taking = bufferSubscription(subscription).take(10, lull({ ms: 200 }));
    give("calm");
    await aMoment();
    give("calm", "calm");
    expect(types(await taking)).toEqual(["calm", "calm", "calm"]);
  });

  test("returns all events in order on one that is not deferrable", async () => {
    const { subscription, give } = fed();
    const taking = bufferSubscription(subscription).take(10, lull());
    give("calm", "calm");
    await aMoment();
    give("urgent");
    expect(types(await taking)).toEqual(["calm", "calm", "urgent"]);
  });

  test("does not wait if any event in the queue is not deferrable", async () => {
    const { subscription, give } = fed();
    const gathered = bufferSubscription(subscription);
    give("urgent", "calm");
    await aMoment();
    expect(types(await gathered.take(10, lull()))).toEqual(["urgent", "calm"]);
  });

  test("returns deferrable events when the batch is full", async () => {
    const { subscription, give } = fed();
    const taking = bufferSubscription(subscription).take(2, lull({ enough: 3 }));
    give("calm", "calm", "calm");
    expect(types(await taking)).toEqual(["calm", "calm"]);
  });

  test("returns deferrable events and nothing more after a close", async () => {
    const { subscription, give } = fed();
    const gathered = bufferSubscription(subscription);
    const taking = gathered.take(10, lull());
    give("calm");
    await aMoment();
    await gathered.close();
    expect(types(await taking)).toEqual(["calm"]);
    expect(await gathered.take(10, lull())).toBeNull();
  });

  test("returns deferrable events before it throws after a broken subscription", async () => {
    const { subscription, give, end } = fed();
    const gathered = bufferSubscription(subscription);
    const taking = gathered.take(10, lull());
    give("calm");
    await aMoment();
    end(new Error("gone"));
    expect(types(await taking)).toEqual(["calm"]);
    await expect(gathered.take(10, lull())).rejects.toThrow("gone");
  });
});
