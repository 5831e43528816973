import { z } from "zod";
import { type CommandContext, partOf } from "../../../commands/kernel/context.ts";
import { joinReceipts, nothingRecorded, type Receipt } from "../../../commands/kernel/receipt.ts";
import { DomainError } from "../../../domain/kernel/errors.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";
import { tagExample, testExample } from "./examples.ts";
import { type Place, placeOf } from "./places.ts";

/** The maximum number of tests per request. Each test is a separate change. */
const MAX_AT_ONCE = 200;
/** The number of concurrent changes. */
const ABREAST = 8;

const bulkBody = z
  .strictObject({
    ids: z
      .array(id)
      .min(1, "must name at least one test")
      .max(MAX_AT_ONCE, `must name at most ${MAX_AT_ONCE} tests`),
    move: z
      .strictObject({
        project_id: id.nullable().optional(),
        folder_id: id.nullable().optional(),
      })
      .refine((place) => Object.keys(place).length > 0, "must have project_id or folder_id")
      .optional(),
    tag: id.optional(),
    untag: id.optional(),
    delete: z.literal(true).optional(),
  })
  .refine(
    (body) =>
      [body.move, body.tag, body.untag, body.delete].filter((one) => one !== undefined).length ===
      1,
    { message: "must have exactly one of move, tag, untag and delete", path: ["move"] },
  );

type Bulk = z.output<typeof bulkBody>;

const changeTests = defineOperation({
  id: "changeTests",
  method: "POST",
  path: "/tests/bulk",
  tag: "Tests",
  summary: "Move, tag, untag or delete many tests, with a result for each",
  auth: "member",
  permission: "catalogue:write",
  body: bulkBody,
  responses: {
    200: z.object({
      items: z.array(
        z.object({
          id,
          status: z.enum(["done", "refused"]),
          detail: z.string().nullable().describe("The reason of a refusal."),
        }),
      ),
    }),
  },
  errors: [403],
  example: {
    body: { ids: [testExample.id], tag: tagExample.id },
    response: { items: [{ id: testExample.id, status: "done", detail: null }] },
  },
  handler: async ({ body, context, principal, services }) => {
    const ids = [...new Set(body.ids)];
    await refuseForeign(services, ids, principal.organizationId);
    const change = await changeOf(services, body, context, principal);
    const items: { id: string; status: "done" | "refused"; detail: string | null }[] = [];
    const receipts: Receipt[] = [];
    for (let start = 0; start < ids.length; start += ABREAST) {
      const outcomes = await Promise.all(
        ids.slice(start, start + ABREAST).map(async (testId) => {
          try {
            const receipt = await change(partOf(context, testId), testId);
            return { testId, receipt, detail: null };
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
            return { testId, receipt: nothingRecorded, detail: error.message };
          }
        }),
      );
      for (const { testId, receipt, detail } of outcomes) {
        receipts.push(receipt);
        items.push({ id: testId, status: detail === null ? "done" : "refused", detail });
      }
    }
    return { status: 200, body: { items }, receipt: joinReceipts(receipts) };
  },
});

/** Throws ApiError 403 before any change if a test belongs to another organisation. */
const refuseForeign = async (
  services: Services,
  testIds: readonly string[],
  organizationId: string,
): Promise<void> => {
  const found = await services.catalogue.queries.pinTests(organizationId, { testIds });
  if (found.some((test) => test.organizationId !== organizationId)) {
    throw new ApiError(403, "One of the tests belongs to another organisation.");
  }
};

type Change = (context: CommandContext, testId: string) => Promise<Receipt>;

/** The change of each test. Throws ApiError 422, 403 if it is not possible for any test. */
const changeOf = async (
  services: Services,
  body: Bulk,
  context: CommandContext,
  caller: { readonly organizationId: string },
): Promise<Change> => {
  const { commands, queries } = services.catalogue;
  if (body.move) {
    const place: Place = await placeOf(services, context, body.move);
    return async (mine, testId) => (await commands.changeTest(mine, testId, place, null)).receipt;
  }
  const tagId = body.tag ?? body.untag;
  if (tagId === undefined) return (mine, testId) => commands.deleteTest(mine, testId, null);
  if (!context.again) {
    const tag = await queries.findTag(tagId);
    const field = body.tag === undefined ? "untag" : "tag";
    if (!tag) throw new ApiError(422, `${field}: there is no tag ${tagId}.`);
    owned(tag, caller, "tag");
  }
  return body.tag === undefined
    ? (mine, testId) => commands.untagTest(mine, testId, tagId)
    : (mine, testId) => commands.tagTest(mine, testId, tagId);
};

export const bulkOperations: readonly Operation[] = [changeTests];
