import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Dispatch } from "../../../../src/stores/runs/dispatchQueue.ts";
import { admit, admitAsking } from "../../../../src/workers/runs/admission.ts";

const dispatch = (organizationId: string, n: number): Dispatch => ({
  executionId: `${organizationId}-${n}`,
  organizationId,
  runId: `run-${organizationId}`,
  quotaPeriod: "202501",
  delivery: 1,
  offers: 0,
  everClaimed: false,
});

const many = (organizationId: string, count: number): Dispatch[] =>
  Array.from({ length: count }, (_, n) => dispatch(organizationId, n));

const ids = (dispatches: readonly Dispatch[]) => dispatches.map((one) => one.executionId);

const view = (
  waiting: readonly Dispatch[],
  freeSlots: number,
  active: [string, number][] = [],
) => ({
  waiting,
  freeSlots,
  active: new Map(active),
});

describe("admission", () => {
  test("is first come, first served within an organisation", () => {
    expect(ids(admit(view(many("a", 3), 2), () => 5, new Map()))).toEqual(["a-0", "a-1"]);
  });

  test("shares slots between a long and a short queue", () => {
    const waiting = [...many("a", 100), ...many("b", 2)];
    expect(ids(admit(view(waiting, 4), () => 50, new Map()))).toEqual(["a-0", "b-0", "a-1", "b-1"]);
  });

  test("alternates between two organisations on one slot", () => {
    const queues = new Map([
      ["a", many("a", 3)],
      ["b", many("b", 3)],
    ]);
    const turns = new Map<string, number>();
    const served: string[] = [];
    for (let turn = 1; turn <= 6; turn += 1) {
      const [one] = admit(view([...queues.values()].flat(), 1), () => 1, turns);
      if (!one) break;
      turns.set(one.organizationId, turn);
      queues.get(one.organizationId)?.shift();
      served.push(one.executionId);
    }
    expect(served).toEqual(["a-0", "b-0", "a-1", "b-1", "a-2", "b-2"]);
  });

  test("respects the parallelism of an organisation's plan", () => {
    const waiting = [...many("a", 5), ...many("b", 5)];
    const admitted = admit(view(waiting, 10, [["a", 1]]), (id) => (id === "a" ? 1 : 2), new Map());
    expect(ids(admitted)).toEqual(["b-0", "b-1"]);
  });

  test("admits nothing without a slot", () => {
    expect(admit(view(many("a", 5), 0), () => 5, new Map())).toEqual([]);
  });

  test("respects limits, leaves no usable slot idle and shares fairly, for any queue", () => {
    const organizations = ["a", "b", "c", "d"];
    const perOrganization = fc.record({
      waiting: fc.nat(12),
      active: fc.nat(4),
      parallelism: fc.nat(6),
    });
    fc.assert(
      fc.property(
        fc.tuple(...organizations.map(() => perOrganization)),
        fc.nat(16),
        fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 4, maxLength: 4 }),
        (settings, freeSlots, turns) => {
          const of = (id: string) => {
            const found = settings[organizations.indexOf(id)];
            if (!found) throw new Error(id);
            return found;
          };
          const waiting = organizations.flatMap((id) => many(id, of(id).waiting));
          const admitted = admit(
            view(
              waiting,
              freeSlots,
              organizations.map((id) => [id, of(id).active]),
            ),
            (id) => of(id).parallelism,
            new Map(organizations.map((id, index) => [id, turns[index] ?? 0])),
          );
          const given = (id: string) => admitted.filter((one) => one.organizationId === id).length;
          const total = (id: string) => of(id).active + given(id);
          const couldTakeMore = (id: string) =>
            given(id) < of(id).waiting && total(id) < of(id).parallelism;

          expect(admitted.length).toBeLessThanOrEqual(freeSlots);
          expect(new Set(ids(admitted)).size).toBe(admitted.length);
          for (const id of organizations) {
            expect(total(id)).toBeLessThanOrEqual(Math.max(of(id).parallelism, of(id).active));
            const own = admitted.filter((one) => one.organizationId === id);
            expect(ids(own)).toEqual(ids(many(id, given(id))));
          }
          if (admitted.length < freeSlots) expect(organizations.filter(couldTakeMore)).toEqual([]);
          for (const poor of organizations.filter(couldTakeMore)) {
            for (const rich of organizations.filter((id) => given(id) > 0))
              expect(total(rich)).toBeLessThanOrEqual(total(poor) + 1);
          }
        },
      ),
    );
  });

  test("reads few plans for thousands of waiting organisations, with the same result", async () => {
    const waiting = Array.from({ length: 5_000 }, (_, n) => dispatch(`o${n}`, 0));
    const atLimit: [string, number][] = waiting.slice(0, 100).map((one) => [one.organizationId, 1]);
    const asked: string[] = [];
    const parallelismOf = async (id: string) => {
      asked.push(id);
      return 1;
    };
    const chosen = await admitAsking(view(waiting, 8, atLimit), parallelismOf, new Map());
    expect(ids(chosen)).toEqual(ids(waiting.slice(100, 108)));
    expect(asked.length).toBeLessThan(200);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test("admits the same executions whether plans are read gradually or known", async () => {
    const organization = fc.record({
      waiting: fc.nat(4),
      active: fc.nat(3),
      turn: fc.nat(5),
      parallelism: fc.nat(4),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(organization, { maxLength: 150 }),
        fc.nat(12),
        async (organizations, freeSlots) => {
          const waiting = organizations.flatMap((one, n) => many(`o${n}`, one.waiting));
          const active = organizations.map((one, n): [string, number] => [`o${n}`, one.active]);
          const turns = new Map(organizations.map((one, n) => [`o${n}`, one.turn]));
          const limitOf = (id: string) => organizations[Number(id.slice(1))]?.parallelism ?? 0;
          const all = view(waiting, freeSlots, active);
          const chosen = await admitAsking(all, async (id) => limitOf(id), turns);
          expect(ids(chosen)).toEqual(ids(admit(all, limitOf, turns)));
        },
      ),
      { numRuns: 60 },
    );
  });
});
