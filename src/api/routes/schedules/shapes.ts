import { z } from "zod";
import type { Written } from "../../../commands/catalogue/changes.ts";
import { displayName } from "../../../domain/organizations/names.ts";
import { browserName } from "../../../domain/runs/verdict.ts";
import { readCron } from "../../../domain/schedules/cron.ts";
import {
  overlapPolicies,
  type ScheduleTerms,
  type StandingSchedule,
} from "../../../domain/schedules/schedule.ts";
import { nextTick } from "../../../domain/schedules/ticks.ts";
import { isZone, zoneOf } from "../../../domain/schedules/zone.ts";
import type { ScheduleRow, TickRow } from "../../../projections/schedules/queries.ts";
import { tickOutcomes } from "../../../projections/schedules/schedules.ts";
import { id, timestamp } from "../../schemas.ts";
import { httpAddress } from "../catalogue/variables.ts";
import { email } from "../identity/shapes.ts";

const MAX_TESTS = 1_000;
const MAX_SETS = 50;
const MAX_RECIPIENTS = 20;
const MAX_DEADLINE_SECONDS = 86_400;

const cron = z.string().superRefine((text, check) => {
  const read = readCron(text);
  if (!read.ok) check.addIssue({ code: "custom", message: read.reason });
});

const timezone = z
  .string()
  .refine(isZone, "must be the name of an IANA time zone, such as Europe/Berlin or UTC");

/** The editable fields of a schedule, all optional in a change. */
const said = {
  name: displayName,
  cron,
  timezone,
  test_ids: z.array(id).max(MAX_TESTS, `must name at most ${MAX_TESTS} tests`),
  test_set_ids: z.array(id).max(MAX_SETS, `must name at most ${MAX_SETS} test sets`),
  browsers: z.array(browserName).min(1, "must name at least one browser"),
  base_url: httpAddress.nullable(),
  environment: z.string().trim().min(1).max(100).nullable(),
  overlap: z.enum(overlapPolicies),
  deadline_seconds: z
    .int("must be a whole number of seconds")
    .min(60, "must be at least 60 seconds")
    .max(MAX_DEADLINE_SECONDS, "must be at most 86400 seconds"),
  failures_only: z.boolean(),
  notification_emails: z
    .array(email)
    .max(MAX_RECIPIENTS, `must name ${MAX_RECIPIENTS} addresses at most`),
};

export const newSchedule = z
  .strictObject({
    ...said,
    timezone: said.timezone.optional().describe("Defaults to the organisation's time zone."),
    test_ids: said.test_ids.default([]),
    test_set_ids: said.test_set_ids.default([]),
    browsers: said.browsers.default(["chromium"]),
    base_url: said.base_url.default(null),
    environment: said.environment.default(null),
    overlap: said.overlap.default("skip"),
    deadline_seconds: said.deadline_seconds.default(600),
    failures_only: said.failures_only.default(false),
    notification_emails: said.notification_emails.default([]),
  })
  .refine(({ test_ids, test_set_ids }) => test_ids.length + test_set_ids.length > 0, {
    message: "is required, or test_set_ids",
    path: ["test_ids"],
  })
  .meta({ id: "NewSchedule", description: "A new schedule." });

export const scheduleChange = z
  .strictObject(said)
  .partial()
  .refine((body) => Object.keys(body).length > 0, "at least one field is required")
  .meta({ id: "ScheduleChange", description: "The changed fields of a schedule." });

export const schedule = z
  .object({
    id,
    created_at: timestamp,
    updated_at: timestamp,
    version: z.int().positive(),
    name: z.string(),
    status: z.enum(["active", "paused"]),
    cron: z.string(),
    timezone: z.string(),
    test_ids: z.array(id),
    test_set_ids: z.array(id),
    browsers: z.array(browserName),
    base_url: z.string().nullable(),
    environment: z.string().nullable(),
    overlap: z.enum(overlapPolicies),
    deadline_seconds: z.int(),
    failures_only: z.boolean(),
    notification_emails: z.array(z.string()),
    next_tick_at: timestamp
      .nullable()
      .describe("Null while paused, or if no tick is due within nine years."),
    last_tick: z.object({ tick_at: timestamp, outcome: z.enum(tickOutcomes) }).nullable(),
  })
  .meta({ id: "Schedule", description: "A schedule of runs." });

export const tick = z
  .object({
    id,
    tick_at: timestamp,
    until_at: timestamp.describe(
      "The last of the most recent consecutive missed ticks, and their number.",
    ),
    count: z.int().positive(),
    outcome: z.enum(tickOutcomes),
    run_ids: z.array(id),
    reason: z.string().nullable(),
    at: timestamp,
  })
  .meta({ id: "Tick", description: "A due time of a schedule and its outcome." });

type Said = z.output<typeof scheduleChange>;

/** The terms present in a body. */
export const termsOf = (body: Said): Partial<ScheduleTerms> => {
  const terms = {
    name: body.name,
    cron: body.cron?.trim().replaceAll(/\s+/g, " "),
    zone: body.timezone,
    testIds: body.test_ids && [...new Set(body.test_ids)],
    testSetIds: body.test_set_ids && [...new Set(body.test_set_ids)],
    browsers: body.browsers && [...new Set(body.browsers)],
    baseUrl: body.base_url,
    environment: body.environment,
    overlap: body.overlap,
    deadlineSeconds: body.deadline_seconds,
    failuresOnly: body.failures_only,
  };
  return Object.fromEntries(
    Object.entries(terms).filter(([, value]) => value !== undefined),
  ) as Partial<ScheduleTerms>;
};

const shown = (terms: ScheduleTerms) => ({
  name: terms.name,
  cron: terms.cron,
  timezone: terms.zone,
  test_ids: terms.testIds,
  test_set_ids: terms.testSetIds,
  browsers: terms.browsers,
  base_url: terms.baseUrl,
  environment: terms.environment,
  overlap: terms.overlap,
  deadline_seconds: terms.deadlineSeconds,
  failures_only: terms.failuresOnly,
});

/** Renders a schedule of the read model. */
export const scheduleBody = (row: ScheduleRow, addresses: readonly string[] = []) => ({
  id: row.id,
  created_at: row.created_at,
  updated_at: row.updated_at,
  version: row.version,
  status: row.status,
  ...shown(row.terms),
  notification_emails: addresses,
  next_tick_at: row.next_tick_at,
  last_tick:
    row.last_tick_at === null ? null : { tick_at: row.last_tick_at, outcome: row.last_outcome },
});

/** Renders a schedule after a write. `before` is its row in the read model, if any. */
export const writtenSchedule = (
  { id: scheduleId, state, at }: Written<StandingSchedule>,
  before: ScheduleRow | null,
  addresses: readonly string[] = [],
) => {
  const updatedAt = at ?? before?.updated_at ?? new Date(0).toISOString();
  const next =
    state.status === "paused" ? undefined : upcomingOf(state.terms, state.settledUntil, 1)[0];
  return {
    id: scheduleId,
    created_at: before?.created_at ?? updatedAt,
    updated_at: updatedAt,
    version: state.version,
    status: state.status,
    ...shown(state.terms),
    notification_emails: addresses,
    next_tick_at: next ?? null,
    last_tick:
      before?.last_tick_at == null
        ? null
        : { tick_at: before.last_tick_at, outcome: before.last_outcome },
  };
};

export const tickBody = ({ code: _, schedule_id: __, ...row }: TickRow) => row;

/** Up to `count` ticks of a schedule after an instant. */
export const upcomingOf = (
  terms: Pick<ScheduleTerms, "cron" | "zone">,
  after: string,
  count: number,
): readonly string[] => {
  const read = readCron(terms.cron);
  if (!read.ok) return [];
  const zone = zoneOf(terms.zone);
  const ticks: string[] = [];
  let at: number | null = Date.parse(after);
  while (ticks.length < count) {
    at = nextTick(read.cron, zone, at);
    if (at === null) break;
    ticks.push(new Date(at).toISOString());
  }
  return ticks;
};
