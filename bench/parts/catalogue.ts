import { call } from "../../test/support/client.ts";
import type { HostedService } from "./host.ts";
import { query } from "./postgres.ts";

export const NOUNS = "order cart invoice login profile search basket refund coupon report".split(
  " ",
);
export const VERBS = "creates edits deletes shows filters exports prints sends checks opens".split(
  " ",
);

/** The id of the n-th test. */
export const testIdOf = (n: number): string =>
  `01900000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

/** The containers of the tests. */
export type CataloguePlaces = {
  readonly projectId: string;
  readonly folderId: string;
  readonly tagId: string;
};

const makePlaces = async (service: HostedService): Promise<CataloguePlaces> => {
  const post = async (path: string, body: object): Promise<string> =>
    (await call(service.url, "POST", `/api/v1${path}`, { bearer: service.key, body })).body.id;
  const projectId = await post("/projects", { name: "Shop" });
  const folderId = await post("/folders", { name: "Checkout", project_id: projectId });
  return { projectId, folderId, tagId: await post("/tags", { name: "area" }) };
};

/**
 * Inserts tests into the tables of the read models, as the projections would, up to number `to`.
 * With `before`, the tests up to `before.to` exist already.
 */
export const fillCatalogue = async (
  service: HostedService,
  to: number,
  before?: { readonly places: CataloguePlaces; readonly to: number },
): Promise<CataloguePlaces> => {
  const places = before?.places ?? (await makePlaces(service));
  const { projectId, folderId, tagId } = places;
  const from = (before?.to ?? 0) + 1;
  /** The schema of the table. `public` has a view of it, which VACUUM and ANALYZE skip. */
  const schemaOf = async (table: string): Promise<string> => {
    const [row] = await query<{ schema: string }>(
      service.databaseUrl,
      "SELECT table_schema AS schema FROM information_schema.tables WHERE table_name = $1 AND table_type = 'BASE TABLE'",
      [table],
    );
    if (!row) throw new Error(`Table ${table} does not exist`);
    return row.schema;
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
     FROM generate_series(${from}, ${to}) AS n,
       LATERAL (SELECT ($4::text[])[1 + n % 10] AS o, ($5::text[])[1 + n * 7 % 10] AS v) AS words`,
    [service.account.organizationId, projectId, folderId, NOUNS, VERBS],
  );
  await query(
    service.databaseUrl,
    `INSERT INTO "${tags}".test_tags (test_id, tag_id)
     SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n * 50), 12, '0'))::uuid, $1::uuid
     FROM generate_series(${Math.ceil(from / 50)}, ${Math.floor(to / 50)}) AS n`,
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
  return places;
};
