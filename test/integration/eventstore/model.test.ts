import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WrongRevisionError } from "../../../src/platform/eventLog/errors.ts";
import type { ExpectedRevision, RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import { newId } from "../../../src/platform/ids.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";
import { collect, newEvent, takeUntil } from "./support.ts";

let running: TestLog;
beforeAll(async () => {
  running = await startTestLog();
});
afterAll(() => running.stop());

type Step = {
  readonly stream: number;
  readonly expected: ExpectedRevision;
  readonly events: number;
  /** Which earlier append of this caller is sent again instead, if any. */
  readonly again: number | null;
};

const step: fc.Arbitrary<Step> = fc.record({
  stream: fc.nat(2),
  expected: fc.oneof(
    fc.constant<ExpectedRevision>("any"),
    fc.constant<ExpectedRevision>("no_stream"),
    fc.bigInt(0n, 6n),
  ),
  events: fc.integer({ min: 1, max: 3 }),
  again: fc.option(fc.nat(5), { freq: 3 }),
});

type Attempt = {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly ids: readonly string[];
  readonly outcome: { revision: bigint; position: bigint } | "wrong revision";
};

test("random concurrent appends are linearizable", async () => {
  const { log } = running;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 8 }), { minLength: 1, maxLength: 6 }),
      async (callers) => {
        const prefix = newId();
        const before = await log.head();
        const subscription = log.subscribeAll({ after: before });
        const attempts: Attempt[] = [];
        await Promise.all(
          callers.map(async (steps) => {
            const own: {
              stream: string;
              expected: ExpectedRevision;
              events: ReturnType<typeof newEvent>[];
            }[] = [];
            for (const { stream, expected, events, again } of steps) {
              const sent = (again === null ? undefined : own[again]) ?? {
                stream: `model-${prefix}-${stream}`,
                expected,
                events: Array.from({ length: events }, () => newEvent({ stream })),
              };
              own.push(sent);
              const outcome = await log
                .append(sent.stream, sent.events, sent.expected)
                .catch((error) => {
                  if (error instanceof WrongRevisionError) return "wrong revision" as const;
                  throw error;
                });
              attempts.push({
                stream: sent.stream,
                expected: sent.expected,
                ids: sent.events.map((e) => e.id),
                outcome,
              });
            }
          }),
        );

        const all = await collect(log.readAll({ after: before }));
        // Positions have no gap, revisions count up in each stream, and both orders agree.
        expect(all.map((e) => e.position)).toEqual(
          all.map((_, i) => (before ?? 0n) + BigInt(i + 1)),
        );
        const streams = new Map<string, RecordedEvent[]>();
        for (const event of all) {
          const events = streams.get(event.stream) ?? [];
          expect(event.revision).toBe(BigInt(events.length));
          streams.set(event.stream, [...events, event]);
        }
        for (const [name, events] of streams) {
          expect(await collect(log.readStream(name))).toEqual(events);
          expect(await collect(log.readStreamBackwards(name))).toEqual([...events].reverse());
        }
        // An append that succeeded stands there whole, where it was expected; one that failed had a reason.
        const written = new Set<string>();
        for (const { stream, expected, ids, outcome } of attempts) {
          if (outcome === "wrong revision") continue;
          for (const id of ids) written.add(id);
          const events = streams.get(stream) ?? [];
          const last = Number(outcome.revision);
          expect(events.slice(last - ids.length + 1, last + 1).map((e) => e.id)).toEqual(ids);
          expect(events[last]?.position).toBe(outcome.position);
          if (expected !== "any") {
            const first = expected === "no_stream" ? 0n : expected + 1n;
            expect(events[Number(first)]?.id).toBe(ids[0]);
          }
        }
        for (const event of all) expect(written.has(event.id)).toBe(true);
        for (const { stream, expected, outcome } of attempts) {
          if (outcome !== "wrong revision") continue;
          expect(expected).not.toBe("any");
          // "no_stream" fails only where there is a stream; a revision may also have been too early.
          if (expected === "no_stream") expect(streams.get(stream)?.length).toBeGreaterThan(0);
        }
        // A subscriber who was there all the time has seen just this.
        const seen = await takeUntil(
          all.length === 0 ? nothing() : subscription,
          (taken) => taken.length === all.length,
        );
        await subscription.close();
        expect(seen).toEqual(all);
      },
    ),
    { numRuns: 25 },
  );
});

test("random appends of one caller match the model", async () => {
  const { log } = running;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const prefix = newId();
      const before = await log.head();
      const model = new Map<string, string[]>();
      const sentBefore: { name: string; expected: ExpectedRevision; ids: string[] }[] = [];
      let count = 0;
      for (const { stream, expected, events, again } of steps) {
        const sent = (again === null ? undefined : sentBefore[again]) ?? {
          name: `exact-${prefix}-${stream}`,
          expected,
          ids: Array.from({ length: events }, () => newId()),
        };
        sentBefore.push(sent);
        const answer = await log
          .append(
            sent.name,
            sent.ids.map((id) => newEvent({}, id)),
            sent.expected,
          )
          .then(
            ({ revision }) => Number(revision),
            (error) => {
              if (error instanceof WrongRevisionError) return "wrong revision";
              throw error;
            },
          );
        const known = model.get(sent.name) ?? [];
        const claimed =
          sent.expected === "no_stream"
            ? 0
            : sent.expected === "any"
              ? known.lastIndexOf(sent.ids[0] ?? "")
              : Number(sent.expected) + 1;
        const end = claimed + sent.ids.length - 1;
        const repeats = claimed >= 0 && sent.ids.every((id, i) => known[claimed + i] === id);
        if (claimed === known.length || (sent.expected === "any" && !repeats)) {
          expect(answer).toBe(known.length + sent.ids.length - 1);
          model.set(sent.name, [...known, ...sent.ids]);
          count += sent.ids.length;
        } else {
          expect(answer).toBe(repeats ? end : "wrong revision");
        }
      }
      for (const [name, ids] of model) {
        expect((await collect(log.readStream(name))).map((e) => e.id)).toEqual(ids);
      }
      expect(await collect(log.readAll({ after: before }))).toHaveLength(count);
    }),
    { numRuns: 40 },
  );
});

async function* nothing(): AsyncGenerator<RecordedEvent> {}
