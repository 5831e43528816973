import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";
import { createTest } from "../parts/runs.ts";

const BENCH = "graphql";
const TESTS = 10;
const CALLS = 100;
const AT_ONCE = 4;

/** Everything that REST says of a run. */
const QUERY = `query Run($id: ID!) {
  run(id: $id) {
    id project_id status triggered_by rerun_of test_set_id queued_at started_at finished_at duration_ms sequence
    totals { passed failed flaky errored cancelled }
    tests {
      test_id name execution_id row status duration_ms steps_done steps_total error
      attempts { number status error duration_ms } browsers { browser status duration_ms }
    }
    created_at updated_at version
  }
}`;

/** The same run with its tests, asked of one process in the two ways. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const { url, key: bearer } = service;
  const ids: string[] = [];
  for (let n = 0; n < TESTS; n += 1)
    ids.push(await createTest(service, `test ${n}`, `Go to /${n}`));
  const queued = await call(url, "POST", "/api/v1/cli/cloud-runs", {
    bearer,
    body: { test_ids: ids },
  });
  const [id] = queued.body.run_ids;
  const rest = () => call(url, "GET", `/api/v1/runs/${id}`, { bearer });
  const graphql = () =>
    call(url, "POST", "/api/v1/graphql", { bearer, body: { query: QUERY, variables: { id } } });

  const [one, other] = [(await rest()).body, (await graphql()).body.data?.run];
  if (!other || !holds(one, other)) throw new Error("The two answers are not the same");
  /** Milliseconds for each answer, so many callers at once. */
  const measure = async (ask: () => Promise<{ readonly status: number }>): Promise<number> => {
    const started = performance.now();
    let left = CALLS;
    const askOn = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const { status } = await ask();
        if (status !== 200) throw new Error(`Answered ${status}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askOn));
    return (performance.now() - started) / CALLS;
  };
  const samples = await runPairs({
    pairs: context.pairs(30),
    warmUps: 3,
    budgetMs: 60_000,
    random: context.random,
    ours: () => measure(graphql),
    peer: () => measure(rest),
  });
  return [
    pairedRow(
      {
        bench: BENCH,
        what: "a run with ten tests through GraphQL",
        unit: "ms",
        goal: { of: "ratio", atMost: 1.3 },
        peerIs:
          "GET /runs/{id} of the same service: the same fields, compared first; four callers at once, each waits for its answer",
      },
      samples,
      context.random,
    ),
  ];
};

/** Whether an answer has all that another says, in whatever order. */
const holds = (whole: unknown, part: unknown): boolean =>
  part !== null && typeof part === "object"
    ? Object.entries(part).every(([field, value]) =>
        holds((whole as Readonly<Record<string, unknown>> | null)?.[field], value),
      )
    : whole === part;
