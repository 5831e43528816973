import { z } from "zod";
import { MAX_QUERY } from "./index.ts";

/** Maximum length of a client message, in bytes. */
const MAX_MESSAGE_BYTES = 65_536;

/** Subscription id, chosen by the client. */
const id = z.string().min(1).max(100);

/** Messages from clients of /ws/graphql (protocol graphql-transport-ws). */
const incoming = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("connection_init"),
    payload: z
      .object({
        /** Value of the `Authorization` header. */
        authorization: z.string().max(8_192).optional(),
        /** Value of the `X-Org-Id` header. */
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

/** Parses a message; null if it is malformed. */
export const readMessage = (text: string): Incoming | null => {
  if (Buffer.byteLength(text) > MAX_MESSAGE_BYTES) return null;
  try {
    const parsed = incoming.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
};
