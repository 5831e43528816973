import { z } from "zod";
import { viewportText, visualOutcome } from "../baselines/picture.ts";
import { stepSchema } from "../catalogue/step.ts";
import { fingerprintSchema } from "../healing/fingerprint.ts";
import { healedSchema } from "../healing/healing.ts";
import { evidenceFiles, MAX_EVIDENCE_BYTES } from "../runs/executions/evidence.ts";
import { pageProblems, seenBox } from "../runs/executions/stepEvidence.ts";
import { evidenceKinds } from "../runs/pinned.ts";
import { browserName } from "../runs/verdict.ts";

/** How often an agent says that it lives, in seconds. */
export const HEARTBEAT_SECONDS = 3;
/** A picture as an agent sends it, before base64. */
export const MAX_PICTURE_BYTES = 4 * 1024 * 1024;
/**
 * Of a file that a test left, so many bytes go into one message, but for the last: an agent on a slow line must
 * be heard in between.
 */
export const EVIDENCE_PART_BYTES = 512 * 1024;
/** Of a file that a test chooses, so many bytes go into one message, but for the last. */
export const FILE_PART_BYTES = 1024 * 1024;
/** The maximum size of a message: a picture in base64 and its address. */
export const MAX_AGENT_MESSAGE_BYTES = 6 * 1024 * 1024;
/** The maximum number of concurrent executions of an agent. */
const MAX_AGENT_CAPACITY = 100;

const seq = z.int().positive();
const executionId = z.uuid();
const delivery = z.int().positive();
const durationMs = z.number().min(0).max(86_400_000).optional();
const text = (max: number) => z.string().max(max);

const of = { seq, execution_id: executionId, delivery };
const on = { ...of, attempt: z.int().positive(), browser: browserName };
const onStep = { ...on, number: z.int().positive() };

/** Messages of an agent (`/ws/agent`); each is answered by `ack`. */
export const fromAgent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    seq,
    /** The id of the agent process; its deliveries are leased under this id. */
    agent_id: z.string().regex(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits, _, . or -"),
    name: text(100).default("agent"),
    version: text(100).default("unknown"),
    /** Those that it knows and we do not are passed over. */
    browsers: z.array(text(50)).max(20),
    capacity: z.int().min(1).max(MAX_AGENT_CAPACITY),
    /** The deliveries that it was executing when it lost the connection. */
    resume: z.array(executionId).max(MAX_AGENT_CAPACITY).default([]),
    /** The agent sends traces of its steps, so that the service need not derive them from reports. */
    traces: z.boolean().default(false),
  }),
  z.object({ type: z.literal("accept"), ...of }),
  /** It will not run it, or no longer: it is given to another. */
  z.object({ type: z.literal("reject"), ...of, reason: text(1_000).optional() }),
  z.object({ type: z.literal("heartbeat"), seq, execution_ids: z.array(executionId).max(1_000) }),
  /** A browser was started. Without it its version is not known. */
  z.object({ type: z.literal("browser"), ...on, version: text(100) }),
  z.object({
    type: z.literal("step"),
    ...onStep,
    status: z.enum(["running", "passed", "failed", "skipped"]),
    duration_ms: durationMs,
    /** Why it failed or was skipped. */
    error: text(20_000).nullish(),
    locator: text(20_000).nullish(),
    /** The step is optional, and the test went on. */
    passed_over: z.boolean().optional(),
    /** Plan, policy, browser or a missing baseline prevented the skipped step. */
    gap: z.boolean().optional(),
    notes: z.array(text(1_000)).max(100).optional(),
    /** The element that the claim is about. */
    evidence: seenBox.optional(),
    /** The problems of the pages before the step failed. */
    page: pageProblems.optional(),
  }),
  z.object({
    type: z.literal("screenshot"),
    ...onStep,
    format: z.enum(["jpeg", "png"]),
    name: text(1_000).nullish(),
    base64: z.string().default(""),
    /** Why a picture that was taken is not sent; then there is none. */
    lost: text(1_000).optional(),
    /** How large the page was, for a picture that is compared: `1280x720` unless it is said. */
    viewport: viewportText.optional(),
  }),
  /**
   * Requests the baseline of a `visual_check`, or, with a picture, its comparison. Answered by `visual` with the number
   * `ask`. Nothing is recorded: the recorded picture is sent as `screenshot`.
   */
  z.object({
    type: z.literal("visual"),
    ...onStep,
    ask: z.int().positive(),
    viewport: viewportText,
    base64: z.string().optional(),
  }),
  /**
   * A piece of a file that the test left besides its pictures, said before its result; or, with `absent`, why
   * there is none of one that was to be. Pieces come in order, each of EVIDENCE_PART_BYTES but the last.
   */
  z.object({
    type: z.literal("evidence"),
    ...on,
    name: z.enum(evidenceFiles),
    /** How large the whole file is, and where in it the piece begins. */
    bytes: z.int().min(0).max(MAX_EVIDENCE_BYTES).default(0),
    offset: z.int().nonnegative().default(0),
    base64: z.string().default(""),
    absent: text(2_000).nullish(),
  }),
  /** The element of the step was missing, and the step continues with a similar element. */
  z.object({
    type: z.literal("healed"),
    ...onStep,
    target: healedSchema.shape.target,
    healed_target: healedSchema.shape.healedTarget,
    score: healedSchema.shape.score,
    runner_up: healedSchema.shape.runnerUp,
    changes: healedSchema.shape.changes,
  }),
  /** Requests the known fingerprint of the element of a step. Answered by `element` with the number `ask`. */
  z.object({ type: z.literal("element"), ...on, ask: z.int().positive(), step_id: z.uuid() }),
  /** The fingerprint of the element of a step, for steps listed in `due_steps`. */
  z.object({
    type: z.literal("fingerprint"),
    ...on,
    step_id: z.uuid(),
    fingerprint: fingerprintSchema,
  }),
  /** Asks for a piece of the file that an `upload` step chooses. `file` answers by the number `ask`. */
  z.object({
    type: z.literal("file"),
    ...onStep,
    ask: z.int().positive(),
    name: text(1_000),
    offset: z.int().nonnegative().default(0),
  }),
  z.object({
    type: z.literal("result"),
    ...on,
    status: z.enum(["passed", "failed", "errored"]),
    duration_ms: durationMs,
    error: text(20_000).nullish(),
    /** Nothing was wrong but pictures that differ from their baselines. */
    only_pictures: z.boolean().optional(),
  }),
]);

export type FromAgent = z.output<typeof fromAgent>;
/** The report of one browser of one attempt. */
export type AgentReport = Extract<FromAgent, { attempt: number }>;

/** The outcome for a picture of an agent. Reasons are shown to people. */
const visualAnswer = z.discriminatedUnion("kind", [
  /** Pictures are not compared here: the step is skipped. */
  z.object({ kind: z.literal("refused"), reason: z.string() }),
  /** The hash of the approved picture; null while there is none. */
  z.object({ kind: z.literal("compare"), sha256: z.string().nullable() }),
  z.object({
    kind: z.literal("found"),
    outcome: visualOutcome,
    pixels: z.number(),
    ratio: z.number(),
    size_differs: z.boolean(),
    threshold: z.number(),
    allowed: z.number(),
    baseline: z.object({ sha256: z.string(), width: z.int(), height: z.int() }).nullable(),
  }),
  /** The pictures cannot be compared: the test cannot be judged. */
  z.object({ kind: z.literal("failed"), reason: z.string() }),
]);

export type VisualAnswer = z.output<typeof visualAnswer>;

/** The known fingerprint of the element of a step, and whether the step may continue with another element. */
const elementAnswer = z.object({
  known: fingerprintSchema.nullable(),
  is_allowed: z.boolean(),
  /** Targets that a person rejected as the element of the step. */
  rejected: z.array(z.string()),
});

export type ElementAnswer = z.output<typeof elementAnswer>;

/** A piece of a file, or why there is none. */
const fileAnswer = z.discriminatedUnion("kind", [
  /** The project has no such file. */
  z.object({ kind: z.literal("none") }),
  z.object({
    kind: z.literal("part"),
    /** Identifies the content of the file; a file of the same name with other content has another hash. */
    id: z.string(),
    content_type: z.string(),
    /** How large the whole file is. */
    bytes: z.int().nonnegative(),
    base64: z.string(),
  }),
  z.object({ kind: z.literal("failed"), reason: z.string() }),
]);

export type FileAnswer = z.output<typeof fileAnswer>;

/** Messages of the service to an agent. An older agent ignores unknown fields. */
export const toAgent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("welcome"),
    agent_id: z.string(),
    heartbeat_seconds: z.number().positive(),
  }),
  z.object({
    type: z.literal("dispatch"),
    execution_id: executionId,
    delivery,
    run_id: z.uuid(),
    steps: z.array(stepSchema),
    browsers: z.array(browserName),
    base_url: z.string().nullable(),
    variables: z.record(z.string(), z.string()),
    /** After a disconnection of this length the agent has lost its deliveries to other workers. */
    lease_seconds: z.number().positive(),
    /** How often a test that does not pass is tried again. */
    retries: z.int().min(0).default(0),
    /** The secrets of the run's environment that its steps name. They are for this test alone, and shown nowhere. */
    secrets: z.record(z.string(), z.string()).default({}),
    /** Pictures show secrets in the fields that they were put into. */
    shows_secrets: z.boolean().default(false),
    step_ms: z.int().positive().default(10_000),
    test_ms: z.int().positive().default(600_000),
    /** The service answers `visual`. An older one does not. */
    compares_pictures: z.boolean().default(false),
    /** The evidence to record besides pictures, and to send with the console. Absent: an older service accepts none. */
    evidence: evidenceKinds.optional(),
    /** The service answers `element`, and takes `healed` and `fingerprint`. */
    heals: z.boolean().default(false),
    /** The steps for which the service requests fingerprints of elements. */
    due_steps: z.array(z.string()).default([]),
    /** The service answers `file`. */
    gives_files: z.boolean().default(false),
    /** The trace that it is part of (W3C), while the service keeps traces. */
    traceparent: z.string().optional(),
  }),
  z.object({
    type: z.literal("visual"),
    execution_id: executionId,
    ask: z.int(),
    answer: visualAnswer,
  }),
  z.object({
    type: z.literal("element"),
    execution_id: executionId,
    ask: z.int(),
    answer: elementAnswer,
  }),
  z.object({
    type: z.literal("file"),
    execution_id: executionId,
    ask: z.int(),
    answer: fileAnswer,
  }),
  z.object({ type: z.literal("cancel"), execution_id: executionId }),
  z.object({ type: z.literal("ack"), seq }),
  z.object({ type: z.literal("error"), detail: z.string(), seq: seq.optional() }),
]);

export type ToAgent = z.output<typeof toAgent>;

/** The answer to a request of an agent. */
export type AnswerToAgent = Extract<ToAgent, { readonly ask: number }>;

/** Decodes base64; null if the text is not base64. */
export const pictureBytes = (base64: string): number | null => {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) return null;
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
};

/** The way back to a connected agent. */
export type AgentLine = {
  say(message: ToAgent): void;
  close(code: number, reason: string): void;
};

/** A connected agent, as seen by the owner of its connection. */
export type AgentSession = {
  /**
   * Handles a message. Resolves after its content is recorded, with null or the reason of the refusal. Rejects if it
   * cannot be recorded now.
   */
  receive(message: Exclude<FromAgent, { type: "hello" }>): Promise<string | null>;
  /** Reports a closed connection. `revoked`: the agent cannot return, and its deliveries are released immediately. */
  end(revoked: boolean): void;
};

/** Where connected agents get their work from. */
export type AgentHost = {
  /** Registers an agent and its resumed deliveries. Closes an earlier connection with the same id. */
  connect(
    organizationId: string,
    hello: Extract<FromAgent, { type: "hello" }>,
    line: AgentLine,
  ): AgentSession;
};
