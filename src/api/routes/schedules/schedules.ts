import { z } from "zod";
import type { Written } from "../../../commands/catalogue/changes.ts";
import type { ScheduleTerms, StandingSchedule } from "../../../domain/schedules/schedule.ts";
import type { ScheduleRow } from "../../../projections/schedules/queries.ts";
import { defineOperation, type Operation, type OperationResponse } from "../../operation.ts";
import {
  id,
  idParams,
  pageOf,
  pageQuery,
  sortOrder,
  timeRange,
  timestamp,
  toPage,
} from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";

import { dispatched, queueing } from "../runs/dispatch.ts";
import {
  newSchedule,
  schedule,
  scheduleBody,
  scheduleChange,
  termsOf,
  tick,
  tickBody,
  upcomingOf,
  writtenSchedule,
} from "./shapes.ts";

const example: z.output<typeof schedule> = {
  id: "019a5a6e-3f05-7000-8000-5a1de1f0a00c",
  created_at: "2026-03-01T10:11:12.345Z",
  updated_at: "2026-03-01T10:11:12.345Z",
  version: 1,
  name: "Every night",
  status: "active",
  cron: "30 2 * * 1-5",
  timezone: "Europe/Berlin",
  test_ids: [],
  test_set_ids: ["019a5a6e-3f05-7000-8000-5a1de1f0a009"],
  browsers: ["chromium"],
  base_url: "https://shop.example",
  environment: null,
  overlap: "skip",
  deadline_seconds: 600,
  failures_only: true,
  notification_emails: ["ann@example.com"],
  next_tick_at: "2026-03-02T01:30:00.000Z",
  last_tick: null,
};

const writing = { tag: "Schedules", auth: "member", permission: "schedules:write" } as const;
const reading = { tag: "Schedules", auth: "member", permission: "results:read" } as const;

const answer = async (
  services: Services,
  status: number,
  written: Written<StandingSchedule>,
  before: ScheduleRow | null,
): Promise<OperationResponse> => {
  const recipients = await services.schedules.commands.recipientsOf([written.id]);
  const body = writtenSchedule(written, before, recipients.get(written.id));
  return { status, body, receipt: written.receipt };
};

const createSchedule = defineOperation({
  ...writing,
  id: "createSchedule",
  method: "POST",
  path: "/schedules",
  summary: "Create a schedule: a cron expression of five fields in a time zone",
  body: newSchedule,
  responses: { 201: schedule },
  example: {
    body: {
      name: example.name,
      cron: example.cron,
      timezone: example.timezone,
      test_set_ids: [...example.test_set_ids],
      failures_only: true,
      notification_emails: [...example.notification_emails],
    },
    response: example,
  },
  handler: async ({ body, context, services }) => {
    const written = await services.schedules.commands.createSchedule(
      context,
      termsOf(body) as ScheduleTerms,
      body.notification_emails,
    );
    return answer(services, 201, written, null);
  },
});

const listSchedules = defineOperation({
  ...reading,
  id: "listSchedules",
  method: "GET",
  path: "/schedules",
  summary: "List schedules, newest first",
  query: pageQuery,
  responses: { 200: pageOf(schedule) },
  example: { response: { items: [example], next_cursor: null } },
  handler: async ({ query, principal, services }) => {
    const { commands, queries } = services.schedules;
    const rows = await queries.listSchedules(principal.organizationId, query);
    const recipients = await commands.recipientsOf(rows.map((row) => row.id));
    const items = rows.map((row) => scheduleBody(row, recipients.get(row.id)));
    return { status: 200, body: toPage(items, query.limit) };
  },
});

const readSchedule = defineOperation({
  ...reading,
  id: "readSchedule",
  method: "GET",
  path: "/schedules/{id}",
  summary: "Read a schedule",
  params: idParams,
  responses: { 200: schedule },
  example: { response: example },
  handler: async ({ params, principal, services }) => {
    const { commands, queries } = services.schedules;
    const row = owned(await queries.findSchedule(params.id), principal, "schedule");
    const recipients = await commands.recipientsOf([row.id]);
    return { status: 200, body: scheduleBody(row, recipients.get(row.id)) };
  },
});

const changeSchedule = defineOperation({
  ...writing,
  id: "changeSchedule",
  method: "PUT",
  path: "/schedules/{id}",
  summary: "Change a schedule; omitted fields keep their values",
  params: idParams,
  body: scheduleChange,
  ifMatch: true,
  responses: { 200: schedule },
  example: {
    body: { cron: "0 3 * * *" },
    response: { ...example, cron: "0 3 * * *", version: 2 },
  },
  handler: async ({ params, body, context, request, services }) => {
    const { commands, queries } = services.schedules;
    const before = await queries.findSchedule(params.id);
    const { notification_emails } = body;
    const terms = termsOf(body);
    const written = await commands.changeSchedule(
      context,
      params.id,
      terms,
      notification_emails,
      request.ifMatch,
    );
    return answer(services, 200, written, before);
  },
});

const deleteSchedule = defineOperation({
  ...writing,
  id: "deleteSchedule",
  method: "DELETE",
  path: "/schedules/{id}",
  summary: "Delete a schedule; its runs are kept",
  params: idParams,
  ifMatch: true,
  responses: { 204: null },
  handler: async ({ params, context, principal, request, services }) => {
    const { commands, queries } = services.schedules;
    // A repeated request may have deleted it itself.
    if (!context.again) owned(await queries.findSchedule(params.id), principal, "schedule");
    const receipt = await commands.deleteSchedule(context, params.id, request.ifMatch);
    return { status: 204, receipt };
  },
});

/** Pause and resume, which take only `If-Match`. */
const turning = (of: {
  readonly id: "pauseSchedule" | "resumeSchedule";
  readonly path: string;
  readonly summary: string;
  readonly response: z.output<typeof schedule>;
}): Operation =>
  defineOperation({
    ...writing,
    id: of.id,
    method: "POST",
    path: of.path,
    summary: of.summary,
    params: idParams,
    ifMatch: true,
    responses: { 200: schedule },
    example: { response: of.response },
    handler: async ({ params, context, request, services }) => {
      const { commands, queries } = services.schedules;
      const before = await queries.findSchedule(params.id);
      const written = await commands[of.id](context, params.id, request.ifMatch);
      return answer(services, 200, written, before);
    },
  });

const pauseSchedule = turning({
  id: "pauseSchedule",
  path: "/schedules/{id}/pause",
  summary: "Pause a schedule until it is resumed",
  response: { ...example, status: "paused", next_tick_at: null, version: 2 },
});

const resumeSchedule = turning({
  id: "resumeSchedule",
  path: "/schedules/{id}/resume",
  summary: "Resume a schedule from its next tick",
  response: { ...example, version: 3 },
});

const runScheduleNow = defineOperation({
  ...writing,
  id: "runScheduleNow",
  method: "POST",
  path: "/schedules/{id}/run-now",
  summary: "Queue a schedule's run now; it counts against the quota",
  params: idParams,
  responses: { 202: dispatched },
  errors: [422, 429],
  example: {
    response: {
      run_ids: ["0199c2a1-0c4f-7a11-8b21-6f7e8d9c0b1a"],
      executions: [
        {
          id: "0199c2a1-0c4f-7d02-9e33-0a1b2c3d4e5f",
          run_id: "0199c2a1-0c4f-7a11-8b21-6f7e8d9c0b1a",
          test_id: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e",
          source: null,
          content: null,
        },
      ],
    },
  },
  handler: ({ params, context, services }) =>
    queueing(services.schedules.commands.runScheduleNow(context, params.id)),
});

const upcoming = z.object({ items: z.array(z.object({ tick_at: timestamp })) });

const listUpcoming = defineOperation({
  ...reading,
  id: "listUpcomingTicks",
  method: "GET",
  path: "/schedules/{id}/upcoming",
  summary: "List the next times of a schedule",
  params: idParams,
  query: z.object({
    limit: z.coerce.number("must be a number from 1 to 100").int().min(1).max(100).default(10),
  }),
  responses: { 200: upcoming },
  example: { response: { items: [{ tick_at: "2026-03-02T01:30:00.000Z" }] } },
  handler: async ({ params, query, principal, services }) => {
    const { queries } = services.schedules;
    const row = owned(await queries.findSchedule(params.id), principal, "schedule");
    const now = services.clock().toISOString();
    const ticks = row.status === "paused" ? [] : upcomingOf(row.terms, now, query.limit);
    return { status: 200, body: { items: ticks.map((tick_at) => ({ tick_at })) } };
  },
});

const listTicks = defineOperation({
  ...reading,
  id: "listTicks",
  method: "GET",
  path: "/schedules/{id}/ticks",
  summary: "List the ticks of a schedule and their outcomes, newest first unless sorted",
  params: z.object({ id }),
  query: pageQuery.extend({
    outcome: tick.shape.outcome.optional(),
    ...timeRange,
    sort: sortOrder,
  }),
  responses: { 200: pageOf(tick) },
  example: {
    response: {
      items: [
        {
          id: "019a5a6e-3f05-7000-8000-5a1de1f0a00d",
          tick_at: "2026-03-02T01:30:00.000Z",
          until_at: "2026-03-02T01:30:00.000Z",
          count: 1,
          outcome: "fired",
          run_ids: ["019a5a6e-3f05-7000-8000-5a1de1f0a00e"],
          reason: null,
          at: "2026-03-02T01:30:00.512Z",
        },
      ],
      next_cursor: null,
    },
  },
  handler: async ({ params, query, principal, services }) => {
    const { queries } = services.schedules;
    owned(await queries.findSchedule(params.id), principal, "schedule");
    const rows = await queries.listTicks(params.id, query, query);
    return { status: 200, body: toPage(rows.map(tickBody), query.limit) };
  },
});

export const scheduleOperations: readonly Operation[] = [
  createSchedule,
  listSchedules,
  readSchedule,
  changeSchedule,
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  runScheduleNow,
  listUpcoming,
  listTicks,
];
