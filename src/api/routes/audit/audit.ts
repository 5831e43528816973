import { z } from "zod";
import { parsePosition } from "../../../platform/database/types.ts";
import type { AuditLine } from "../../../projections/audit/audit.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, pageQuery, sortOrder, timeRange, timestamp } from "../../schemas.ts";

const line = z
  .object({
    id,
    event: z.string(),
    occurred_at: timestamp,
    recorded_at: timestamp,
    actor: z
      .object({
        type: z.string(),
        id: z.string(),
        name: z.string().nullable(),
        email: z.string().nullable(),
      })
      .describe("The current name and e-mail address of a person, or the name of an API key."),
    cause: z.object({ correlation_id: z.string(), causation_id: z.string() }),
    user_id: id.nullable().describe("The person concerned, null if none."),
    user_name: z.string().nullable(),
    user_email: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).describe("The data of the event."),
  })
  .meta({ id: "AuditEvent", description: "An audited event of an organisation." });

const page = z.object({ items: z.array(line), next_cursor: z.string().nullable() });

/** The log writes `camelCase`, the API `snake_case` (decision 008). */
const inSnakeCase = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inSnakeCase(inside),
    ]),
  );
};

const lineOf = (row: AuditLine): z.output<typeof line> => ({
  id: row.id,
  event: row.event,
  occurred_at: row.occurred_at,
  recorded_at: row.recorded_at,
  actor: {
    type: row.actor.type,
    id: row.actor.id,
    name: row.actor.name ?? row.actor_name,
    email: row.actor_email,
  },
  cause: { correlation_id: row.correlation_id, causation_id: row.causation_id },
  user_id: row.user_id,
  user_name: row.user_name,
  user_email: row.user_email,
  details: inSnakeCase(row.data) as Record<string, unknown>,
});

const example: z.output<typeof page> = {
  items: [
    {
      id: "019a5a6e-3f00-7000-8000-5a1de1f0a00a",
      event: "MemberRoleChanged",
      occurred_at: "2026-03-01T10:11:12.345Z",
      recorded_at: "2026-03-01T10:11:12.345Z",
      actor: {
        type: "user",
        id: "019a5a6e-3f00-7000-8000-5a1de1f0a001",
        name: "Ann Example",
        email: "ann@example.com",
      },
      cause: {
        correlation_id: "019a5a6e-3f00-7000-8000-5a1de1f0a00b",
        causation_id: "019a5a6e-3f00-7000-8000-5a1de1f0a00b",
      },
      user_id: "019a5a6e-3f00-7000-8000-5a1de1f0a00c",
      user_name: "Bob Example",
      user_email: "bob@example.com",
      details: { user_id: "019a5a6e-3f00-7000-8000-5a1de1f0a00c", from: "viewer", to: "editor" },
    },
  ],
  next_cursor: null,
};

const listAudit = defineOperation({
  id: "listAudit",
  method: "GET",
  path: "/organizations/{id}/audit",
  tag: "Organizations",
  summary:
    "List audited events, newest first unless sorted: sign-ins, members, roles, invites, API keys, exports, quarantines",
  auth: "organization",
  permission: "organization:manage",
  params: idParams,
  query: pageQuery.extend({
    cursor: z
      .string()
      .regex(/^\d{1,18}$/, "must be the next_cursor of the page before")
      .optional(),
    event: z.string().max(100).optional().describe("Only events of this type."),
    user_id: id.optional().describe("Only events about this person."),
    ...timeRange,
    sort: sortOrder,
  }),
  responses: { 200: page },
  example: { response: example },
  handler: async ({ params, query, services }) => {
    const { limit, cursor, sort, event, user_id: userId, since, until } = query;
    const after = cursor === undefined ? null : parsePosition(cursor);
    const filter = { event, userId, since, until };
    const rows = await services.audit.queries.listAudit(params.id, { limit, after, sort }, filter);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      status: 200,
      body: { items: shown.map(lineOf), next_cursor: last ? String(last.position) : null },
    };
  },
});

export const auditOperations: readonly Operation[] = [listAudit];
