import { z } from "zod";
import type { CommandContext } from "../../../commands/kernel/commandLoop.ts";
import type { Receipt } from "../../../commands/kernel/receipt.ts";
import { MAX_TESTS } from "../../../commands/runs/plans.ts";
import type { QueuedRuns, Selection } from "../../../commands/runs/runs.ts";
import { DomainError } from "../../../domain/kernel/errors.ts";
import { evidenceKinds, MAX_RETRIES, runTarget } from "../../../domain/runs/pinned.ts";
import { browserName } from "../../../domain/runs/verdict.ts";
import { defineOperation, type Operation, type OperationResponse } from "../../operation.ts";
import { id } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { httpAddress, variablesInput } from "../catalogue/variables.ts";

/** Each is a run of its own. */
const MAX_SETS = 50;
/** All variables together: a thousand tests and these must fit into one event of 1 MiB. */
const MAX_VARIABLES_KIB = 256;

/** What is to be run, and how. */
const dispatchBody = z
  .strictObject({
    test_ids: z
      .array(id)
      .min(1, "must name one test at least")
      .max(MAX_TESTS, `must name ${MAX_TESTS} tests at most`)
      .optional(),
    test_set_ids: z
      .array(id)
      .min(1, "must name one test set at least")
      .max(MAX_SETS, `must name ${MAX_SETS} test sets at most`)
      .optional(),
    project_id: id.optional(),
    /** The name of a tag, in any case, or its id. */
    tag: z.string().trim().min(1).max(100).optional(),
    browsers: z
      .array(z.enum(browserName.options, "must be chromium, firefox or webkit"))
      .min(1, "must name one browser at least")
      .default(["chromium"]),
    /** Who runs it: the service, or agents of the organisation, which costs no quota. */
    target: runTarget.default("cloud"),
    base_url: httpAddress.nullable().optional(),
    variables: variablesInput(MAX_VARIABLES_KIB).default({}),
    /** The name of an environment, which the project of each test has, or its id. */
    environment: z.string().trim().min(1).max(100).nullable().optional(),
    /** How often a test that does not pass is tried again. One that passes then is flaky. */
    retries: z
      .int("must be a whole number")
      .min(0, `must be from 0 to ${MAX_RETRIES}`)
      .max(MAX_RETRIES, `must be from 0 to ${MAX_RETRIES}`)
      .default(0),
    /** What is recorded besides steps, pictures and consoles. What is tried again is traced anyway. */
    evidence: evidenceKinds.default([]),
  })
  .refine((body) => waysOf(body) === 1, {
    message: "name what to run: test_ids, test_set_ids or both, or project_id, or tag",
    path: ["test_ids"],
  });

/** In how many ways a body names what to run. */
const waysOf = (body: {
  readonly test_ids?: unknown;
  readonly test_set_ids?: unknown;
  readonly project_id?: unknown;
  readonly tag?: unknown;
}): number =>
  [body.test_ids ?? body.test_set_ids, body.project_id, body.tag].filter((way) => way !== undefined)
    .length;

type Dispatch = z.output<typeof dispatchBody>;

/** What was queued. */
export const dispatched = z.object({
  run_ids: z.array(id),
  executions: z.array(z.object({ id, run_id: id, test_id: id })),
});

const selectionOf = ({ test_ids, test_set_ids, project_id, tag }: Dispatch): Selection => {
  if (project_id !== undefined) return { projectId: project_id };
  if (tag !== undefined) return { tag };
  const testIds = test_ids ?? [];
  return test_set_ids === undefined ? { testIds } : { testSetIds: test_set_ids, testIds };
};

const dispatch = (
  services: Services,
  context: CommandContext,
  body: Dispatch,
): Promise<OperationResponse> =>
  queueing(
    services.runs.commands.queueRuns(context, {
      selection: selectionOf(body),
      browsers: [...new Set(body.browsers)],
      baseUrl: body.base_url ?? null,
      variables: body.variables,
      environment: body.environment ?? null,
      retries: body.retries,
      evidence: [...new Set(body.evidence)],
      target: body.target,
    }),
  );

/** The answer to who asked for runs. Throws what `queue` throws, but for a quota that does not hold them. */
export const queueing = async (queue: Promise<QueuedRuns>): Promise<OperationResponse> => {
  try {
    const { runIds, executions, receipt } = await queue;
    return {
      status: 202,
      body: {
        run_ids: runIds,
        executions: executions.map(({ id: executionId, runId, testId }) => ({
          id: executionId,
          run_id: runId,
          test_id: testId,
        })),
      },
      receipt,
    };
  } catch (error) {
    if (error instanceof DomainError && error.code === "run.quotaExceeded") return refusal(error);
    throw error;
  }
};

/** A refusal has a receipt: the answer waits until it can be read, as after any write. */
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
        },
      ],
    },
  },
} as const;

/** Asking for runs: the same from a session and from a runner. */
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
