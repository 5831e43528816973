import { createHash } from "node:crypto";
import Fastify from "fastify";
import pg from "pg";
import { serveParent } from "../harness/helperProcess.ts";
import type { FastifyPeerProcedures } from "../parts/fastifyPeer.ts";

/**
 * The peer of `list-tests`: bare Fastify and pg with the same key check (hash lookup, cached for 800 ms),
 * the same SQL and the same response.
 */
const CACHE_MS = 800;
const POOL = 10;

const LIST = `
  select id, organization_id, project_id, folder_id, name, language, platform, step_count, created_at, updated_at, version,
    coalesce((select json_agg(json_build_object('id', tags.id, 'name', tags.name) order by tags.name, tags.id)
      from test_tags join tags on tags.id = test_tags.tag_id where test_tags.test_id = tests.id), '[]') as tags
  from tests where organization_id = $1 and deleted_at is null order by id desc limit $2`;
const FIND_KEY = `select * from "api_key_hashes" where "hash" = $1`;

const text = { type: "string" } as const;
const optionalText = { type: ["string", "null"] } as const;
const integer = { type: "integer" } as const;
const schema = {
  querystring: {
    type: "object",
    properties: { limit: { ...integer, minimum: 1, maximum: 100, default: 50 } },
  },
  response: {
    200: {
      type: "object",
      properties: {
        items: {
          type: "array",
          items: {
            type: "object",
            properties: {
              id: text,
              created_at: text,
              updated_at: text,
              version: integer,
              name: text,
              project_id: optionalText,
              folder_id: optionalText,
              tags: {
                type: "array",
                items: { type: "object", properties: { id: text, name: text } },
              },
              language: text,
              platform: text,
              step_count: integer,
            },
          },
        },
        next_cursor: optionalText,
      },
    },
  },
} as const;

type CachedKey = { readonly organizationId: string; readonly until: number };
type KeyRow = { organization_id: string; revoked_at: Date | null; expires_at: Date | null };
type TestRow = { id: string; created_at: Date; updated_at: Date };

const serve = async (databaseUrl: string): Promise<string> => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL });
  pool.on("error", () => undefined);
  const cache = new Map<string, CachedKey>();

  const organizationOf = async (authorization: string | undefined): Promise<string | null> => {
    const hash = createHash("sha256")
      .update(authorization?.replace(/^Bearer /, "") ?? "")
      .digest();
    const id = hash.toString("base64");
    const hit = cache.get(id);
    if (hit && hit.until > performance.now()) return hit.organizationId;
    const { rows } = await pool.query<KeyRow>(FIND_KEY, [hash]);
    const [row] = rows;
    if (!row || row.revoked_at !== null) return null;
    if (row.expires_at !== null && row.expires_at.getTime() <= Date.now()) return null;
    cache.set(id, { organizationId: row.organization_id, until: performance.now() + CACHE_MS });
    return row.organization_id;
  };

  const app = Fastify();
  app.get<{ Querystring: { limit: number } }>(
    "/api/v1/cli/tests",
    { schema },
    async (request, reply) => {
      const organizationId = await organizationOf(request.headers.authorization);
      if (organizationId === null) return reply.code(401).send({ detail: "The key is not valid." });
      const { limit } = request.query;
      const { rows } = await pool.query<TestRow>(LIST, [organizationId, limit + 1]);
      const items = rows.slice(0, limit).map((row) => ({
        ...row,
        created_at: row.created_at.toISOString(),
        updated_at: row.updated_at.toISOString(),
      }));
      return { items, next_cursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
    },
  );
  return app.listen({ host: "127.0.0.1", port: 0 });
};

serveParent<FastifyPeerProcedures>({
  serve: async ({ databaseUrl }) => ({ url: await serve(databaseUrl) }),
});

process.on("disconnect", () => process.exit(0));
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => undefined);
