import { z } from "zod";
import type { WrittenOrganization } from "../../../commands/organizations/index.ts";
import { displayName } from "../../../domain/organizations/names.ts";
import { roles } from "../../../domain/organizations/permissions.ts";
import {
  type OrganizationSettings,
  organizationSettings,
  TIMEOUT_BOUNDS,
} from "../../../domain/organizations/settings.ts";
import { isZone } from "../../../domain/schedules/zone.ts";
import type { OrganizationTables } from "../../../projections/organizations/projection.ts";
import { id, timestamp } from "../../schemas.ts";

const seconds = ([from, to]: readonly [number, number]) => {
  const message = `must be a whole number of seconds from ${from} to ${to}`;
  return z.int(message).min(from, message).max(to, message);
};

const tracesSetting = z
  .enum(["on_retry", "always"])
  .describe(
    "The attempts of which a trace is recorded: those after a failure, or all. A run can request traces of all with `evidence`.",
  );

const settings = z
  .object({
    healing: z
      .boolean()
      .describe("Whether a step whose element has changed continues with the healed element."),
    keep_evidence_with_secrets: z
      .boolean()
      .describe("Whether traces, HARs, consoles and videos of runs with secrets are kept."),
    traces: tracesSetting,
    time_zone: z.string().describe("The default IANA time zone of schedules."),
    step_timeout_seconds: z.int().describe("Timeout of a step, in seconds."),
    test_timeout_seconds: z
      .int()
      .describe("Timeout of one attempt of a test in one browser, in seconds."),
    run_timeout_seconds: z.int().describe("Timeout of a run since it was queued, in seconds."),
  })
  .meta({ id: "OrganizationSettings", description: "The settings of an organisation." });

export const settingsInput = z
  .strictObject({
    ...settings.shape,
    time_zone: z.string().max(64).refine(isZone, "must be an IANA time zone such as Europe/Berlin"),
    step_timeout_seconds: seconds(TIMEOUT_BOUNDS.stepTimeoutSeconds),
    test_timeout_seconds: seconds(TIMEOUT_BOUNDS.testTimeoutSeconds),
    run_timeout_seconds: seconds(TIMEOUT_BOUNDS.runTimeoutSeconds),
  })
  .partial();

export const organization = z
  .object({
    id,
    name: z.string(),
    settings,
    deletion_due_at: timestamp
      .nullable()
      .describe("The scheduled deletion, null if there is none."),
    created_at: timestamp,
    updated_at: timestamp,
    version: z.int(),
  })
  .meta({ id: "Organization", description: "An organisation." });

export const member = z
  .object({
    id: id.describe("The id of the user."),
    email: z.string().nullable().describe("Null if the person was erased."),
    name: z.string().nullable(),
    role: z.enum(roles),
    joined_at: timestamp,
  })
  .meta({ id: "Member", description: "A member of an organisation." });

export const memberParams = z.object({ id, user_id: id });
/** Roles that can be assigned. Ownership is transferred instead. */
export const givenRole = z
  .enum(roles, { error: "must be viewer, billing, editor or admin" })
  .exclude(["owner"]);
export const nameInput = displayName;

const settingsBody = (of: OrganizationSettings): z.output<typeof settings> => ({
  healing: of.healing,
  keep_evidence_with_secrets: of.keepEvidenceWithSecrets,
  traces: of.traces,
  time_zone: of.timeZone,
  step_timeout_seconds: of.stepTimeoutSeconds,
  test_timeout_seconds: of.testTimeoutSeconds,
  run_timeout_seconds: of.runTimeoutSeconds,
});

/** Converts settings to domain names; omitted fields stay absent. */
export const settingsOf = (
  input: z.output<typeof settingsInput> | undefined,
): Partial<OrganizationSettings> | undefined => {
  if (!input) return undefined;
  const { healing, keep_evidence_with_secrets: keep, time_zone: zone, traces } = input;
  const {
    step_timeout_seconds: step,
    test_timeout_seconds: test,
    run_timeout_seconds: run,
  } = input;
  return {
    ...(healing === undefined ? {} : { healing }),
    ...(keep === undefined ? {} : { keepEvidenceWithSecrets: keep }),
    ...(traces === undefined ? {} : { traces }),
    ...(zone === undefined ? {} : { timeZone: zone }),
    ...(step === undefined ? {} : { stepTimeoutSeconds: step }),
    ...(test === undefined ? {} : { testTimeoutSeconds: test }),
    ...(run === undefined ? {} : { runTimeoutSeconds: run }),
  };
};

export const organizationBody = (
  row: OrganizationTables["organizations"],
): z.output<typeof organization> => ({
  ...row,
  // Older events lack some settings.
  settings: settingsBody(organizationSettings.parse(row.settings)),
});

/** Renders an organisation after a write. `before` is its row in the read model, if any. */
export const writtenOrganization = (
  { id: organizationId, state, at }: WrittenOrganization,
  before: OrganizationTables["organizations"] | null,
): z.output<typeof organization> => {
  const now = at ?? before?.updated_at ?? new Date().toISOString();
  return {
    id: organizationId,
    name: state.name,
    settings: settingsBody(state.settings),
    deletion_due_at: state.status === "closing" ? state.dueAt : null,
    created_at: before?.created_at ?? now,
    updated_at: now,
    version: state.version,
  };
};

export const organizationExample = {
  id: "019a5a6e-3f01-7000-8000-5a1de1f0a002",
  name: "Example",
  settings: {
    healing: true,
    keep_evidence_with_secrets: false,
    traces: "on_retry" as const,
    time_zone: "UTC",
    step_timeout_seconds: 10,
    test_timeout_seconds: 600,
    run_timeout_seconds: 86_400,
  },
  deletion_due_at: null,
  created_at: "2026-03-01T10:11:12.345Z",
  updated_at: "2026-03-01T10:11:12.345Z",
  version: 1,
};

export const memberExample = {
  id: "019a5a6e-3f00-7000-8000-5a1de1f0a001",
  email: "ann@example.com",
  name: "Ann Example",
  role: "editor",
  joined_at: "2026-03-01T10:11:12.345Z",
} as const;
