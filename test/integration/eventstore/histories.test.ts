import { type EventStoreDBClient, eventTypeFilter, streamNameFilter } from "@eventstore/db-client";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type EmbeddedEventStore,
  startEmbeddedEventStore,
} from "../../../src/eventstore/server.ts";
import { openClient } from "../../../src/platform/eventLog/openClient.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { seedOf } from "../../support/seed.ts";
import { size } from "../../support/thorough.ts";
import {
  type Answer,
  doRead,
  doWrite,
  type PlacedEntry,
  readFiltered,
  readLog,
  stumble,
} from "./logClient.ts";
import {
  type Decision,
  decide,
  EMPTY,
  type Expected,
  evolve,
  type Read,
  readOf,
  revived,
  type State,
  view,
  type Write,
} from "./logModel.ts";

let database: TestDatabase;
let server: EmbeddedEventStore;
let client: EventStoreDBClient;
const seed = seedOf("HISTORY_SEED");
/** A failure is shown as it was found: to shrink it takes minutes, and is asked for. */
const RUN = {
  seed,
  numRuns: 20 * size("HISTORY_TIMES", 1, 2),
  endOnFailure: process.env.HISTORY_SHRINK === undefined,
};

beforeAll(async () => {
  database = await createTestDatabase();
  await start();
  process.stdout.write(`Histories from HISTORY_SEED=${seed}\n`);
});
afterAll(async () => {
  await stop();
  await database.drop();
});

const start = async (): Promise<void> => {
  server = await startEmbeddedEventStore({ databaseUrl: database.url });
  client = openClient(server.url);
};
const stop = async (): Promise<void> => {
  await client.dispose();
  await server.stop();
};

/** A write before it has a stream's real name and events' ids; `again` repeats an earlier append of the caller. */
type Plan = {
  readonly kind: Write["kind"] | "read" | "restart";
  readonly stream: number;
  readonly expected: Expected | "head";
  readonly types: readonly string[];
  readonly metadata: Readonly<Record<string, number | string>>;
  readonly again: number | null;
  readonly part: number;
  readonly batch: boolean;
  readonly pause: number;
  readonly backwards: boolean;
  readonly from: number | null;
  readonly maxCount: number;
};

const TYPES = ["Red", "Green", "Blue", "RedAndBlue"];

const plan: fc.Arbitrary<Plan> = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant("append" as const) },
    { weight: 3, arbitrary: fc.constant("delete" as const) },
    { weight: 1, arbitrary: fc.constant("tombstone" as const) },
    { weight: 3, arbitrary: fc.constant("setMetadata" as const) },
    { weight: 4, arbitrary: fc.constant("read" as const) },
    { weight: 1, arbitrary: fc.constant("restart" as const) },
  ),
  stream: fc.constantFrom(0, 0, 0, 1, 1, 2, 3),
  expected: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Plan["expected"]>("any") },
    { weight: 3, arbitrary: fc.constant<Plan["expected"]>("head") },
    { weight: 2, arbitrary: fc.constant<Plan["expected"]>("no_stream") },
    { weight: 2, arbitrary: fc.constant<Plan["expected"]>("stream_exists") },
    { weight: 2, arbitrary: fc.bigInt(0n, 7n) },
  ),
  types: fc.array(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 4 }),
  metadata: fc.oneof(
    fc.constant({}),
    fc.record({ $maxCount: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ $tb: fc.nat(8) }),
    fc.record({ $tb: fc.nat(8), $maxCount: fc.integer({ min: 1, max: 5 }), owner: fc.string() }),
  ),
  again: fc.option(fc.nat(6), { freq: 3 }),
  part: fc.nat(3),
  batch: fc.boolean(),
  pause: fc.constantFrom(0, 0, 0, 1, 3),
  backwards: fc.boolean(),
  from: fc.option(fc.nat(9)),
  maxCount: fc.oneof(fc.constant(1_000), fc.integer({ min: 1, max: 4 })),
});

/** Creates the writes of a caller from plans. `headOf` returns the head of a stream as the caller knows it. */
const createCaller = (prefix: string, headOf: (stream: string) => Expected) => {
  const appended: (Write & { kind: "append" })[] = [];
  return {
    write: (p: Plan): Write => {
      const stream = `${prefix}-${"abcd"[p.stream]}`;
      const expected = p.expected === "head" ? headOf(stream) : p.expected;
      switch (p.kind) {
        case "append": {
          const earlier = p.again === null ? undefined : appended[p.again];
          // The same again, or a part of it, or the same expecting something else.
          const write: Write & { kind: "append" } = earlier
            ? {
                ...earlier,
                events: p.part === 0 ? earlier.events.slice(0, 1) : earlier.events,
                expected: p.part === 1 ? expected : earlier.expected,
              }
            : {
                kind: "append",
                stream,
                expected,
                events: p.types.map((type) => ({ id: newId(), type })),
              };
          appended.push(write);
          return write;
        }
        case "setMetadata":
          return { kind: "setMetadata", stream, expected, metadata: p.metadata };
        default:
          return {
            kind: p.kind === "delete" ? "delete" : "tombstone",
            stream,
            // The client supports no other expectations for deletions.
            expected: expected === "stream_exists" ? "any" : expected,
          };
      }
    },
    read: (p: Plan): Read => ({
      stream: `${prefix}-${"abcd"[p.stream]}`,
      backwards: p.backwards,
      from: p.from,
      maxCount: p.maxCount,
    }),
  };
};

/** An answer without the position: that is not the model's to know. */
type PlainAnswer =
  | { readonly kind: "written"; readonly revision: number | null }
  | Exclude<Answer, { kind: "written" }>;

/** Converts the decision of the model to a response. */
const answerOf = (write: Write, decision: Decision): PlainAnswer => {
  switch (decision.kind) {
    case "written":
      if (write.kind === "delete" || write.kind === "tombstone") {
        return { kind: "written", revision: null };
      }
      return {
        kind: "written",
        revision: decision.first + (write.kind === "append" ? write.events.length - 1 : 0),
      };
    case "repeated":
      return { kind: "written", revision: decision.last };
    default:
      return decision;
  }
};

const plain = (answer: Answer): PlainAnswer =>
  answer.kind === "written" ? { kind: "written", revision: answer.revision } : answer;

/** The events that a write adds. The ids of appended events are known, those of deletions and revivals are not. */
const entriesOf = (state: State, write: Write, decision: Decision) => {
  if (decision.kind !== "written") return [];
  const metastream = `$$${write.stream}`;
  const entries: { stream: string; type: string; id: string; data: unknown }[] = [];
  const add = (stream: string, type: string, id: string, data: unknown): void => {
    entries.push({ stream, type, id, data });
  };
  if (write.kind === "append") {
    for (const { id, type } of write.events) add(write.stream, type, id, { id });
  } else if (write.kind === "setMetadata") add(metastream, "$metadata", "", write.metadata);
  else if (write.kind === "delete") add(metastream, "$metadata", "", { $tb: LARGEST });
  else add(write.stream, "$streamDeleted", "", null);
  if (decision.revives) add(metastream, "$metadata", "", revived(state, write));
  return entries;
};

/** As the client reads it. */
const LARGEST = Number("9223372036854775807");

/** The compared fields of an event: without data for tombstones, and without ids for events of the server. */
const shape = (entry: { stream: string; type: string; id: string; data: unknown }) => ({
  stream: entry.stream,
  type: entry.type,
  id: entry.type.startsWith("$") ? "" : entry.id,
  data: entry.type === "$streamDeleted" ? null : entry.data,
});

const filters = (prefix: string) =>
  [
    { filter: eventTypeFilter({ prefixes: ["Red", "End"] }), passes: /^(Red|End)/, on: "type" },
    { filter: eventTypeFilter({ regex: "^(Blue|End)$" }), passes: /^(Blue|End)$/, on: "type" },
    {
      filter: streamNameFilter({ prefixes: [`${prefix}-a`, `$$${prefix}-b`, `${prefix}-end`] }),
      passes: new RegExp(`^(${prefix}-a|\\$\\$${prefix}-b|${prefix}-end)`),
      on: "stream",
    },
    {
      filter: streamNameFilter({ regex: `^${prefix}-[b-e]`, maxSearchWindow: 5 }),
      passes: new RegExp(`^${prefix}-[b-e]`),
      on: "stream",
    },
  ] as const;

/** Reads the log in every way, and compares all that is given with one order of entries. */
const expectEveryReadToAgree = async (
  prefix: string,
  before: bigint,
  log: readonly PlacedEntry[],
): Promise<void> => {
  const state = log.reduce(evolve, EMPTY);
  expect((await readLog(client, before, { backwards: true })).reverse()).toEqual(log);
  for (const name of "abcd") {
    const stream = `${prefix}-${name}`;
    for (const read of READS) {
      const wanted = { ...read, stream };
      expect(await doRead(client, wanted), JSON.stringify(wanted)).toEqual(readOf(state, wanted));
    }
    const seen = view(state, stream);
    const got = await client.getStreamMetadata(stream).then(
      ({ metadata }) => metadata ?? null,
      () => "deleted",
    );
    if (seen.kind === "deleted") expect(got).toBe("deleted");
    else expect(got).toEqual(asClient(state.get(stream)?.metadata ?? null));
  }
  const end = newId();
  await doWrite(
    client,
    {
      kind: "append",
      stream: `${prefix}-end`,
      expected: "any",
      events: [{ id: end, type: "End" }],
    },
    true,
  );
  for (const { filter, passes, on } of filters(prefix)) {
    const wanted = log.filter((entry) => passes.test(entry[on])).map((entry) => entry.id);
    expect(await readFiltered(client, before, filter, end)).toEqual([...wanted, end]);
  }
};

const READS = [
  { backwards: false, from: null, maxCount: 1_000 },
  { backwards: true, from: null, maxCount: 1_000 },
  { backwards: false, from: 2, maxCount: 3 },
  { backwards: true, from: 4, maxCount: 2 },
];

/** Metadata as the client gives them. */
const asClient = (metadata: Readonly<Record<string, unknown>> | null) => {
  if (!metadata) return null;
  const { $tb, $maxCount, ...rest } = metadata;
  return {
    ...rest,
    ...($tb === undefined ? {} : { truncateBefore: $tb }),
    ...($maxCount === undefined ? {} : { maxCount: $maxCount }),
  };
};

/** Waits until no other client uses the log. */
const headOfLog = async (): Promise<bigint> => {
  const [last] = await readLog(client, -1n, { backwards: true, maxCount: 1 });
  return last?.position ?? 0n;
};

test("a random sequence of writes and restarts matches the model", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { maxLength: 30 }), async (plans) => {
      const prefix = `one-${newId()}`;
      const before = await headOfLog();
      let state: State = EMPTY;
      const expected: ReturnType<typeof shape>[] = [];
      const caller = createCaller(prefix, (stream) => {
        const last = (state.get(stream)?.ids.length ?? 0) - 1;
        return last < 0 ? "no_stream" : BigInt(last);
      });
      for (const p of plans) {
        if (p.kind === "restart") {
          // The log must read its streams from the database again.
          await stop();
          await start();
          continue;
        }
        if (p.kind === "read") {
          const read = caller.read(p);
          expect(await doRead(client, read)).toEqual(readOf(state, read));
          continue;
        }
        const write = caller.write(p);
        const decision = decide(state, write);
        expect(plain(await doWrite(client, write, p.batch))).toEqual(answerOf(write, decision));
        for (const entry of entriesOf(state, write, decision)) {
          expected.push(shape(entry));
          state = evolve(state, entry);
        }
      }
      const log = await readLog(client, before);
      expect(log.map(shape)).toEqual(expected);
      expect(log.map((e) => e.position)).toEqual(log.map((_, i) => before + BigInt(i + 1)));
      await expectEveryReadToAgree(prefix, before, log);
    }),
    RUN,
  );
}, 600_000);

type Attempt = {
  /** The last position that anyone was told of when it began. */
  readonly known: bigint;
  readonly write: Write;
  readonly answer: Answer;
};
type Look = {
  readonly known: bigint;
  readonly read: Read;
  readonly result: readonly string[] | "missing" | "deleted";
};

test("random concurrent writes and reads are linearizable", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(plan, { maxLength: 10 }), { minLength: 2, maxLength: 6 }),
      async (callers) => {
        const prefix = `many-${newId()}`;
        const before = await headOfLog();
        let known = before;
        const heads = new Map<string, bigint>();
        const attempts: Attempt[] = [];
        const looks: Look[] = [];
        const watched = watchLog(before);
        await Promise.all(
          callers.map(async (plans) => {
            const caller = createCaller(prefix, (stream) => heads.get(stream) ?? "no_stream");
            for (const p of plans) {
              await stumble(p.pause);
              if (p.kind === "restart") continue;
              const start = known;
              if (p.kind === "read") {
                const read = caller.read(p);
                looks.push({ known: start, read, result: await doRead(client, read) });
                continue;
              }
              const write = caller.write(p);
              const answer = await doWrite(client, write, p.batch);
              attempts.push({ known: start, write, answer });
              if (answer.kind !== "written") continue;
              if (answer.position !== null && answer.position > known) known = answer.position;
              if (write.kind === "append" && answer.revision !== null) {
                heads.set(write.stream, BigInt(answer.revision));
              }
            }
          }),
        );

        const log = await readLog(client, before);
        expect(log.map((e) => e.position)).toEqual(log.map((_, i) => before + BigInt(i + 1)));
        // states[i] is the log after i entries.
        const states: State[] = [EMPTY];
        for (const entry of log) states.push(evolve(states.at(-1) ?? EMPTY, entry));
        const since = (position: bigint): readonly State[] =>
          states.slice(Math.max(0, Number(position - before)));
        const at = (position: bigint | null): number => Number((position ?? before) - before) - 1;

        // The log contains exactly the acknowledged writes at their positions.
        const explained = new Set<number>();
        for (const { known: start, write, answer } of attempts) {
          const named = print({ write, answer });
          if (answer.kind === "written") {
            const last = at(answer.position);
            const first = write.kind === "append" ? last - write.events.length + 1 : last;
            const state = states[first];
            const decision = state && answer.position !== null ? decide(state, write) : null;
            if (state && decision?.kind === "written" && !explained.has(first)) {
              const wrote = entriesOf(state, write, decision);
              expect(log.slice(first, first + wrote.length).map(shape)).toEqual(wrote.map(shape));
              expect(plain(answer)).toEqual(answerOf(write, decision));
              for (const i of wrote.keys()) explained.add(first + i);
              continue;
            }
          }
          const outcomes = since(start).map((state) => answerOf(write, decide(state, write)));
          const repeats = since(start).some((state) => decide(state, write).kind === "repeated");
          expect(outcomes, named).toContainEqual(plain(answer));
          if (answer.kind === "written") expect(repeats, named).toBe(true);
        }
        expect([...explained].sort((a, b) => a - b)).toEqual(log.map((_, i) => i));
        for (const { known: start, read, result } of looks) {
          expect(since(start).map((state) => readOf(state, read))).toContainEqual(result);
        }
        expect(await watched.until(log.length)).toEqual(log.map((entry) => entry.id));
        await expectEveryReadToAgree(prefix, before, log);
      },
    ),
    RUN,
  );
}, 600_000);

const print = (value: unknown): string =>
  JSON.stringify(value, (_, item) => (typeof item === "bigint" ? Number(item) : item));

/** Someone who subscribes before a history and hears all of it. */
const watchLog = (after: bigint) => {
  const ids: string[] = [];
  const subscription = client.subscribeToAll({ fromPosition: { commit: after, prepare: after } });
  let check = (): void => {};
  subscription.on("data", ({ event }) => {
    if (event) ids.push(event.id);
    check();
  });
  return {
    until: async (count: number): Promise<readonly string[]> => {
      await new Promise<void>((resolve) => {
        check = () => {
          if (ids.length >= count) resolve();
        };
        check();
      });
      await subscription.unsubscribe();
      subscription.destroy();
      return ids;
    },
  };
};
