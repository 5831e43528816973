import { z } from "zod";
import type { CommandContext } from "../../../commands/kernel/commandLoop.ts";
import type { Receipt } from "../../../commands/kernel/receipt.ts";
import type { SentFile } from "../../../commands/runs/pinnedTests.ts";
import { MAX_TESTS } from "../../../commands/runs/plans.ts";
import type { QueuedRuns, Selection } from "../../../commands/runs/runs.ts";
import { DomainError } from "../../../domain/kernel/errors.ts";
import { evidenceKinds, MAX_RETRIES, runTarget } from "../../../domain/runs/pinned.ts";
import { browserName } from "../../../domain/runs/verdict.ts";
import { defineOperation, type Operation, type OperationResponse } from "../../operation.ts";
import { id } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { httpAddress, variablesInput } from "../catalogue/variables.ts";
import { readFiles, sentFile } from "./files.ts";
import { fileContent } from "./schemas.ts";

/** The maximum number of test sets per request. Each set becomes a run. */
const MAX_SETS = 50;
/** The maximum size of all variables: with 1,000 tests they must fit into an event of 1 MiB. */
const MAX_VARIABLES_KIB = 256;

/** A thousand files of ordinary tests. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** The selection of tests and the options of the run. */
const dispatchBody = z
  .strictObject({
    test_ids: z
      .array(id)
      .min(1, "must name at least one test")
      .max(MAX_TESTS, `must name at most ${MAX_TESTS} tests`)
      .optional(),
    test_set_ids: z
      .array(id)
      .min(1, "must name at least one test set")
      .max(MAX_SETS, `must name at most ${MAX_SETS} test sets`)
      .optional(),
    files: z
      .array(sentFile)
      .min(1, "must contain at least one file")
      .max(MAX_TESTS, `must contain at most ${MAX_TESTS} files`)
      .optional()
      .describe("Test files of a checkout. They run as they are and are not stored as tests."),
    project_id: id.optional(),
    tag: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe("The name of a tag, case-insensitive, or its id."),
    browsers: z
      .array(z.enum(browserName.options, "must be chromium, firefox or webkit"))
      .min(1, "must name at least one browser")
      .default(["chromium"]),
    target: runTarget
      .default("cloud")
      .describe(
        "`cloud` runs on the service; `agent` on the organisation's agents, without using quota.",
      ),
    base_url: httpAddress.nullable().optional(),
    variables: variablesInput(MAX_VARIABLES_KIB).default({}),
    environment: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .nullable()
      .optional()
      .describe("The id of an environment, or a name that exists in the project of every test."),
    retries: z
      .int("must be a whole number")
      .min(0, `must be from 0 to ${MAX_RETRIES}`)
      .max(MAX_RETRIES, `must be from 0 to ${MAX_RETRIES}`)
      .default(0)
      .describe("The number of retries of a failed test. A test that passes on a retry is flaky."),
    evidence: evidenceKinds
      .default([])
      .describe(
        "Artifacts to record besides screenshots and console. Retries always record a trace.",
      ),
  })
  .refine((body) => waysOf(body) === 1, {
    message: "name the tests by test_ids, test_set_ids and files, by project_id or by tag",
    path: ["test_ids"],
  })
  .meta({ id: "RunRequest", description: "The tests to run and the options of the run." });

/** The number of selections in a body. */
const waysOf = (body: {
  readonly test_ids?: unknown;
  readonly test_set_ids?: unknown;
  readonly files?: unknown;
  readonly project_id?: unknown;
  readonly tag?: unknown;
}): number =>
  [body.test_ids ?? body.test_set_ids ?? body.files, body.project_id, body.tag].filter(
    (way) => way !== undefined,
  ).length;

type Dispatch = z.output<typeof dispatchBody>;

/** The queued runs. */
export const dispatched = z
  .object({
    run_ids: z.array(id),
    executions: z.array(
      z.object({
        ...{ id, run_id: id, test_id: id },
        source: z.string().nullable().describe("The path of the test's file in its repository."),
        content: fileContent.describe(
          "The file content that runs; null if the stored version runs.",
        ),
      }),
    ),
  })
  .meta({ id: "QueuedRuns", description: "The queued runs and executions." });

const selectionOf = (
  { test_ids, test_set_ids, project_id, tag }: Dispatch,
  files: readonly SentFile[],
): Selection => {
  if (project_id !== undefined) return { projectId: project_id };
  if (tag !== undefined) return { tag };
  const testIds = test_ids ?? [];
  return test_set_ids === undefined
    ? { testIds, files }
    : { testSetIds: test_set_ids, testIds, files };
};

const dispatch = async (
  services: Services,
  context: CommandContext,
  body: Dispatch,
): Promise<OperationResponse> => {
  const files = await readFiles(body.files ?? []);
  return queueing(
    services.runs.commands.queueRuns(context, {
      selection: selectionOf(body, files),
      browsers: [...new Set(body.browsers)],
      baseUrl: body.base_url ?? null,
      variables: body.variables,
      environment: body.environment ?? null,
      retries: body.retries,
      evidence: [...new Set(body.evidence)],
      target: body.target,
    }),
  );
};

/** Queues runs and renders the response, also of a quota refusal. Throws the other errors of `queue`. */
export const queueing = async (queue: Promise<QueuedRuns>): Promise<OperationResponse> => {
  try {
    const { runIds, executions, receipt } = await queue;
    return {
      status: 202,
      body: {
        run_ids: runIds,
        executions: executions.map(({ id: executionId, runId, testId, source, content }) => ({
          id: executionId,
          run_id: runId,
          test_id: testId,
          source,
          content: content && {
            commit: content.commit,
            stored_version: content.storedVersion,
            summary: content.summary,
          },
        })),
      },
      receipt,
    };
  } catch (error) {
    if (error instanceof DomainError && error.code === "run.quotaExceeded") return refusal(error);
    throw error;
  }
};

/** Renders a quota refusal. Its receipt lets the response wait until the refusal can be read. */
const refusal = ({ message, details }: DomainError): OperationResponse => ({
  status: 429,
  body: { detail: message },
  headers: { link: String(details.link) },
  receipt: details.receipt as Receipt,
});

const shared = {
  method: "POST",
  permission: "runs:dispatch",
  body: dispatchBody,
  maxBodyBytes: MAX_BODY_BYTES,
  responses: { 202: dispatched },
  errors: [403, 409, 422, 429],
  example: {
    body: {
      test_ids: ["0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e"],
      browsers: ["chromium"],
      base_url: "https://shop.example",
      variables: { user: "ada" },
    },
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
} as const;

/** Queueing of runs, for sessions and runners. */
export const dispatchOperations: readonly Operation[] = [
  defineOperation({
    ...shared,
    id: "queueRuns",
    path: "/runner/runs",
    tag: "Runner",
    summary: "Queue a cloud run",
    auth: "member",
    handler: ({ services, context, body }) => dispatch(services, context, body),
  }),
  defineOperation({
    ...shared,
    id: "queueCloudRun",
    path: "/cli/cloud-runs",
    tag: "CLI",
    summary: "Queue a cloud run",
    auth: "apiKey",
    handler: ({ services, context, body }) => dispatch(services, context, body),
  }),
];
