import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { quantile } from "../harness/statistics.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";
import { query } from "../parts/postgres.ts";

const BENCH = "catalogue";
const TESTS = 100_000;
const ASKED = 300;
const WARM_UPS = 20;

const NOUNS = "order cart invoice login profile search basket refund coupon report".split(" ");
const VERBS = "creates edits deletes shows filters exports prints sends checks opens".split(" ");

/** Lists and searches among 100,000 tests of one organisation, asked one after the other. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const place = await fill(service);
  const cursor = idOf(TESTS / 2);
  const at = (n: number) => ({ noun: NOUNS[n % 10], verb: VERBS[(n * 7) % 10], number: n * 311 });
  const asked: readonly (readonly [what: string, path: (n: number) => string])[] = [
    ["list", () => "limit=50"],
    ["list, a page far on", () => `limit=50&cursor=${cursor}`],
    ["list of a project", () => `limit=50&project_id=${place.projectId}`],
    ["list of a folder", () => `limit=50&folder_id=${place.folderId}`],
    ["list of a tag", () => "limit=50&tag=area"],
    ["search, one word", (n) => `q=${at(n).noun}`],
    ["search, two words", (n) => `q=${at(n).verb}%20${at(n).noun}`],
    ["search, a number in the steps", (n) => `q=${at(n).number % TESTS}`],
    ["search, a letter wrong", (n) => `q=${at(n).noun}x`],
    ["search, nothing like it", (n) => `q=zzyzx${n}`],
  ];
  const rows = [];
  for (const [what, path] of asked) {
    context.say(`${what} …`);
    const samples = await ask(service, path);
    rows.push(
      plainRow(
        {
          bench: BENCH,
          what: `${what}, p99`,
          unit: "ms",
          goal: { of: "value", atMost: 50 },
          note: `GET /tests over HTTP, ${ASKED} times; ${TESTS.toLocaleString("en-US")} tests written into the read model by INSERT … SELECT, not by commands`,
        },
        samples,
        (all) => quantile(all, 0.99),
      ),
    );
  }
  return rows;
};

const ask = async (service: HostedService, path: (n: number) => string): Promise<number[]> => {
  const samples: number[] = [];
  for (let n = 0; n < ASKED + WARM_UPS; n += 1) {
    const started = performance.now();
    const { status } = await call(service.url, "GET", `/api/v1/tests?${path(n)}`, {
      bearer: service.key,
    });
    if (status !== 200) throw new Error(`Answered ${status}`);
    if (n >= WARM_UPS) samples.push(performance.now() - started);
  }
  return samples;
};

const idOf = (n: number): string => `01900000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

/** Writes the tests into the tables of the read models, as their projections would have. */
const fill = async (
  service: HostedService,
): Promise<{ readonly projectId: string; readonly folderId: string }> => {
  const post = async (path: string, body: object): Promise<string> =>
    (await call(service.url, "POST", `/api/v1${path}`, { bearer: service.key, body })).body.id;
  const projectId = await post("/projects", { name: "Shop" });
  const folderId = await post("/folders", { name: "Checkout", project_id: projectId });
  const tagId = await post("/tags", { name: "area" });
  const schemaOf = async (table: string): Promise<string> => {
    const [row] = await query<{ schema: string }>(
      service.databaseUrl,
      "SELECT table_schema AS schema FROM information_schema.tables WHERE table_name = $1 ORDER BY table_schema DESC",
      [table],
    );
    return row?.schema ?? "public";
  };
  const [tests, tags] = [await schemaOf("tests"), await schemaOf("test_tags")];
  await query(
    service.databaseUrl,
    `INSERT INTO "${tests}".tests (id, organization_id, project_id, folder_id, name, text, language, platform,
       steps, step_count, created_at, updated_at, version, deleted_at, name_words, words, data)
     SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1::uuid,
       CASE WHEN n % 2 = 0 THEN $2::uuid END, CASE WHEN n % 20 = 0 THEN $3::uuid END,
       initcap(v) || ' ' || o || ' ' || n, 'Go to /' || o || '/' || n, 'en', 'web',
       jsonb_build_array(jsonb_build_object('id', gen_random_uuid(), 'action', 'navigate', 'target', '', 'value',
         '/' || o || '/' || n, 'description', 'Go to /' || o || '/' || n, 'optional', false, 'disabled', false)),
       1, now(), now(), 1, NULL, v || ' ' || o || ' ' || n, 'go to ' || o || ' ' || n, '{"columns": [], "rows": []}'::jsonb
     FROM generate_series(1, ${TESTS}) AS n,
       LATERAL (SELECT ($4::text[])[1 + n % 10] AS o, ($5::text[])[1 + n * 7 % 10] AS v) AS words`,
    [service.account.organizationId, projectId, folderId, NOUNS, VERBS],
  );
  await query(
    service.databaseUrl,
    `INSERT INTO "${tags}".test_tags (test_id, tag_id)
     SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n * 50), 12, '0'))::uuid, $1::uuid
     FROM generate_series(1, ${TESTS / 50}) AS n`,
    [tagId],
  );
  await query(
    service.databaseUrl,
    `INSERT INTO "${tests}".test_words (organization_id, word)
     SELECT DISTINCT organization_id, unnest(string_to_array(name_words, ' ')) FROM "${tests}".tests
     ON CONFLICT DO NOTHING`,
  );
  await query(service.databaseUrl, `VACUUM ANALYZE "${tests}".tests`);
  await query(service.databaseUrl, `VACUUM ANALYZE "${tests}".test_words`);
  await query(service.databaseUrl, `VACUUM ANALYZE "${tags}".test_tags`);
  return { projectId, folderId };
};
