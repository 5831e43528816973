import {
  END,
  eventTypeFilter,
  excludeSystemEvents,
  type Filter,
  START,
  streamNameFilter,
} from "@eventstore/db-client";
import { describe, expect, test } from "vitest";
import { event, eventsOf, newStream, numbers, positionOf, useServer } from "./support.ts";

const server = useServer();

/** A word that no other test, and nobody else on the server, has in its types and streams. */
const newMark = (): string => newStream().slice(-12);

/**
 * Writes events of these types, subscribes, writes them again, and gives the types that came, once with
 * an event that certainly matches has come as the last.
 */
const typesThatPass = async (types: readonly string[], filter: Filter, last: string) => {
  const stream = newStream();
  const start = positionOf(await server.client.appendToStream(stream, event("before", "Before")));
  const write = async (round: string): Promise<void> => {
    for (const type of types) await server.client.appendToStream(stream, event(round, type));
    await server.client.appendToStream(stream, event(`${round} last`, last));
  };
  await write("history");
  const seen = server.watch(server.client.subscribeToAll({ fromPosition: start, filter }));
  await seen.until(() => seen.of(stream).some((e) => e.data === "history last"));
  await write("live");
  await seen.until(() => seen.of(stream).some((e) => e.data === "live last"));
  const of = (round: string) =>
    seen
      .of(stream)
      .filter((e) => e.data === round)
      .map((e) => e.type);
  expect(of("live")).toEqual(of("history"));
  return of("live");
};

describe("filter by event type", () => {
  const cases: readonly {
    name: string;
    filter: (m: string) => Filter;
    types: (m: string) => readonly string[];
    passing: (m: string) => readonly string[];
  }[] = [
    {
      name: "one prefix",
      filter: (m) => eventTypeFilter({ prefixes: [`Red-${m}`] }),
      types: (m) => [`Red-${m}`, `Red-${m}-dark`, `Blue-${m}`, `red-${m}`, `A-Red-${m}`],
      passing: (m) => [`Red-${m}`, `Red-${m}-dark`],
    },
    {
      name: "several prefixes",
      filter: (m) => eventTypeFilter({ prefixes: [`Red-${m}`, `Blue-${m}`] }),
      types: (m) => [`Blue-${m}`, `Green-${m}`, `Red-${m}`, `Blue-${m}2`],
      passing: (m) => [`Blue-${m}`, `Red-${m}`, `Blue-${m}2`],
    },
    {
      name: "prefixes that overlap: each event once",
      filter: (m) => eventTypeFilter({ prefixes: [`Red-${m}`, `Red-${m}-d`, `Red`] }),
      types: (m) => [`Red-${m}-dark`, `Blue-${m}`, `Red-${m}`],
      passing: (m) => [`Red-${m}-dark`, `Red-${m}`],
    },
    {
      name: "a prefix with signs that mean something elsewhere",
      filter: (m) => eventTypeFilter({ prefixes: [`100%_\\'".*-${m}`, `Red-${m}`] }),
      types: (m) => [`100%_\\'".*-${m}`, `1000x\\'".*-${m}`, `100%x\\'"a*-${m}`],
      passing: (m) => [`100%_\\'".*-${m}`],
    },
    {
      name: "a prefix beyond ASCII",
      filter: (m) => eventTypeFilter({ prefixes: [`Größe 漢字 😀-${m}`, `Red-${m}`] }),
      types: (m) => [`Größe 漢字 😀-${m}!`, `Grösse-${m}`, `größe 漢字 😀-${m}`],
      passing: (m) => [`Größe 漢字 😀-${m}!`],
    },
    {
      name: "an anchored expression",
      filter: (m) => eventTypeFilter({ regex: `^(Red|Blue)-${m}$` }),
      types: (m) => [`Red-${m}`, `Green-${m}`, `Blue-${m}`, `Blue-${m}2`, `aRed-${m}`],
      passing: (m) => [`Red-${m}`, `Blue-${m}`],
    },
    {
      name: "an expression that matches anywhere",
      filter: (m) => eventTypeFilter({ regex: `${m}` }),
      types: (m) => [`Red-${m}`, `${m}`, `a${m}b`, "Nothing"],
      passing: (m) => [`Red-${m}`, `${m}`, `a${m}b`],
    },
    {
      name: "an expression with classes and counts",
      filter: (m) => eventTypeFilter({ regex: `^[A-Z]\\w{2}\\d+-${m}|^Red-${m}` }),
      types: (m) => [`Abc12-${m}`, `abc12-${m}`, `Abcd-${m}`, `A_c1-${m}`, `Abc-${m}`],
      passing: (m) => [`Abc12-${m}`, `A_c1-${m}`],
    },
    {
      name: "an expression that tells upper from lower case, and a dot from a sign",
      filter: (m) => eventTypeFilter({ regex: `^Red\\.${m}|^Red-${m}$` }),
      types: (m) => [`Red.${m}`, `red.${m}`, `RedX${m}`],
      passing: (m) => [`Red.${m}`],
    },
    {
      name: "an expression that looks ahead",
      filter: (m) => eventTypeFilter({ regex: `^(?!Green)[A-Za-z]+-${m}` }),
      types: (m) => [`Green-${m}`, `Blue-${m}`, `Greenish-${m}`],
      passing: (m) => [`Blue-${m}`],
    },
  ];
  test.each(cases)("$name", async ({ filter, types, passing }) => {
    const mark = newMark();
    expect(await typesThatPass(types(mark), filter(mark), `Red-${mark}`)).toEqual(passing(mark));
  });
});

describe("filter by stream name", () => {
  /** Writes to these streams, subscribed to by this filter from before and live; gives the streams that came. */
  const streamsThatPass = async (streams: readonly string[], filter: Filter, last: string) => {
    const write = async (): Promise<void> => {
      for (const stream of [...streams, last]) await server.client.appendToStream(stream, event(0));
    };
    await write();
    const seen = server.watch(server.client.subscribeToAll({ fromPosition: START, filter }));
    await seen.until(() => seen.of(last).length === 1);
    await write();
    await seen.until(() => seen.of(last).length === 2);
    const passed = seen.of(...streams).map((e) => e.streamId);
    const half = passed.length / 2;
    expect(passed.slice(half)).toEqual(passed.slice(0, half));
    return passed.slice(half);
  };

  const cases: readonly {
    name: string;
    filter: (m: string) => Filter;
    streams: (m: string) => readonly string[];
    passing: (m: string) => readonly string[];
  }[] = [
    {
      name: "one prefix",
      filter: (m) => streamNameFilter({ prefixes: [`user-${m}`] }),
      streams: (m) => [`user-${m}-1`, `order-${m}-1`, `user-${m}-2`, `User-${m}`],
      passing: (m) => [`user-${m}-1`, `user-${m}-2`],
    },
    {
      name: "several prefixes",
      filter: (m) => streamNameFilter({ prefixes: [`user-${m}`, `order-${m}`] }),
      streams: (m) => [`user-${m}-1`, `order-${m}-1`, `thing-${m}-1`],
      passing: (m) => [`user-${m}-1`, `order-${m}-1`],
    },
    {
      name: "a prefix with signs that mean something elsewhere",
      filter: (m) => streamNameFilter({ prefixes: [`50%_\\-${m}`, `user-${m}`] }),
      streams: (m) => [`50%_\\-${m}`, `501_\\-${m}`, `50%a\\-${m}`],
      passing: (m) => [`50%_\\-${m}`],
    },
    {
      name: "an expression",
      filter: (m) => streamNameFilter({ regex: `^(user|order)-${m}-\\d+$|^user-${m}$` }),
      streams: (m) => [`user-${m}-12`, `order-${m}-x`, `order-${m}-7`, `a-user-${m}-1`],
      passing: (m) => [`user-${m}-12`, `order-${m}-7`],
    },
    {
      name: "the metadata streams of some streams",
      filter: (m) => streamNameFilter({ prefixes: [`$$user-${m}`, `user-${m}`] }),
      streams: (m) => [`$$user-${m}-1`, `$$order-${m}-1`],
      passing: (m) => [`$$user-${m}-1`],
    },
  ];
  test.each(cases)("$name", async ({ filter, streams, passing }) => {
    const mark = newMark();
    expect(await streamsThatPass(streams(mark), filter(mark), `user-${mark}`)).toEqual(
      passing(mark),
    );
  });
});

describe("filter without system events", () => {
  test("returns all other events from history and live", async () => {
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(stream, event(0)));
    await server.client.setStreamMetadata(stream, { owner: "me" });
    await server.client.appendToStream(stream, event(1));
    const seen = server.watch(
      server.client.subscribeToAll({ fromPosition: start, filter: excludeSystemEvents() }),
    );
    await seen.until(() => seen.of(stream).length >= 1);
    await server.client.setStreamMetadata(stream, { owner: "you" });
    await server.client.appendToStream(stream, event(2));
    await server.client.tombstoneStream(stream);
    const end = newStream();
    await server.client.appendToStream(end, event("end"));
    await seen.until(() => seen.of(end).length >= 1);
    expect(seen.of(stream).map((e) => e.data)).toEqual([1, 2]);
    expect(seen.of().filter((e) => e.type.startsWith("$"))).toEqual([]);
  });
});

describe("filtered subscription", () => {
  test("resumes after a position", async () => {
    const mark = newMark();
    const stream = newStream();
    await server.client.appendToStream(stream, event(0, mark));
    const at = positionOf(await server.client.appendToStream(stream, event(1, mark)));
    await server.client.appendToStream(stream, [event("no", "Other"), event(2, mark)]);
    const seen = server.watch(
      server.client.subscribeToAll({
        fromPosition: at,
        filter: eventTypeFilter({ prefixes: [mark] }),
      }),
    );
    await server.client.appendToStream(stream, event(3, mark));
    await seen.until(() => seen.of().length >= 2);
    expect(seen.of().map((e) => e.data)).toEqual([2, 3]);
  });

  test("from the end returns only new events", async () => {
    const mark = newMark();
    const stream = newStream();
    await server.client.appendToStream(stream, event(0, mark));
    const seen = server.watch(
      server.client.subscribeToAll({
        fromPosition: END,
        filter: eventTypeFilter({ prefixes: [mark] }),
      }),
    );
    await seen.until(() => seen.signs.includes("confirmation"));
    await server.client.appendToStream(stream, [event("no", "Other"), event(1, mark)]);
    await seen.until(() => seen.of().length >= 1);
    expect(seen.of().map((e) => e.data)).toEqual([1]);
  });

  test("confirms first and reports when it has caught up", async () => {
    const mark = newMark();
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(stream, event("start")));
    await server.client.appendToStream(stream, [event(0, mark), event(1, mark)]);
    const seen = server.watch(
      server.client.subscribeToAll({
        fromPosition: start,
        filter: eventTypeFilter({ prefixes: [mark] }),
      }),
    );
    await seen.until(() => seen.signs.includes("caughtUp"));
    expect(seen.signs).toEqual(["confirmation", "event", "event", "caughtUp"]);
  });

  test("finds sparse events in order, once", async () => {
    const mark = newMark();
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(stream, event("start")));
    for (const page of numbers(0, 9)) {
      await server.client.appendToStream(
        stream,
        numbers(page * 250, page * 250 + 249).map((n) => event(n, n % 83 === 0 ? mark : "Other")),
      );
    }
    const expected = numbers(0, 2_499).filter((n) => n % 83 === 0);
    const seen = server.watch(
      server.client.subscribeToAll({
        fromPosition: start,
        filter: eventTypeFilter({ prefixes: [mark] }),
      }),
    );
    await seen.until(() => seen.of().length >= expected.length);
    await server.client.appendToStream(stream, event("last", mark));
    await seen.until(() => seen.of().length > expected.length);
    expect(seen.of().map((e) => e.data)).toEqual([...expected, "last"]);
  });

  test("that starts during writes misses and repeats no event", async () => {
    const mark = newMark();
    const stream = newStream();
    const total = 400;
    const start = positionOf(await server.client.appendToStream(newStream(), event("start")));
    let written = 0;
    const writing = (async () => {
      while (written < total) {
        await Promise.all(
          numbers(1, 20).map(() => {
            const n = written++;
            return server.client.appendToStream(stream, [event(n, mark), event(n, "Other")]);
          }),
        );
      }
    })();
    const subscriptions = [];
    for (const filter of [
      eventTypeFilter({ prefixes: [mark] }),
      eventTypeFilter({ regex: `^${mark}$` }),
      eventTypeFilter({ prefixes: [mark], maxSearchWindow: 10, checkpointInterval: 1 }),
    ]) {
      const from = written;
      subscriptions.push(
        server.watch(server.client.subscribeToAll({ fromPosition: start, filter })),
      );
      while (written < Math.min(total, from + 60)) await new Promise((r) => setImmediate(r));
    }
    await writing;
    for (const seen of subscriptions) {
      await seen.until(() => seen.of().length >= total);
      expect(seen.of().map((e) => Number(e.revision))).toEqual(
        numbers(0, total - 1).map((n) => n * 2),
      );
    }
  });
});

describe("checkpoints of a filtered subscription", () => {
  type Settings = { maxSearchWindow?: number; checkpointInterval?: number };

  /** Subscribes with a filter that matches nothing, and collects the checkpoints. */
  const checkpointsOf = (
    fromPosition: { commit: bigint; prepare: bigint },
    settings: Settings,
    prefixes: string[],
  ) => {
    const checkpoints: { commit: bigint; prepare: bigint }[] = [];
    const seen = server.watch(
      server.client.subscribeToAll({
        fromPosition,
        filter: eventTypeFilter({
          prefixes,
          ...settings,
          checkpointReached: async (_subscription, position) => {
            checkpoints.push(position);
          },
        }),
      }),
    );
    return { checkpoints, seen };
  };

  const rising = (positions: readonly { commit: bigint }[]): boolean =>
    positions.every((p, i) => i === 0 || p.commit >= (positions[i - 1]?.commit ?? 0n));

  test("increase without matching events", async () => {
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(stream, event("start")));
    const { checkpoints, seen } = checkpointsOf(
      start,
      { maxSearchWindow: 10, checkpointInterval: 2 },
      ["NothingIsCalledSo"],
    );
    for (const n of numbers(1, 70)) await server.client.appendToStream(stream, event(n));
    await expect.poll(() => checkpoints.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
    expect(seen.of()).toEqual([]);
    expect(rising(checkpoints)).toBe(true);
    expect(checkpoints[0]?.commit).toBeGreaterThan(start.commit);
  });

  test("are sent during history", async () => {
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(stream, event("start")));
    await server.client.appendToStream(stream, eventsOf(0, 399));
    const { checkpoints } = checkpointsOf(start, { maxSearchWindow: 10, checkpointInterval: 2 }, [
      "NothingIsCalledSo",
    ]);
    await expect.poll(() => checkpoints.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(5);
    expect(rising(checkpoints)).toBe(true);
  });

  test("use a default search window", async () => {
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(stream, event("start")));
    const { checkpoints } = checkpointsOf(start, {}, ["NothingIsCalledSo"]);
    for (const _ of numbers(1, 8)) await server.client.appendToStream(stream, eventsOf(1, 20));
    await expect.poll(() => checkpoints.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  });

  test("are less frequent with a larger interval", async () => {
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(stream, event("start")));
    const often = checkpointsOf(start, { maxSearchWindow: 10, checkpointInterval: 1 }, ["Nothing"]);
    const seldom = checkpointsOf(start, { maxSearchWindow: 10, checkpointInterval: 20 }, [
      "Nothing",
    ]);
    for (const _ of numbers(1, 40)) await server.client.appendToStream(stream, eventsOf(1, 20));
    await expect
      .poll(() => seldom.checkpoints.length, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(2);
    await expect
      .poll(() => often.checkpoints.length, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(20);
    expect(often.checkpoints.length).toBeGreaterThan(seldom.checkpoints.length);
  });

  test("are positions to resume from without missing or repeated events", async () => {
    const mark = newMark();
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(stream, event("start")));
    for (const page of numbers(0, 9)) {
      await server.client.appendToStream(
        stream,
        numbers(page * 40, page * 40 + 39).map((n) => event(n, n % 9 === 0 ? mark : "Other")),
      );
    }
    const expected = numbers(0, 399).filter((n) => n % 9 === 0);
    const { checkpoints, seen } = checkpointsOf(
      start,
      { maxSearchWindow: 16, checkpointInterval: 1 },
      [mark],
    );
    await seen.until(() => seen.of().length >= expected.length);
    await expect.poll(() => checkpoints.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(4);
    for (const checkpoint of checkpoints.slice(0, 6)) {
      const rest = seen.of().filter((e) => (e.position?.commit ?? 0n) > checkpoint.commit);
      const resumed = server.watch(
        server.client.subscribeToAll({
          fromPosition: checkpoint,
          filter: eventTypeFilter({ prefixes: [mark] }),
        }),
      );
      const last = event("last", mark);
      await server.client.appendToStream(stream, last);
      await resumed.until(() => resumed.of().some((e) => e.id === last.id));
      const before = resumed.of().filter((e) => typeof e.data === "number");
      expect(before.map((e) => e.data)).toEqual(
        rest.filter((e) => typeof e.data === "number").map((e) => e.data),
      );
    }
  });
});
