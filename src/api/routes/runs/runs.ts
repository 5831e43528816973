import { z } from "zod";
import { announceWatcher } from "../../../platform/bus/watchedRuns.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import {
  id,
  idParams,
  instant,
  pageOf,
  pageQuery,
  sortOrder,
  timeRange,
  toPage,
} from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";

import {
  executionSummaryExample,
  runDetailExample,
  runEventExample,
  runSummaryExample,
} from "./examples.ts";
import { tagFilter, triggerFilter } from "./filters.ts";
import { waitForNews } from "./news.ts";
import { executionSummary, runDetail, runEvent, runListItem, runStatus } from "./schemas.ts";

const MAX_WAIT_SECONDS = 30;

/** The sequence number of an event of a run, a 32-bit integer. */
const sequence = (message: string) =>
  z.coerce.number(message).int(message).min(0, message).max(2_147_483_647, message);

const readCloudRun = defineOperation({
  id: "readCloudRun",
  method: "GET",
  path: "/cli/cloud-runs/{id}",
  tag: "CLI",
  summary: "Read a run with the result of each test; `wait` delays the response until a new event",
  auth: "apiKey",
  permission: "results:read",
  params: idParams,
  query: z.object({
    wait: z.coerce.number("must be a number of seconds").min(0).max(MAX_WAIT_SECONDS).default(0),
    since: sequence("must be a sequence").optional(),
  }),
  responses: { 200: runDetail },
  example: { response: runDetailExample },
  handler: async ({ params, query, principal, services, request }) => {
    const { queries } = services.runs;
    const run = owned(await queries.findRun(params.id), principal, "run");
    const after = query.since ?? run.sequence;
    if (run.finished_at === null) announceWatcher(services.bus, run.id);
    if (query.wait === 0 || run.finished_at !== null || run.sequence > after) {
      return { status: 200, body: run };
    }
    const deps = { bus: services.bus, queries };
    await waitForNews(deps, params.id, after, query.wait * 1_000, request.signal);
    return { status: 200, body: owned(await queries.findRun(params.id), principal, "run") };
  },
});

const listRuns = defineOperation({
  id: "listRuns",
  method: "GET",
  path: "/runs",
  tag: "Runs",
  summary: "List runs, newest first unless sorted",
  auth: "member",
  permission: "results:read",
  query: pageQuery.extend({
    status: runStatus.optional(),
    triggered_by: triggerFilter,
    test_id: id.optional().describe("Only runs of this test."),
    test_set_id: id.optional().describe("Only runs of this test set."),
    project_id: id.optional().describe("Only runs of this project or with a test of it."),
    tag: tagFilter,
    ...timeRange,
    from: instant.optional().describe("The same as `since`."),
    to: instant.optional().describe("The same as `until`."),
    sort: sortOrder,
  }),
  responses: { 200: pageOf(runListItem) },
  example: {
    response: {
      items: [{ ...runSummaryExample, test_count: 1, first_test: "Saves a note" }],
      next_cursor: null,
    },
  },
  handler: async ({ query, principal, services }) => {
    const rows = await services.runs.queries.listRuns(principal.organizationId, query, {
      status: query.status,
      triggeredBy: query.triggered_by,
      testId: query.test_id,
      testSetId: query.test_set_id,
      projectId: query.project_id,
      tag: query.tag,
      since: query.since ?? query.from,
      until: query.until ?? query.to,
    });
    return { status: 200, body: toPage(rows, query.limit) };
  },
});

const readRun = defineOperation({
  id: "readRun",
  method: "GET",
  path: "/runs/{id}",
  tag: "Runs",
  summary: "Read a run with the result of each test",
  auth: "member",
  permission: "results:read",
  params: idParams,
  responses: { 200: runDetail },
  example: { response: runDetailExample },
  handler: async ({ params, principal, services }) => {
    const run = owned(await services.runs.queries.findRun(params.id), principal, "run");
    if (run.finished_at === null) announceWatcher(services.bus, run.id);
    return { status: 200, body: run };
  },
});

const listRunExecutions = defineOperation({
  id: "listRunExecutions",
  method: "GET",
  path: "/runs/{id}/executions",
  tag: "Runs",
  summary: "List the executions of a run, in the run's order",
  auth: "member",
  permission: "results:read",
  params: idParams,
  query: pageQuery,
  responses: { 200: pageOf(executionSummary) },
  example: { response: { items: [executionSummaryExample], next_cursor: null } },
  handler: async ({ params, query, principal, services }) => {
    const { queries } = services.runs;
    owned(await queries.findRunOwner(params.id), principal, "run");
    return {
      status: 200,
      body: toPage(await queries.runExecutions(params.id, query), query.limit),
    };
  },
});

const listRunEvents = defineOperation({
  id: "listRunEvents",
  method: "GET",
  path: "/runs/{id}/events",
  tag: "Runs",
  summary: "List the events of a run in order, after sequence number `after`",
  auth: "member",
  permission: "results:read",
  params: idParams,
  query: z.object({
    limit: pageQuery.shape.limit,
    after: sequence("must be a sequence").default(0),
    cursor: sequence("must be the next_cursor of the page before").optional(),
  }),
  responses: { 200: z.object({ items: z.array(runEvent), next_cursor: z.string().nullable() }) },
  example: { response: { items: [runEventExample], next_cursor: null } },
  handler: async ({ params, query, principal, services }) => {
    const { queries } = services.runs;
    owned(await queries.findRunOwner(params.id), principal, "run");
    const after = query.cursor ?? query.after;
    const rows = await queries.runEventsAfter(params.id, after, query.limit + 1);
    const items = rows.slice(0, query.limit);
    const last = items.at(-1);
    const next = rows.length > items.length && last ? String(last.sequence) : null;
    return { status: 200, body: { items, next_cursor: next } };
  },
});

/** Reads of runs. */
export const runOperations: readonly Operation[] = [
  readCloudRun,
  listRuns,
  readRun,
  listRunExecutions,
  listRunEvents,
];
