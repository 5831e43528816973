import { z } from "zod";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { timestamp } from "../../schemas.ts";

/** A number of leaves in a query or a path. */
export const treeSize = z.coerce
  .number("must be a whole number")
  .int("must be a whole number")
  .min(0)
  .max(Number.MAX_SAFE_INTEGER);

const noTree = (): ApiError =>
  new ApiError(
    503,
    "The log has no signed checkpoint yet. A process with the role projections must run.",
  );

const note = `runledger/log/0f1e2d3c4b5a6978
3
dGhpcyBpcyBhbiBleGFtcGxlIG9mIGEgMzIgYnl0ZXM=

— runledger/log/0f1e2d3c4b5a6978 c2lnbmF0dXJl
`;

const readCheckpoint = defineOperation({
  id: "readCheckpoint",
  method: "GET",
  path: "/audit/log/checkpoint",
  tag: "Plan",
  summary: "Read the newest signed checkpoint of the event log, for auditors to keep",
  auth: "member",
  permission: "usage:read",
  query: z.object({
    from: treeSize
      .optional()
      .describe("The size of an older checkpoint: proves that the tree extends it (RFC 6962)."),
    to: treeSize.optional().describe("The size of the newer one; by default that of the newest."),
  }),
  responses: {
    200: z.object({
      checkpoint: z.string().describe("A signed note (C2SP tlog-checkpoint)."),
      key: z.string().describe("The verifier key of the service (C2SP signed-note)."),
      size: z.int().min(0).describe("The number of events."),
      signed_at: timestamp.describe("When it was signed."),
      consistency: z
        .object({
          from: z.int().min(0).describe("The size of the older tree."),
          to: z.int().min(0).describe("The size of the newer tree."),
          hashes: z.array(z.string()).describe("In base64, in the order of RFC 6962."),
        })
        .nullable()
        .describe("The proof; null without `from`."),
    }),
  },
  errors: [409],
  example: {
    response: {
      checkpoint: note,
      key: "runledger/log/0f1e2d3c4b5a6978+0badcafe+AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAh",
      size: 3,
      signed_at: "2026-03-01T10:11:12.345Z",
      consistency: null,
    },
  },
  handler: async ({ query: { from = null, to = null }, services }) => {
    const found = await services.audit.proofs.readCheckpoint(from, to);
    if (!found) throw noTree();
    const { signedAt: signed_at, ...rest } = found;
    return { status: 200, body: { ...rest, signed_at } };
  },
});

/** The signed tree of the event log. */
export const treeOperations: readonly Operation[] = [readCheckpoint];
