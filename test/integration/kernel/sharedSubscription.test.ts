import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LogUnavailableError } from "../../../src/platform/eventLog/errors.ts";
import type { EventLog, LogSubscription } from "../../../src/platform/eventLog/port.ts";
import { newId } from "../../../src/platform/ids.ts";
import { shareSubscription } from "../../../src/workers/kernel/sharedSubscription.ts";
import { eventually } from "../../support/client.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";

let testLog: TestLog;
beforeAll(async () => {
  testLog = await startTestLog();
});
afterAll(() => testLog.stop());

/** The log, which also tells how many subscriptions of it are open, and can break them all. */
const counted = () => {
  const open = new Set<LogSubscription>();
  const broken = new Set<LogSubscription>();
  const log: EventLog = {
    ...testLog.log,
    subscribeAll: (options) => {
      const subscription = testLog.log.subscribeAll(options);
      const counting: LogSubscription = {
        close: async () => {
          open.delete(counting);
          await subscription.close();
        },
        async *[Symbol.asyncIterator]() {
          yield* subscription;
          if (broken.has(counting)) throw new LogUnavailableError(new Error("broken"));
        },
      };
      open.add(counting);
      return counting;
    },
  };
  return {
    log,
    open: async () => open.size,
    breakAll: async () => {
      for (const each of [...open]) {
        broken.add(each);
        await each.close();
      }
    },
    /** As a client does that is given up: it says that all is over. */
    endAll: async () => {
      for (const each of [...open]) await each.close();
    },
  };
};

const append = async (count: number): Promise<void> => {
  const metadata = {
    $correlationId: newId(),
    $causationId: newId(),
    actor: { type: "system" as const, id: "test" },
    organization_id: null,
    occurred_at: "2025-01-01T00:00:00.000Z",
    recorded_at: "2025-01-01T00:00:00.000Z",
    schema_version: 1,
  };
  const events = Array.from({ length: count }, () => ({
    id: newId(),
    type: "Happened",
    data: {},
    metadata,
  }));
  await testLog.log.append(`shared-${newId()}`, events, "any");
};

/** Follows the log; `hold` makes it wait after each event. */
const follow = (log: EventLog, after: bigint | null, hold?: () => Promise<void>) => {
  const seen: bigint[] = [];
  const subscription = log.subscribeAll({ after });
  const ended = (async () => {
    for await (const { position } of subscription) {
      seen.push(position);
      await hold?.();
    }
  })();
  return { seen, subscription, ended };
};

const positionsAfter = async (after: bigint | null): Promise<bigint[]> => {
  const positions: bigint[] = [];
  for await (const { position } of testLog.log.readAll({ after })) positions.push(position);
  return positions;
};

describe("shared subscription", () => {
  test("delivers each event once and in order to followers from different positions, also slow ones, and ends as one subscription", async () => {
    await append(40);
    const middle = (await positionsAfter(null))[20] ?? null;
    const { log, open } = counted();
    const shared = shareSubscription(log);
    let isSlow = true;
    const all = [
      follow(shared, null),
      follow(shared, middle),
      follow(shared, await testLog.log.head()),
      follow(shared, null, async () => {
        while (isSlow) await new Promise((resolve) => setTimeout(resolve, 5));
      }),
    ];
    const froms = [null, middle, await testLog.log.head(), null];
    for (let n = 0; n < 12; n += 1) await append(50);
    isSlow = false;
    await eventually(
      async () => {
        await append(1);
        return open();
      },
      (count) => count === 1,
    );
    const last = await testLog.log.head();
    await eventually(
      async () => all.every(({ seen }) => seen.at(-1) === last),
      (isThere) => isThere,
    );
    for (const [n, { seen }] of all.entries()) {
      expect(seen).toEqual(await positionsAfter(froms[n] ?? null));
    }
    await Promise.all(all.map(({ subscription }) => subscription.close()));
    await Promise.all(all.map(({ ended }) => ended));
    expect(await eventually(open, (count) => count === 0)).toBe(0);
  });

  test("reports an unrequested end to all followers", async () => {
    const { log, open, endAll } = counted();
    const shared = shareSubscription(log);
    const from = await testLog.log.head();
    const all = [follow(shared, from), follow(shared, from)];
    const over = Promise.allSettled(all.map(({ ended }) => ended));
    await eventually(
      async () => {
        await append(1);
        return open();
      },
      (count) => count === 1,
    );
    await endAll();
    expect((await over).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  test("reports a failure to all followers, which can resume", async () => {
    const { log, open, breakAll } = counted();
    const shared = shareSubscription(log);
    const from = await testLog.log.head();
    const all = [follow(shared, from), follow(shared, from)];
    const broken = Promise.allSettled(all.map(({ ended }) => ended));
    await eventually(
      async () => {
        await append(1);
        return open();
      },
      (count) => count === 1,
    );
    await breakAll();
    expect((await broken).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const again = all.map(({ seen }) => follow(shared, seen.at(-1) ?? from));
    await append(3);
    const last = await testLog.log.head();
    await eventually(
      async () => again.every(({ seen }) => seen.at(-1) === last),
      (isThere) => isThere,
    );
    for (const [n, one] of all.entries()) {
      expect([...one.seen, ...(again[n]?.seen ?? [])]).toEqual(await positionsAfter(from));
    }
    await Promise.all(again.map(({ subscription }) => subscription.close()));
  });
});
