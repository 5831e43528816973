import { z } from "zod";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import {
  binary,
  id,
  pageOf,
  pageQuery,
  sortOrder,
  timeRange,
  timestamp,
  toPage,
} from "../../schemas.ts";

const notificationStatus = z.enum(["requested", "sent", "abandoned"]);

const notification = z
  .object({
    id,
    created_at: timestamp,
    updated_at: timestamp,
    version: z.int().positive(),
    kind: z.enum(["run", "tick_refused", "runs_again"]),
    run_id: id.nullable(),
    schedule_id: id.nullable(),
    contact_id: id.nullable(),
    email: z.string().nullable().describe("Null if the person was erased."),
    status: notificationStatus,
    attempts: z.int().describe("The number of failed attempts."),
    reason: z.string().nullable(),
    next_try_at: timestamp.nullable(),
  })
  .meta({ id: "Notification", description: "A mail about a run." });

const listNotifications = defineOperation({
  id: "listNotifications",
  method: "GET",
  path: "/notifications",
  tag: "Notifications",
  summary: "List mails about runs with recipient and delivery status, newest first unless sorted",
  auth: "member",
  permission: "results:read",
  query: pageQuery.extend({
    status: notificationStatus.optional(),
    run_id: id.optional().describe("Only mails about this run."),
    schedule_id: id.optional().describe("Only mails about this schedule."),
    ...timeRange,
    sort: sortOrder,
  }),
  responses: { 200: pageOf(notification) },
  example: {
    response: {
      items: [
        {
          id: "019a5a6e-3f05-7000-8000-5a1de1f0a010",
          created_at: "2026-03-02T01:31:00.512Z",
          updated_at: "2026-03-02T01:31:01.112Z",
          version: 2,
          kind: "run",
          run_id: "019a5a6e-3f05-7000-8000-5a1de1f0a00e",
          schedule_id: "019a5a6e-3f05-7000-8000-5a1de1f0a00c",
          contact_id: null,
          email: "ann@example.com",
          status: "sent",
          attempts: 0,
          reason: null,
          next_try_at: null,
        },
      ],
      next_cursor: null,
    },
  },
  handler: async ({ query, principal, services }) => {
    const { commands, queries } = services.notifications;
    const rows = await queries.listNotifications(principal.organizationId, query, {
      status: query.status,
      runId: query.run_id,
      scheduleId: query.schedule_id,
      since: query.since,
      until: query.until,
    });
    const people = await commands.addressees(rows.map((row) => row.id));
    const items = rows.map(({ organization_id: _, ...row }) => ({
      ...row,
      email: people.get(row.id)?.email ?? null,
    }));
    return { status: 200, body: toPage(items, query.limit) };
  },
});

const unsubscribing = {
  path: "/notifications/unsubscribe",
  tag: "Notifications",
  auth: "none",
  permission: null,
  query: z.object({
    token: z.string("is required").min(1, "must not be empty").max(2_000, "is not valid"),
  }),
  errors: [422],
} as const;

/** GET only asks for confirmation, because mail scanners open every link. */
const askUnsubscribe = defineOperation({
  ...unsubscribing,
  id: "askUnsubscribe",
  method: "GET",
  summary: "Show the page that confirms unsubscribing",
  responses: { 200: binary("text/html", "The page") },
  handler: async ({ query, services }) => {
    if (!services.notifications.commands.isUnsubscribeToken(query.token)) {
      throw new ApiError(422, "token: is not valid");
    }
    return page(
      `<h1>No more mail about these test runs?</h1>
<form method="post" action="/api/v1/notifications/unsubscribe?token=${encodeURIComponent(query.token)}"><button>Unsubscribe</button></form>`,
    );
  },
});

/** RFC 8058: mail programs unsubscribe with one POST, without a cookie. */
const unsubscribe = defineOperation({
  ...unsubscribing,
  id: "unsubscribe",
  method: "POST",
  summary: "Unsubscribe from notifications (RFC 8058, one click)",
  rawBody: true,
  responses: { 200: binary("text/html", "A confirmation page") },
  handler: async ({ query, context, services }) => {
    const receipt = await services.notifications.commands.unsubscribe(context, query.token);
    return { ...page("<h1>No more mail will come.</h1>"), receipt };
  },
});

const page = (content: string) => ({
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "content-disposition": 'inline; filename="unsubscribe.html"',
    "content-security-policy": "default-src 'none'; form-action 'self'",
  },
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Runledger</title></head><body>${content}</body></html>`,
});

export const notificationOperations: readonly Operation[] = [
  listNotifications,
  askUnsubscribe,
  unsubscribe,
];
