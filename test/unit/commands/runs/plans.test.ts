import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PinnedTest } from "../../../../src/commands/runs/pinnedTests.ts";
import { MAX_TESTS, planRun } from "../../../../src/commands/runs/plans.ts";
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
      findSources: async () => [],
      checkProject: async () => {},
      environments: { findEnvironment: async () => null, environmentsCalled: async () => [] },
    },
    context,
    organizationId,
    { projectId: newId() },
    { environment: null, rows },
  );

describe("the plan of a run", () => {
  it("counts one unit per data row, in order, and refuses more than 1000", async () => {
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

  it("runs only the named rows, and runs a test without any rows once without data", async () => {
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

  it("is empty if none of the named rows exists", async () => {
    const one = testWith(1);
    const gone = plan([one], new Map([[one.testId, [7]]]));
    await expect(gone).rejects.toMatchObject({ code: "run.nothingToRun" });
  });

  it("refuses rows that exceed the size of an event before it reserves quota", async () => {
    const refused = plan([testWith(900, 30)]);
    await expect(refused).rejects.toMatchObject({ code: "run.tooMuchData" });
  });
});
