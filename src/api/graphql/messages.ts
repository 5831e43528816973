import { z } from "zod";
import { MAX_QUERY } from "./index.ts";

/** The longest message that a client may send, in bytes: a query with its variables. */
const MAX_MESSAGE_BYTES = 65_536;

/** What a subscription is called by who asked for it. */
const id = z.string().min(1).max(100);

/** What a client of /ws/graphql may say: the protocol graphql-transport-ws. */
const incoming = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("connection_init"),
    payload: z
      .object({
        /** As the header: `Bearer …`. */
        authorization: z.string().max(8_192).optional(),
        /** As `X-Org-Id`. */
        organization_id: z.string().max(100).optional(),
      })
      .nullish(),
  }),
  z.object({
    type: z.literal("subscribe"),
    id,
    payload: z.object({
      query: z.string().min(1).max(MAX_QUERY),
      variables: z.record(z.string(), z.unknown()).nullish(),
      operationName: z.string().nullish(),
    }),
  }),
  z.object({ type: z.literal("complete"), id }),
  z.object({ type: z.literal("ping"), payload: z.unknown().optional() }),
  z.object({ type: z.literal("pong"), payload: z.unknown().optional() }),
]);

export type Incoming = z.output<typeof incoming>;

/** Reads a message; null where it is none. */
export const readMessage = (text: string): Incoming | null => {
  if (Buffer.byteLength(text) > MAX_MESSAGE_BYTES) return null;
  try {
    const parsed = incoming.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
};
