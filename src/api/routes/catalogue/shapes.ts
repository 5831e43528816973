import { z } from "zod";
import type { Written } from "../../../commands/catalogue.ts";
import { parseEnglish } from "../../../domain/catalogue/grammar/english.ts";
import type { ActiveProject } from "../../../domain/catalogue/project.ts";
import type { Step } from "../../../domain/catalogue/step.ts";
import type { ActiveTest } from "../../../domain/catalogue/test.ts";
import type { ProjectRow, TestDetail, TestSummary } from "../../../projections/catalogueQueries.ts";
import { ApiError } from "../../apiError.ts";
import { id, timestamp } from "../../schemas.ts";
import { type Content, parseWarning } from "./content.ts";

const resource = { id, created_at: timestamp, updated_at: timestamp, version: z.int().positive() };

export const project = z.object({ ...resource, name: z.string() });

export const step = z.object({
  id,
  position: z.int().positive(),
  action: z.string(),
  target: z.string(),
  value: z.string(),
  description: z.string(),
  optional: z.boolean(),
  disabled: z.boolean(),
});

export const testSummary = z.object({
  ...resource,
  name: z.string(),
  project_id: id.nullable(),
  language: z.string(),
  platform: z.string(),
  step_count: z.int(),
});

export const test = z.object({
  ...testSummary.shape,
  text: z.string(),
  steps: z.array(step),
  warnings: z.array(parseWarning),
});

/** A project as it answers. */
export const projectBody = ({ organization_id: _, ...row }: ProjectRow) => row;

/** A project as it answers a write. `before` is what the read model had of it. */
export const writtenProject = (
  { id: projectId, state, at }: Written<ActiveProject>,
  before: ProjectRow | null,
) => ({
  id: projectId,
  name: state.name,
  ...timesOf(at, before),
  version: state.version,
});

export const stepBodies = (steps: readonly Step[]) =>
  steps.map((one, index) => ({ ...one, position: index + 1 }));

/** A test as lists show it. */
export const summaryBody = (row: TestSummary) => ({
  id: row.id,
  created_at: row.created_at,
  updated_at: row.updated_at,
  version: row.version,
  name: row.name,
  project_id: row.project_id,
  language: row.language,
  platform: row.platform,
  step_count: row.step_count,
});

/** A test whole. Its warnings are those of its text under today's grammar. */
export const testBody = ({ organization_id: _, ...row }: TestDetail) => ({
  ...row,
  steps: stepBodies(row.steps),
  warnings: row.text === "" ? [] : parseEnglish(row.text).warnings,
});

/** A test as it answers a write. `before` is what the read model had of it, `content` what was sent. */
export const writtenTest = (
  { id: testId, state, at }: Written<ActiveTest>,
  before: TestDetail | null,
  content: Content | null,
) => {
  const { name, projectId, language, platform, text, steps, version } = state;
  const isAsSent = content !== null && content.text === text;
  const warnings = isAsSent ? content.warnings : text === "" ? [] : parseEnglish(text).warnings;
  return {
    id: testId,
    name,
    project_id: projectId,
    text,
    language,
    platform,
    steps: stepBodies(steps),
    step_count: steps.length,
    warnings,
    ...timesOf(at, before),
    version,
  };
};

type Times = { readonly created_at: string; readonly updated_at: string };

/** A resource was made when the read model says so, or just now; nothing written means that it did not change. */
const timesOf = (at: string | null, before: Times | null): Times => {
  const now = at ?? before?.updated_at ?? new Date().toISOString();
  return { created_at: before?.created_at ?? now, updated_at: now };
};

/** What a lookup found, if it is the caller's organisation's. Throws 404 when there is none, 403 when it is another's. */
export const ours = <Found extends { readonly organization_id: string }>(
  found: Found | null,
  principal: { readonly organizationId: string },
  what: string,
): Found => {
  if (!found) throw new ApiError(404, `There is no ${what} of this id.`);
  if (found.organization_id !== principal.organizationId) {
    throw new ApiError(403, `This ${what} belongs to another organisation.`);
  }
  return found;
};
