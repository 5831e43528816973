import { z } from "zod";
import { runEventNames } from "../../domain/runs/watchedEvents.ts";
import { timestamp } from "../schemas.ts";

/** Maximum length of a client message, in bytes. */
export const MAX_MESSAGE_BYTES = 4_096;

const position = z.string().regex(/^\d{1,19}$/, "must be the position of an event, as a string");
const run = { run_id: z.uuid() };
const project = { project_id: z.uuid() };
const organization = { organization_id: z.uuid() };
const subscribe = z.literal("subscribe");
const unsubscribe = z.literal("unsubscribe");

/** Messages from clients of /ws/execution. */
export const incoming = {
  subscribeRun: z.strictObject({
    type: subscribe,
    ...run,
    after: z
      .int()
      .nonnegative()
      .optional()
      .describe("The `sequence` of the last event that the client has. Default: 0."),
  }),
  subscribeProject: z.strictObject({ type: subscribe, ...project, after: resumeAt() }),
  subscribeOrganization: z.strictObject({ type: subscribe, ...organization, after: resumeAt() }),
  unsubscribeRun: z.strictObject({ type: unsubscribe, ...run }),
  unsubscribeProject: z.strictObject({ type: unsubscribe, ...project }),
  unsubscribeOrganization: z.strictObject({ type: unsubscribe, ...organization }),
  ping: z.strictObject({ type: z.literal("ping") }),
};

function resumeAt() {
  return position
    .optional()
    .describe("The `position` of the last event that the client has. Default: only new events.");
}

export type Incoming = z.output<(typeof incoming)[keyof typeof incoming]>;

const event = {
  type: z.literal("event"),
  run_id: z.uuid(),
  sequence: z.int().positive().describe("The number of the event in its run: 1, 2, 3, …"),
  name: z.enum(runEventNames),
  execution_id: z.uuid().nullable(),
  browser: z.string().nullable(),
  attempt: z.int().nullable(),
  delivery: z.int().nullable(),
  step_number: z.int().nullable(),
  data: z.record(z.string(), z.unknown()),
  at: timestamp,
};

/** Messages to clients of /ws/execution. */
export const outgoing = {
  runSubscribed: z.strictObject({
    type: z.literal("subscribed"),
    ...run,
    sequence: z.int().nonnegative().describe("The `sequence` of the last event of the run."),
  }),
  projectSubscribed: z.strictObject({ type: z.literal("subscribed"), ...project, position }),
  organizationSubscribed: z.strictObject({
    type: z.literal("subscribed"),
    ...organization,
    position: position.describe("The position after which events are sent."),
  }),
  event: z.strictObject({
    ...event,
    position: position
      .optional()
      .describe("Only in subscriptions of a project or an organisation: to resume with `after`."),
  }),
  pong: z.strictObject({ type: z.literal("pong") }),
  error: z.strictObject({ type: z.literal("error"), detail: z.string() }),
};

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
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return { detail: "A message is an object with a type: subscribe, unsubscribe or ping." };
  const schema = schemaOf(json);
  if (!schema) return { detail: "The type of a message is subscribe, unsubscribe or ping." };
  const parsed = schema.safeParse(json);
  return parsed.success ? { message: parsed.data } : { detail: problemOf(parsed.error) };
};

/** The schema by `type` and the named subject. A message without a subject is about a run. */
const schemaOf = (json: object): z.ZodType<Incoming> | null => {
  const type = "type" in json ? json.type : null;
  if (type === "ping") return incoming.ping;
  const [ofRun, ofProject, ofOrganization] =
    type === "subscribe"
      ? [incoming.subscribeRun, incoming.subscribeProject, incoming.subscribeOrganization]
      : [incoming.unsubscribeRun, incoming.unsubscribeProject, incoming.unsubscribeOrganization];
  if (type !== "subscribe" && type !== "unsubscribe") return null;
  if ("run_id" in json) return ofRun;
  if ("project_id" in json) return ofProject;
  return "organization_id" in json ? ofOrganization : ofRun;
};

const problemOf = (error: z.ZodError): string => {
  const [issue] = error.issues;
  const field = issue?.path.join(".");
  return field ? `${field}: ${issue?.message ?? "is wrong"}` : (issue?.message ?? "is wrong");
};
