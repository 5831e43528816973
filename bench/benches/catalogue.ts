import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { quantile } from "../harness/statistics.ts";
import { fillCatalogue, NOUNS, testIdOf, VERBS } from "../parts/catalogue.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";

const BENCH = "catalogue";
const TESTS = 100_000;
const REQUESTS = 300;
const WARM_UPS = 20;

/** Latency of lists and searches among 100,000 tests of one organisation. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const place = await fillCatalogue(service, TESTS);
  const cursor = testIdOf(TESTS / 2);
  const at = (n: number) => ({ noun: NOUNS[n % 10], verb: VERBS[(n * 7) % 10], number: n * 311 });
  const requests: readonly (readonly [what: string, path: (n: number) => string])[] = [
    ["list", () => "limit=50"],
    ["list, middle page", () => `limit=50&cursor=${cursor}`],
    ["list of a project", () => `limit=50&project_id=${place.projectId}`],
    ["list of a folder", () => `limit=50&folder_id=${place.folderId}`],
    ["list of a tag", () => "limit=50&tag=area"],
    ["search, one word", (n) => `q=${at(n).noun}`],
    ["search, two words", (n) => `q=${at(n).verb}%20${at(n).noun}`],
    ["search, a number in the steps", (n) => `q=${at(n).number % TESTS}`],
    ["search, misspelt word", (n) => `q=${at(n).noun}x`],
    ["search, no match", (n) => `q=zzyzx${n}`],
  ];
  const rows = [];
  for (const [what, path] of requests) {
    context.log(`${what} …`);
    const samples = await measure(service, path);
    rows.push(
      plainRow(
        {
          bench: BENCH,
          what: `${what}, p99`,
          unit: "ms",
          goal: { of: "value", atMost: 50 },
          note: `GET /tests over HTTP, ${REQUESTS} times; ${TESTS.toLocaleString("en-US")} tests inserted into the read model by INSERT … SELECT, followed by VACUUM ANALYZE, which PostgreSQL does on its own within a minute`,
        },
        samples,
        (all) => quantile(all, 0.99),
      ),
    );
  }
  return rows;
};

const measure = async (service: HostedService, path: (n: number) => string): Promise<number[]> => {
  const samples: number[] = [];
  for (let n = 0; n < REQUESTS + WARM_UPS; n += 1) {
    const started = performance.now();
    const { status } = await call(service.url, "GET", `/api/v1/tests?${path(n)}`, {
      bearer: service.key,
    });
    if (status !== 200) throw new Error(`GET /tests returned ${status}`);
    if (n >= WARM_UPS) samples.push(performance.now() - started);
  }
  return samples;
};
