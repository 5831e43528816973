import { z } from "zod";

/** Maximum length of a client message, in bytes. */
export const MAX_MESSAGE_BYTES = 4_096;

const incoming = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("subscribe"),
    run_id: z.uuid(),
    /** Number of the last event that the client has. Default: 0. */
    after: z.int().nonnegative().optional(),
  }),
  z.strictObject({ type: z.literal("unsubscribe"), run_id: z.uuid() }),
  z.strictObject({ type: z.literal("ping") }),
]);

/** Messages from clients of /ws/execution. */
export type Incoming = z.output<typeof incoming>;

/** Parses a message. Returns a description of the problem if it is malformed. */
export const readMessage = (
  data: Buffer,
  isBinary: boolean,
): { readonly message: Incoming } | { readonly detail: string } => {
  if (isBinary) return { detail: "Messages must be JSON in text frames." };
  if (data.length > MAX_MESSAGE_BYTES)
    return { detail: `A message must have at most ${MAX_MESSAGE_BYTES} bytes.` };
  let json: unknown;
  try {
    json = JSON.parse(data.toString("utf8"));
  } catch {
    return { detail: "The message is not JSON." };
  }
  const parsed = incoming.safeParse(json);
  return parsed.success ? { message: parsed.data } : { detail: problemOf(parsed.error) };
};

const problemOf = (error: z.ZodError): string => {
  const [issue] = error.issues;
  const field = issue?.path.join(".");
  if (!field) return "A message is an object with a type: subscribe, unsubscribe or ping.";
  if (field === "type") return "The type of a message is subscribe, unsubscribe or ping.";
  return `${field}: ${issue?.message ?? "is wrong"}`;
};
