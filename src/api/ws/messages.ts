import { z } from "zod";

/** The longest message that a client may send, in bytes: each is a few ids. */
export const MAX_MESSAGE_BYTES = 4_096;

const incoming = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("subscribe"),
    run_id: z.uuid(),
    /** The number of the last event that the client has; 0, the default: none. */
    after: z.int().nonnegative().optional(),
  }),
  z.strictObject({ type: z.literal("unsubscribe"), run_id: z.uuid() }),
  z.strictObject({ type: z.literal("ping") }),
]);

/** What a client of /ws/execution may say. */
export type Incoming = z.output<typeof incoming>;

/** Reads a message; answers what is wrong with it, for a person, where it cannot be read. */
export const readMessage = (
  data: Buffer,
  isBinary: boolean,
): { readonly message: Incoming } | { readonly detail: string } => {
  if (isBinary) return { detail: "Messages are JSON in text frames." };
  if (data.length > MAX_MESSAGE_BYTES)
    return { detail: `A message has at most ${MAX_MESSAGE_BYTES} bytes.` };
  let json: unknown;
  try {
    json = JSON.parse(data.toString("utf8"));
  } catch {
    return { detail: "The message is not JSON." };
  }
  const parsed = incoming.safeParse(json);
  return parsed.success ? { message: parsed.data } : { detail: whatIsWrong(parsed.error) };
};

const whatIsWrong = (error: z.ZodError): string => {
  const [issue] = error.issues;
  const field = issue?.path.join(".");
  if (!field) return "A message is an object with a type: subscribe, unsubscribe or ping.";
  if (field === "type") return "The type of a message is subscribe, unsubscribe or ping.";
  return `${field}: ${issue?.message ?? "is wrong"}`;
};
