import {
  type AgentReport,
  type ElementAnswer,
  FILE_PART_BYTES,
  type FileAnswer,
} from "../../domain/agents/protocol.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import type { HealingMemory, StepHealing } from "../executor/healing/memory.ts";
import type { NewReport } from "../executor/report.ts";
import type { Resources } from "../runs/resources.ts";

type Message<Type extends AgentReport["type"]> = Extract<AgentReport, { type: Type }>;

export type AgentResources = ReturnType<typeof agentResources>;

const NOTHING_KNOWN: ElementAnswer = { known: null, is_allowed: false, rejected: [] };

type ResourceDeps = {
  readonly steps: readonly Step[];
  /** Undefined: no step is healed. */
  readonly healing: HealingMemory | undefined;
  readonly files: Resources["files"];
};

/** Gives an agent the known elements and the project files of the test that it holds. */
export const agentResources = (deps: ResourceDeps) => ({
  dueSteps: dueSteps.bind(null, deps),
  element: element.bind(null, deps),
  keep: keep.bind(null, deps),
  healed: healed.bind(null, deps),
  file: file.bind(null, deps),
});

const memoryOf = ({ steps, healing }: ResourceDeps, stepId: string): StepHealing | null => {
  const step = steps.find(({ id }) => id === stepId);
  return step && healing ? healing(step) : null;
};

/** Ids of the steps whose element the agent should describe. Never rejects. */
const dueSteps = async (deps: ResourceDeps): Promise<readonly string[]> => {
  const { healing, steps } = deps;
  if (!healing) return [];
  const ids = [...new Set(steps.filter(({ disabled }) => !disabled).map(({ id }) => id))];
  const due = await Promise.all(ids.map((id) => memoryOf(deps, id)?.isDue() ?? false));
  return ids.filter((_, index) => due[index]);
};

/** Never rejects. */
const element = async (
  deps: ResourceDeps,
  { step_id }: Message<"element">,
): Promise<ElementAnswer> => {
  const memory = memoryOf(deps, step_id);
  if (!memory) return NOTHING_KNOWN;
  try {
    const known = await memory.known();
    if (known === null) return NOTHING_KNOWN;
    const is_allowed = await memory.isAllowed();
    return { known, is_allowed, rejected: [...(await memory.rejected())] };
  } catch {
    return NOTHING_KNOWN;
  }
};

/** Stores the fingerprint of a step's element if it is due. Resolves with null or the reason of the refusal. */
const keep = async (
  deps: ResourceDeps,
  { step_id, fingerprint }: Message<"fingerprint">,
): Promise<string | null> => {
  const memory = memoryOf(deps, step_id);
  if (!memory) return `The test has no step ${step_id}.`;
  if (await memory.isDue()) memory.keep(fingerprint);
  return null;
};

/** Converts the healing reported by the agent. Resolves with the reason of the refusal as a string. */
const healed = async (
  deps: ResourceDeps,
  { number, target, healed_target: healedTarget, score, ...found }: Message<"healed">,
): Promise<NewReport | string> => {
  const { steps } = deps;
  const step = steps[number - 1];
  const memory = step && !step.disabled ? memoryOf(deps, step.id) : null;
  if (!step || !memory) return `Step ${number} cannot be healed.`;
  if (!(await memory.isAllowed())) return "The organisation has switched healing off.";
  if ((await memory.known()) === null)
    return `No fingerprint of the element of step ${number} is known.`;
  if ((await memory.rejected()).includes(healedTarget)) {
    return "A user has rejected this element for the step.";
  }
  const { runner_up: runnerUp, changes } = found;
  const facts = { target, healedTarget, score, runnerUp, changes };
  return { type: "locatorHealed", number, stepId: step.id, ...facts };
};

/** Never rejects. */
const file = async (
  { steps, files }: ResourceDeps,
  { number, name, offset }: Message<"file">,
): Promise<FileAnswer> => {
  const step = steps[number - 1];
  if (step?.action !== "upload" || step.disabled) {
    return { kind: "failed", reason: `Step ${number} chooses no file.` };
  }
  try {
    const file = await files(name);
    if (!file) return { kind: "none" };
    const { id, contentType, bytes } = file;
    const base64 = bytes.subarray(offset, offset + FILE_PART_BYTES).toString("base64");
    return { kind: "part", id, content_type: contentType, bytes: bytes.length, base64 };
  } catch {
    return { kind: "failed", reason: "The files of the project cannot be read now." };
  }
};
