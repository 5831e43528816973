import { z } from "zod";
import type { CommandContext } from "../../../commands/kernel/commandLoop.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation, type OperationResponse } from "../../operation.ts";
import { idParams } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";
import { contentOf, parseWarning, stepsInput, textInput } from "./content.ts";
import {
  stepExamples,
  stepInputExamples,
  testExample,
  textExample,
  warningExample,
} from "./examples.ts";
import { propose } from "./propose.ts";
import { readText } from "./readText.ts";
import { step, stepBodies, test, writtenTest } from "./shapes.ts";
import { sourceInput } from "./tests.ts";

export const stepsBody = z.strictObject({ steps: stepsInput });

/** The content of a test's file: its text, or its steps. */
export const fileBody = z.strictObject({
  text: textInput.optional(),
  steps: stepsInput.optional(),
  source: sourceInput.optional(),
});

/** Replaces the steps of a test, for sessions and runners. Unchanged steps keep their ids. */
export const replaceStepsOf = async (
  services: Services,
  context: CommandContext,
  testId: string,
  body: z.output<typeof fileBody>,
  ifMatch: readonly number[] | null,
): Promise<OperationResponse> => {
  const { commands, queries } = services.catalogue;
  if (body.text !== undefined) await readText(body.text);
  const content = contentOf(body);
  if (!content) throw new ApiError(422, "steps: text or steps is required");
  const before = await queries.findTest(testId);
  const { source } = body;
  const written = await commands.changeTest(context, testId, { content, source }, ifMatch);
  return { status: 200, body: writtenTest(written, before, content), receipt: written.receipt };
};

const readSteps = defineOperation({
  id: "readSteps",
  method: "GET",
  path: "/tests/{id}/steps",
  tag: "Test Steps",
  summary: "Read the steps of a test, in order",
  auth: "member",
  permission: "results:read",
  params: idParams,
  responses: {
    200: z.object({
      items: z.array(step),
      next_cursor: z.null(),
      version: z.int().positive(),
    }),
  },
  example: { response: { items: stepExamples, next_cursor: null, version: 1 } },
  handler: async ({ params, principal, services }) => {
    const found = owned(await services.catalogue.queries.findTest(params.id), principal, "test");
    const { steps, version } = found;
    return { status: 200, body: { items: stepBodies(steps), next_cursor: null, version } };
  },
});

const replaceSteps = defineOperation({
  id: "replaceSteps",
  method: "PUT",
  path: "/tests/{id}/steps",
  tag: "Test Steps",
  summary: "Replace the steps of a test; unchanged steps keep their ids",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: stepsBody,
  ifMatch: true,
  responses: { 200: test },
  example: {
    body: { steps: stepInputExamples },
    response: { ...testExample, text: "", version: 2 },
  },
  handler: ({ params, body, context, request, services }) =>
    replaceStepsOf(services, context, params.id, body, request.ifMatch),
});

const parsedStep = step.omit({ id: true });

/** A step proposed by a language model, for review by a person. */
const proposedStep = step.omit({ id: true, position: true }).extend({ proposed: z.literal(true) });

const parseTest = defineOperation({
  id: "parseTest",
  method: "POST",
  path: "/tests/parse",
  tag: "Parse",
  summary: "Translate plain English into steps; stores nothing",
  auth: "member",
  permission: "results:read",
  body: z.strictObject({
    text: textInput,
    language: z.literal("en").default("en"),
    propose: z
      .boolean()
      .default(false)
      .describe(
        "Whether to ask the configured language model about lines that the grammar rejects.",
      ),
  }),
  responses: {
    200: z.object({
      steps: z.array(parsedStep),
      warnings: z.array(parseWarning),
      proposals: z.array(z.object({ line: z.int().positive(), steps: z.array(proposedStep) })),
    }),
  },
  example: {
    body: { text: `${textExample}\nFrobnicate the widget` },
    response: {
      steps: stepExamples.map(({ id: _, ...rest }) => rest),
      warnings: [warningExample],
      proposals: [],
    },
  },
  handler: async ({ body, services }) => {
    const { steps, warnings } = await readText(body.text);
    const numbered = steps.map((one, index) => ({ position: index + 1, ...one }));
    const proposed = body.propose ? await propose(services.languageModel, warnings) : [];
    const proposals = proposed.map(({ line, steps }) => ({
      line,
      steps: steps.map((one) => ({ ...one, proposed: true as const })),
    }));
    return { status: 200, body: { steps: numbered, warnings, proposals } };
  },
});

export const stepOperations: readonly Operation[] = [readSteps, replaceSteps, parseTest];
