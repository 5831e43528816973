import { z } from "zod";
import { diffSteps, type StepDifference, summarize } from "../../../domain/catalogue/diff.ts";
import type { Step, StepInput } from "../../../domain/catalogue/step.ts";
import { keepStepIds } from "../../../domain/catalogue/stepIds.ts";
import { GRAMMAR_VERSION } from "../../../domain/english/index.ts";
import { newId } from "../../../platform/ids.ts";
import type { HistoryEntry } from "../../../projections/catalogue/history.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, timestamp } from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";
import { parseWarning } from "./content.ts";
import { differenceBody, stepDifference } from "./differences.ts";
import { stepExamples, testExample, textExample, warningExample } from "./examples.ts";
import { readText } from "./readText.ts";
import { step } from "./shapes.ts";

const historyEntry = z
  .object({
    version: z.int().positive(),
    event: z.string().describe("The event type."),
    summary: z.string().describe("The change in words."),
    at: timestamp,
    by: z.string(),
    name: z.string(),
    project_id: id.nullable(),
    folder_id: id.nullable(),
    reverted_to: z.int().positive().nullable(),
    step_count: z.int(),
    steps: z.array(stepDifference),
  })
  .meta({ id: "TestVersion", description: "A version of a test." });

const [openStep, signInStep] = stepExamples;
const bare = ({ id: _, position: __, ...rest }: (typeof stepExamples)[number]) => rest;
const differenceExample = {
  kind: "added" as const,
  step_id: signInStep?.id ?? "",
  from_position: null,
  to_position: 2,
  fields: [],
  before: null,
  after: signInStep ? bare(signInStep) : null,
};
const entryExample = {
  version: 2,
  event: "TestStepsReplaced",
  summary: "1 step added",
  at: testExample.updated_at,
  by: "api:ci",
  name: testExample.name,
  project_id: testExample.project_id,
  folder_id: null,
  reverted_to: null,
  step_count: 2,
  steps: [differenceExample],
};

/** The change of an event in words. */
const summaryOf = (
  entry: HistoryEntry,
  before: HistoryEntry | null,
  differences: readonly StepDifference[],
): string => {
  switch (entry.event) {
    case "TestCreated":
      return "Created";
    case "TestRenamed":
      return before ? `Renamed from "${before.name}" to "${entry.name}"` : "Renamed";
    case "TestMoved":
      return "Moved";
    case "TestSourceSet":
      return "File assigned";
    case "TestDeleted":
      return "Deleted";
    case "TestUndeleted":
      return "Deletion taken back";
    case "TestDataReplaced": {
      const rows = entry.data.rows.length;
      return rows === 0 ? "Data removed" : `Data replaced: ${rows} ${rows === 1 ? "row" : "rows"}`;
    }
    case "TestRevertedTo":
      return `Reverted to version ${entry.revertedTo}`;
    default:
      return summarize(differences) || "Words changed";
  }
};

const readHistory = defineOperation({
  id: "readTestHistory",
  method: "GET",
  path: "/tests/{id}/history",
  tag: "Tests",
  summary: "List the versions of a test, newest first, with author, time and changed steps",
  auth: "member",
  permission: "results:read",
  params: idParams,
  query: z.object({
    limit: z.coerce.number("must be a number from 1 to 100").int().min(1).max(100).default(50),
    cursor: z.coerce
      .number("must be the next_cursor of the page before")
      .int()
      .positive()
      .max(2_147_483_647)
      .optional(),
  }),
  responses: {
    200: z.object({ items: z.array(historyEntry), next_cursor: z.string().nullable() }),
  },
  example: { response: { items: [entryExample], next_cursor: null } },
  handler: async ({ params, query, principal, services }) => {
    const { queries } = services.catalogue;
    owned(await queries.findTest(params.id, { deletedToo: true }), principal, "test");
    const { limit, cursor } = query;
    // One more than the page: the last version is compared with its predecessor.
    const entries = await queries.listHistory(params.id, { limit, before: cursor });
    const items = entries.slice(0, limit).map((entry, index) => {
      const before = entries[index + 1] ?? null;
      const differences = diffSteps(before?.steps ?? [], entry.steps);
      return {
        version: entry.version,
        event: entry.event,
        summary: summaryOf(entry, before, differences),
        at: entry.at,
        by: entry.by,
        name: entry.name,
        project_id: entry.projectId,
        folder_id: entry.folderId,
        reverted_to: entry.revertedTo,
        step_count: entry.steps.length,
        steps: differences.map(differenceBody),
      };
    });
    const isMore = entries.length > limit;
    const next = isMore ? String(items.at(-1)?.version ?? "") : null;
    return { status: 200, body: { items, next_cursor: next } };
  },
});

const version = z.coerce
  .number("must be a version of the test")
  .int("must be a version of the test")
  .positive("must be a version of the test")
  .max(2_147_483_647);

const change = <Value extends z.ZodType>(value: Value) => z.object({ before: value, after: value });

const readDiff = defineOperation({
  id: "readTestDiff",
  method: "GET",
  path: "/tests/{id}/diff",
  tag: "Tests",
  summary: "Compare two versions of a test step by step",
  auth: "member",
  permission: "results:read",
  params: idParams,
  query: z.object({ from: version, to: version }),
  responses: {
    200: z.object({
      from: z.int().positive(),
      to: z.int().positive(),
      name: change(z.string()),
      text: change(z.string()),
      steps: z.array(stepDifference),
    }),
  },
  example: {
    response: {
      from: 1,
      to: 2,
      name: { before: "Sign in", after: "Sign in" },
      text: { before: "Open /login", after: textExample },
      steps: [differenceExample],
    },
  },
  handler: async ({ params, query, principal, services }) => {
    const { queries } = services.catalogue;
    owned(await queries.findTest(params.id, { deletedToo: true }), principal, "test");
    const [from, to] = await Promise.all(
      (["from", "to"] as const).map(async (field) => {
        const found = await queries.findHistoryEntry(params.id, query[field]);
        if (!found) throw new ApiError(422, `${field}: the test has no version ${query[field]}.`);
        return found;
      }),
    );
    if (!from || !to) throw new Error("Two versions were looked up");
    return {
      status: 200,
      body: {
        from: from.version,
        to: to.version,
        name: { before: from.name, after: to.name },
        text: { before: from.text, after: to.text },
        steps: diffSteps(from.steps, to.steps).map(differenceBody),
      },
    };
  },
});

const reparseTest = defineOperation({
  id: "reparseTest",
  method: "POST",
  path: "/tests/{id}/reparse",
  tag: "Parse",
  summary: "Preview the steps of a test's text under the current grammar; stores nothing",
  auth: "member",
  permission: "results:read",
  params: idParams,
  responses: {
    200: z.object({
      test_version: z.int().positive(),
      grammar_version: z.int().positive(),
      steps: z.array(step.omit({ id: true })),
      warnings: z.array(parseWarning),
      difference: z.array(stepDifference.omit({ step_id: true })),
    }),
  },
  errors: [409],
  example: {
    response: {
      test_version: 1,
      grammar_version: GRAMMAR_VERSION,
      steps: openStep ? [{ position: 1, ...bare(openStep) }] : [],
      warnings: [warningExample],
      difference: [],
    },
  },
  handler: async ({ params, principal, services }) => {
    const found = owned(await services.catalogue.queries.findTest(params.id), principal, "test");
    if (found.text === "") {
      throw new ApiError(409, "The test has no text to parse. It was created from steps.");
    }
    const { steps, warnings } = await readText(found.text);
    const difference = diffSteps(found.steps, keepStepIds(found.steps, steps.map(withNewId)));
    return {
      status: 200,
      body: {
        test_version: found.version,
        grammar_version: GRAMMAR_VERSION,
        steps: steps.map((one, index) => ({ position: index + 1, ...one })),
        warnings,
        difference: difference.map((one) => {
          const { step_id: _, ...rest } = differenceBody(one);
          return rest;
        }),
      },
    };
  },
});

const withNewId = (one: StepInput): Step => ({ ...one, id: newId() });

export const historyOperations: readonly Operation[] = [readHistory, readDiff, reparseTest];
