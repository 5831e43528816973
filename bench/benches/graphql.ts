import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";
import { createTest } from "../parts/runs.ts";

const BENCH = "graphql";
const TESTS = 10;
const CALLS = 100;
const CALLERS = 4;

/** Every field that REST returns for a run. */
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

/** Latency of a run with its tests through GraphQL, against REST in the same process. */
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

  const [restRun, graphqlRun] = [(await rest()).body, (await graphql()).body.data?.run];
  if (!graphqlRun || !contains(restRun, graphqlRun))
    throw new Error("The responses of GraphQL and REST differ");
  /** Mean milliseconds per request with concurrent callers. */
  const measure = async (send: () => Promise<{ readonly status: number }>): Promise<number> => {
    const started = performance.now();
    let left = CALLS;
    const loop = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const { status } = await send();
        if (status !== 200) throw new Error(`The service returned ${status}`);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, loop));
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
          "GET /runs/{id} of the same service: the same fields, compared first; four callers in closed loops",
      },
      samples,
      context.random,
    ),
  ];
};

/** Whether `whole` contains every field of `part` with the same value. */
const contains = (whole: unknown, part: unknown): boolean =>
  part !== null && typeof part === "object"
    ? Object.entries(part).every(([field, value]) =>
        contains((whole as Readonly<Record<string, unknown>> | null)?.[field], value),
      )
    : whole === part;
