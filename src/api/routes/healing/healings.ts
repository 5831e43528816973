import { z } from "zod";
import { browserName } from "../../../domain/runs/verdict.ts";
import type { HealingRow } from "../../../projections/healing/healings.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, pageOf, pageQuery, timestamp, toPage } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";

const healing = z
  .object({
    id,
    test_id: id.describe("The executed test."),
    step_test_id: id.describe(
      "The test that contains the step and is changed on acceptance. Differs from `test_id` for called tests.",
    ),
    step_id: id,
    status: z.enum(["proposed", "accepted", "rejected"]),
    target: z
      .string()
      .describe("The target of the step, and the proposed target that names the found element."),
    healed_target: z.string(),
    score: z
      .number()
      .describe(
        "Similarity to the element of the last pass, from 0 to 1, and that of the second-best candidate.",
      ),
    runner_up: z.number().nullable(),
    changes: z.array(z.object({ what: z.string(), before: z.string(), after: z.string() })),
    execution_id: id.describe(
      "The last execution that used the found element, and the number of such executions.",
    ),
    step_number: z.int(),
    browser: browserName,
    times: z.int(),
    healed_at: timestamp,
    last_healed_at: timestamp,
    decided_at: timestamp.nullable(),
  })
  .meta({
    id: "Healing",
    description: "A proposal to change the target of a step whose element has changed.",
  });

const healingExample = {
  id: "0199c2a1-0c4f-7e11-8a33-5d6e7f8091a2",
  test_id: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e",
  step_test_id: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e",
  step_id: "0199c2a0-7b1e-7f11-8a22-3b4c5d6e7f80",
  status: "proposed",
  target: "#save",
  healed_target: '"Save" button',
  score: 0.83,
  runner_up: 0.41,
  changes: [{ what: "id", before: "save", after: "btn-save-2" }],
  execution_id: "0199c2a1-0c4f-7d02-9e33-0a1b2c3d4e5f",
  step_number: 2,
  browser: "chromium",
  times: 3,
  healed_at: "2025-11-21T10:00:01.000Z",
  last_healed_at: "2025-11-21T12:00:01.000Z",
  decided_at: null,
};

const healingBody = ({ organization_id: _, ...row }: HealingRow) => row;

const healingParams = z.object({ id, healing_id: id });

const listHealings = defineOperation({
  id: "listHealings",
  method: "GET",
  path: "/tests/{id}/healings",
  tag: "Test Steps",
  summary: "List the healings of a test, of its called tests and of its callers, newest first",
  auth: "member",
  permission: "results:read",
  params: idParams,
  query: pageQuery,
  responses: { 200: pageOf(healing) },
  example: { response: { items: [healingExample], next_cursor: null } },
  handler: async ({ params, query, principal, services }) => {
    owned(await services.catalogue.queries.findTest(params.id), principal, "test");
    const rows = await services.healings.healingsOf(params.id, query);
    return { status: 200, body: toPage(rows.map(healingBody), query.limit) };
  },
});

const findOurs = async (
  services: Services,
  { id: testId, healing_id }: z.output<typeof healingParams>,
  principal: { readonly organizationId: string },
): Promise<HealingRow> => {
  owned(await services.catalogue.queries.findTest(testId), principal, "test");
  const found = await services.healings.findHealing(testId, healing_id);
  if (!found) throw new ApiError(404, "There is no healing of this id.");
  return found;
};

const decisionOperation = (what: "accept" | "reject", summary: string): Operation =>
  defineOperation({
    id: `${what}Healing`,
    method: "POST",
    path: `/tests/{id}/healings/{healing_id}/${what}`,
    tag: "Test Steps",
    summary,
    auth: "member",
    permission: "catalogue:write",
    params: healingParams,
    responses: { 200: healing },
    errors: [409],
    example: {
      response: {
        ...healingExample,
        status: `${what}ed`,
        decided_at: "2025-11-21T13:00:00.000Z",
      },
    },
    handler: async ({ params, principal, context, services }) => {
      const found = await findOurs(services, params, principal);
      const { commands, queries } = services.catalogue;
      // Acceptance changes the test that contains the step, so the caller must be allowed to change that test.
      const stepTest = owned(await queries.findTest(found.step_test_id), principal, "test");
      const decided = await commands.decideHealing(context, stepTest.id, {
        type: `${what}Healing`,
        healingId: found.id,
        stepId: found.step_id,
        before: found.target,
        target: found.healed_target,
      });
      const decided_at = found.decided_at ?? decided.at;
      const body = { ...healingBody(found), status: `${what}ed`, decided_at };
      return { status: 200, body, receipt: decided.receipt };
    },
  });

/** Healing proposals and decisions on them. */
export const healingOperations: readonly Operation[] = [
  listHealings,
  decisionOperation(
    "accept",
    "Have the step name its element as it was found: a new version of the test that the step belongs to",
  ),
  decisionOperation(
    "reject",
    "Say that it is not the step's element: no run goes on with it again",
  ),
];
