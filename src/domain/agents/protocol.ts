import { z } from "zod";
import { viewportText, visualOutcome } from "../baselines/picture.ts";
import { stepSchema } from "../catalogue/step.ts";
import { fingerprintSchema } from "../healing/fingerprint.ts";
import { healedSchema } from "../healing/healing.ts";
import { evidenceFiles, MAX_EVIDENCE_BYTES } from "../runs/executions/evidence.ts";
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
/** The longest message: a picture in base64, and what says where it belongs. */
export const MAX_AGENT_MESSAGE_BYTES = 6 * 1024 * 1024;
/** How many executions an agent may take at once. */
const MAX_AGENT_CAPACITY = 100;

const seq = z.int().positive();
const executionId = z.uuid();
const delivery = z.int().positive();
const durationMs = z.number().min(0).max(86_400_000).optional();
const text = (max: number) => z.string().max(max);

const of = { seq, execution_id: executionId, delivery };
const on = { ...of, attempt: z.int().positive(), browser: browserName };
const onStep = { ...on, number: z.int().positive() };

/** What an agent may say (operations.md, "/ws/agent"); each is answered by `ack`. */
export const fromAgent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    seq,
    /** Names the agent for as long as its process lives: what it holds is held under this name. */
    agent_id: z.string().regex(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits, _, . or -"),
    name: text(100).default("agent"),
    version: text(100).default("unknown"),
    /** Those that it knows and we do not are passed over. */
    browsers: z.array(text(50)).max(20),
    capacity: z.int().min(1).max(MAX_AGENT_CAPACITY),
    /** What it was working on when it lost the connection. */
    resume: z.array(executionId).max(MAX_AGENT_CAPACITY).default([]),
    /** It sends traces of what it runs itself: the service need not make them up from what it is told. */
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
   * Asks what the picture of a `visual_check` is compared with, or, with one, what it comes to. `visual`
   * answers by the number `ask`. Nothing is recorded: the picture that counts is sent as `screenshot`.
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
  /** The step's element was not there any more, and it goes on with one that is enough like it. */
  z.object({
    type: z.literal("healed"),
    ...onStep,
    target: healedSchema.shape.target,
    healed_target: healedSchema.shape.healedTarget,
    score: healedSchema.shape.score,
    runner_up: healedSchema.shape.runnerUp,
    changes: healedSchema.shape.changes,
  }),
  /** Asks what is known of a step's element. `element` answers by the number `ask`. */
  z.object({ type: z.literal("element"), ...on, ask: z.int().positive(), step_id: z.uuid() }),
  /** What a step's element is like, of those that the service wants to know it of (`due_steps`). */
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
/** What is told of one browser of one attempt. */
export type AgentReport = Extract<FromAgent, { attempt: number }>;

/** What becomes of an agent's picture. Reasons are for a person. */
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

/** What is known of a step's element, and whether a step may go on with another. */
const elementAnswer = z.object({
  known: fingerprintSchema.nullable(),
  is_allowed: z.boolean(),
  /** Targets that somebody said are not the step's element. */
  rejected: z.array(z.string()),
});

export type ElementAnswer = z.output<typeof elementAnswer>;

/** A piece of a file, or why there is none. */
const fileAnswer = z.discriminatedUnion("kind", [
  /** The project has no such file. */
  z.object({ kind: z.literal("none") }),
  z.object({
    kind: z.literal("part"),
    /** Names what is in the file: another one is another file of the same name. */
    id: z.string(),
    content_type: z.string(),
    /** How large the whole file is. */
    bytes: z.int().nonnegative(),
    base64: z.string(),
  }),
  z.object({ kind: z.literal("failed"), reason: z.string() }),
]);

export type FileAnswer = z.output<typeof fileAnswer>;

/** What the service says to an agent. Fields that an older agent does not know do no harm. */
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
    /** An agent that is away for so long has lost what it holds: another has it then. */
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
    /** What is to be recorded besides pictures, and sent with the console. Absent: an older service takes none of it. */
    evidence: evidenceKinds.optional(),
    /** The service answers `element`, and takes `healed` and `fingerprint`. */
    heals: z.boolean().default(false),
    /** The steps of whose elements it wants to know what they are like. */
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

/** What answers a question of an agent. */
export type AnswerToAgent = Extract<ToAgent, { readonly ask: number }>;

/** The bytes that a base64 text stands for; null when it is no base64. */
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

/** A connected agent, as whoever has its connection speaks for it. */
export type AgentSession = {
  /** Takes a message. Resolves once what it says is recorded, with null, or with why it was refused. Rejects when it cannot be recorded now. */
  receive(message: Exclude<FromAgent, { type: "hello" }>): Promise<string | null>;
  /** The connection is gone. `revoked`: for good, so that what the agent has is given to others at once. */
  end(revoked: boolean): void;
};

/** Where connected agents get their work from. */
export type AgentHost = {
  /** Takes an agent in, with what it goes on with. A connection of before with the same id is closed. */
  connect(
    organizationId: string,
    hello: Extract<FromAgent, { type: "hello" }>,
    line: AgentLine,
  ): AgentSession;
};
