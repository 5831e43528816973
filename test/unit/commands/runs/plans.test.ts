import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TESTS, type PinnedTest, planRun } from "../../../../src/commands/runs/plans.ts";
import { unitsOf } from "../../../../src/domain/catalogue/testData.ts";
import { DomainError } from "../../../../src/domain/kernel/errors.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { keyContext } from "../../../support/runsKit.ts";

const organizationId = newId();
const context = keyContext(organizationId);

const testWith = (rows: number, values = 1): PinnedTest => ({
  testId: newId(),
  organizationId,
  projectId: newId(),
  version: 1,
  name: "A test",
  stepCount: 1,
  data: {
    columns: Array.from({ length: values }, (_, n) => `column_${n}`),
    rows: Array.from({ length: rows }, (_, n) => Array(values).fill(`value ${n}`)),
  },
  callsTests: false,
});

const plan = (tests: readonly PinnedTest[], rows?: ReadonlyMap<string, readonly number[]>) =>
  planRun(
    {
      pinTests: async () => tests,
      findCallable: async () => [],
      environments: { findEnvironment: async () => null, environmentsCalled: async () => [] },
    },
    context,
    organizationId,
    { projectId: newId() },
    { environment: null, rows },
  );

describe("what a run comes to", () => {
  it("given tests with any rows, then its units are the sum of them, each row once, in order; beyond a thousand nothing", async () => {
    const counts = fc.array(fc.nat(400), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(counts, async (rows) => {
        const tests = rows.map((count) => testWith(count));
        const sum = rows.reduce((total, count) => total + unitsOf(count), 0);
        const planned = await plan(tests).catch((error: unknown) => error);
        if (sum > MAX_TESTS) {
          expect((planned as DomainError).code).toBe("run.tooManyTests");
          return;
        }
        if (planned instanceof DomainError) throw planned;
        const { executions } = planned as Awaited<ReturnType<typeof plan>>;
        expect(executions).toHaveLength(sum);
        expect(new Set(executions.map(({ executionId }) => executionId)).size).toBe(sum);
        expect(executions.map(({ testId, row }) => [testId, row?.number ?? null])).toEqual(
          tests.flatMap(({ testId, data }): [string, number | null][] =>
            data?.rows.length ? data.rows.map((_, n) => [testId, n + 1]) : [[testId, null]],
          ),
        );
      }),
      { numRuns: 40 },
    );
  });

  it("given rows that are named, then these alone; of a test that has none by now, it runs as it is", async () => {
    const [three, none] = [testWith(3), testWith(0)];
    const { executions } = await plan(
      [three, none],
      new Map([
        [three.testId, [2, 9]],
        [none.testId, [1]],
      ]),
    );
    expect(executions.map(({ testId, row }) => [testId, row?.number])).toEqual([
      [three.testId, 2],
      [none.testId, undefined],
    ]);
  });

  it("given rows that are all gone, then there is nothing to run", async () => {
    const one = testWith(1);
    const gone = plan([one], new Map([[one.testId, [7]]]));
    await expect(gone).rejects.toMatchObject({ code: "run.nothingToRun" });
  });

  it("given more in the rows than an event holds, then it is refused before anything is reserved", async () => {
    const refused = plan([testWith(900, 30)]);
    await expect(refused).rejects.toMatchObject({ code: "run.tooMuchData" });
  });
});
