import type { AgentReport } from "../../domain/agents/protocol.ts";
import type { NewReport } from "../executor/report.ts";
import { refusalOf, stepReports } from "./reports.ts";
import { testOf } from "./testTurns.ts";
import { type CurrentTest, nowOf, stepKeyOf, type WorkState } from "./workState.ts";

type Message<Type extends AgentReport["type"]> = Extract<AgentReport, { type: Type }>;
type Refusal = string | null;

/** Records a report. Resolves with null, or with the reason why the report is refused. */
export const takeReport = async (state: WorkState, message: AgentReport): Promise<Refusal> => {
  const { planned, steps } = state.claimed;
  const { attempt, browser } = message;
  const attempts = 1 + (planned.retries ?? 0);
  if (!planned.browsers.includes(browser)) return `${browser} is no browser of this execution.`;
  if (attempt > attempts) return `This execution has ${attempts} attempts at most.`;
  const refusal = "number" in message ? refusalOf(message, steps.length) : null;
  if (refusal !== null) return refusal;
  const isRecorded = state.reported.ended(attempt, browser) !== undefined;
  if (isRecorded) return null;
  const test = await testOf(state, message);
  if (!test) return `Attempt ${attempt} on ${browser} is not under way.`;
  const submit = (report: NewReport): void => test.report({ ...report, at: nowOf(state) });
  if (!test.hasBrowser) {
    const browserVersion = message.type === "browser" ? message.version : "unknown";
    submit({ type: "browserStarted", browser, browserVersion });
    test.hasBrowser = true;
  }
  return takeForTest(state, test, message, submit);
};

type Submit = (report: NewReport) => void;

const takeForTest = async (
  state: WorkState,
  test: CurrentTest,
  message: AgentReport,
  submit: Submit,
): Promise<Refusal> => {
  const { agentResources, pictures, evidence, answer } = state;
  switch (message.type) {
    case "browser":
      return null;
    case "step":
      return takeStep(state, message, submit);
    case "visual":
      answer({ ...to(message), type: "visual", answer: await pictures.answer(message) });
      return null;
    case "element":
      answer({ ...to(message), type: "element", answer: await agentResources.element(message) });
      return null;
    case "file":
      answer({ ...to(message), type: "file", answer: await agentResources.file(message) });
      return null;
    case "fingerprint":
      return agentResources.keep(message);
    case "healed": {
      const healed = await agentResources.healed(message);
      if (typeof healed === "string") return healed;
      submit(healed);
      return null;
    }
    case "evidence":
      return evidence.take(message, async (taken) => {
        submit(taken);
        await Promise.all(state.uploads);
      });
    case "screenshot":
      return takeScreenshot(state, message, submit);
    case "result":
      return takeResult(state, test, message, submit);
  }
};

const takeStep = async (
  { endedSteps, pictures }: WorkState,
  message: Message<"step">,
  submit: Submit,
): Promise<Refusal> => {
  const key = stepKeyOf(message.attempt, message.browser, message.number);
  if (endedSteps.has(key)) return null;
  for (const report of stepReports(message)) {
    const isEnd = report.type !== "stepStarted";
    submit(isEnd ? await pictures.ended(message, report) : report);
  }
  if (message.status !== "running") endedSteps.add(key);
  return null;
};

const takeScreenshot = async (
  { pictures }: WorkState,
  message: Message<"screenshot">,
  submit: Submit,
): Promise<Refusal> => {
  const { number, format, name = null, lost } = message;
  if (lost !== undefined) {
    submit({ type: "screenshotLost", number, name, reason: lost || "It was not sent." });
    return null;
  }
  const bytes = Buffer.from(message.base64, "base64");
  submit({ type: "screenshotTaken", number, format, name, bytes });
  const compared = await pictures.judge(message);
  if (compared) submit(compared);
  return null;
};

const takeResult = (
  state: WorkState,
  test: CurrentTest,
  message: Message<"result">,
  submit: Submit,
): Refusal => {
  const { attempt, browser, duration_ms: durationMs = 0 } = message;
  const { status, error, ...because } = verdictOf(state, message);
  submit({ type: "browserFinished", status, error, durationMs, ...because });
  state.reported.noteSaid(attempt, browser, message.status);
  state.reported.noteEnded(attempt, browser, { status, durationMs, error });
  test.end();
  return null;
};

/** The agent's verdict. A picture that differs turns `passed` into a failure. */
const verdictOf = ({ pictures }: WorkState, message: Message<"result">) => {
  const { status, error = null, only_pictures: onlyPictures } = message;
  const byPictures = status === "passed" ? pictures.verdictOf(message) : null;
  if (byPictures) return byPictures;
  return { status, error, ...(status === "failed" && onlyPictures ? { onlyPictures } : {}) };
};

/** Address of an answer. */
const to = ({ execution_id, ask }: { readonly execution_id: string; readonly ask: number }) => ({
  execution_id,
  ask,
});
