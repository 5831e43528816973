import type { AgentReport, AnswerToAgent } from "../../domain/agents/protocol.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { HealingMemory } from "../executor/healing/memory.ts";
import type { NewReport, ReportSink } from "../executor/report.ts";
import type { Visuals } from "../executor/visual.ts";
import type { Claimed, Resumed } from "../runs/claim.ts";
import { type Delivery, runDelivery } from "../runs/delivery.ts";
import type { Resources } from "../runs/resources.ts";
import type { RunTest } from "../runs/runTest.ts";
import { takeAgentEvidence } from "./evidence.ts";
import { judgeAgentPictures } from "./pictures.ts";
import { toldTests } from "./reportedTests.ts";
import { refusalOf, stepReports } from "./reports.ts";
import { resourcesOfAgent } from "./resources.ts";

/** What an agent says of a browser that is not begun yet waits so long for it: the one before is being settled. */
const TURN_MS = 10_000;

/** A delivery that an agent works on: its reports come in, and are recorded as those of an executor are. */
export type AgentWork = {
  readonly executionId: string;
  readonly delivery: number;
  /** Ends as an executor's delivery does. */
  readonly run: Delivery;
  /** The steps of whose elements it is to be said what they are like. Never rejects. */
  dueSteps(): Promise<readonly string[]>;
  /** Takes a report, in turn. Resolves once it is recorded, with null, or with why it is refused. */
  report(message: AgentReport): Promise<string | null>;
  /** The agent has nothing more to say: it must not be told to stop. */
  isToldInFull(): boolean;
  /** The agent is not coming back: nothing is recorded any more. */
  lose(reason: string): void;
};

type Current = {
  readonly attempt: number;
  readonly browser: string;
  readonly report: ReportSink;
  readonly end: () => void;
  hasBrowser: boolean;
};

/**
 * Runs a delivery as an executor does, but for the test itself, which an agent runs elsewhere. What is
 * recorded already of a delivery that goes on (`before`) is not recorded again.
 */
export const startAgentWork = (deps: {
  readonly executionId: string;
  readonly delivery: number;
  readonly worker: string;
  readonly claimed: Claimed;
  readonly before: Pick<Resumed, "ended" | "endedSteps" | "compared" | "kept"> | null;
  /** What the test's pictures are compared with in a browser. */
  readonly visualsOf: (browser: BrowserName) => Visuals;
  /** What is known of the elements of its steps; absent: nothing is healed. */
  readonly healing: HealingMemory | undefined;
  readonly resources: Resources;
  /** Tells the agent what it asked. */
  readonly answer: (answer: AnswerToAgent) => void;
  readonly blobs: BlobStore;
  /** Does one piece of work at a time, of all that agents at this process have done. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Follows each test that is under way, by what is reported of it. */
  readonly observeTests?: ((runTest: RunTest) => RunTest) | undefined;
}): AgentWork => {
  const { executionId, delivery, claimed, clock } = deps;
  const { planned, pipeline } = claimed;
  const attempts = 1 + (planned.retries ?? 0);
  const told = toldTests(planned, deps.before?.ended ?? []);
  const endedSteps = new Set(
    (deps.before?.endedSteps ?? []).map((one) => stepKeyOf(one.attempt, one.browser, one.number)),
  );
  const pictures = judgeAgentPictures({
    steps: claimed.steps,
    visualsOf: deps.visualsOf,
    before: deps.before?.compared ?? [],
  });
  const resources = resourcesOfAgent({
    steps: claimed.steps,
    healing: deps.healing,
    files: deps.resources.files,
  });
  const evidence = takeAgentEvidence({
    ...{ executionId, delivery, runId: planned.runId },
    asked: planned.evidence ?? [],
    before: deps.before?.kept ?? null,
    ...{ blobs: deps.blobs, inTurn: deps.inTurn },
  });
  const underWay = new Set<Promise<unknown>>();
  let current: Current | null = null;
  let began = new AbortController();
  let isOver = false;
  let turn: Promise<unknown> = Promise.resolve();

  const runTest: RunTest = (test, report) => {
    const { attempt, browser } = test;
    const known = told.ended(attempt, browser);
    if (known) {
      const { status, durationMs, error } = known;
      report({ type: "browserFinished", at: now(), status, durationMs, error });
      return Promise.resolve();
    }
    if (told.isLastFor(attempt - 1)) {
      const error = "The agent knows nothing of what was wrong, and did not try again.";
      report({ type: "browserFinished", at: now(), status: "failed", durationMs: 0, error });
      told.noteSaid(attempt, browser, "passed");
      return Promise.resolve();
    }
    return takeTurn(test, report);
  };

  /** Lets in what the agent says of a test, until it has ended. */
  const awaitReports: RunTest = ({ attempt, browser, signal }, report) =>
    new Promise<void>((resolve) => {
      const end = () => {
        if (current === mine) current = null;
        resolve();
      };
      const mine: Current = { attempt, browser, report, end, hasBrowser: false };
      current = mine;
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
      began.abort();
      began = new AbortController();
    });
  const takeTurn = deps.observeTests?.(awaitReports) ?? awaitReports;

  const now = (): string => clock().toISOString();

  /** Pictures on their way are waited for before they are acknowledged. */
  const blobs: BlobStore = {
    ...deps.blobs,
    put: (key, blob) => {
      const putting = deps.blobs.put(key, blob);
      const settled = putting.catch(() => undefined).finally(() => underWay.delete(settled));
      underWay.add(settled);
      return putting;
    },
  };

  const run = runDelivery({
    executionId,
    delivery,
    worker: deps.worker,
    planned,
    steps: claimed.steps,
    pipeline,
    blobs,
    runTest,
    // Pictures of agents are compared when they have arrived.
    visuals: deps.visualsOf,
    logger: deps.logger,
  });
  void run.done.finally(() => {
    isOver = true;
    began.abort();
    // What is lost may go on elsewhere, with the pieces that are there.
    if (!pipeline.lost.aborted) void turn.then(evidence.end);
  });

  /** The test that a report is of, once it is its turn; null when it never comes. */
  const testOf = async ({ attempt, browser }: AgentReport): Promise<Current | null> => {
    const deadline = performance.now() + TURN_MS;
    for (;;) {
      if (current?.attempt === attempt && current.browser === browser) return current;
      const left = deadline - performance.now();
      // What is under way is another: this one is not next.
      if (isOver || current !== null || left <= 0) return null;
      await sleep(left, began.signal);
    }
  };

  /** Hands a report on; null, or why it is refused. */
  const take = async (message: AgentReport): Promise<string | null> => {
    const { attempt, browser } = message;
    if (!planned.browsers.includes(browser)) return `${browser} is no browser of this execution.`;
    if (attempt > attempts) return `This execution has ${attempts} attempts at most.`;
    const refusal = "number" in message ? refusalOf(message, claimed.steps.length) : null;
    if (refusal !== null) return refusal;
    // It was recorded before the connection was lost.
    if (told.ended(attempt, browser)) return null;
    const test = await testOf(message);
    if (!test) return `Attempt ${attempt} on ${browser} is not under way.`;
    const say = (report: NewReport): void => test.report({ ...report, at: now() });
    if (!test.hasBrowser) {
      const browserVersion = message.type === "browser" ? message.version : "unknown";
      say({ type: "browserStarted", browser, browserVersion });
      test.hasBrowser = true;
    }
    switch (message.type) {
      case "browser":
        return null;
      case "step": {
        const key = stepKeyOf(attempt, browser, message.number);
        if (endedSteps.has(key)) return null;
        for (const report of stepReports(message)) {
          const isEnd = report.type !== "stepStarted";
          say(isEnd ? await pictures.ended(message, report) : report);
        }
        if (message.status !== "running") endedSteps.add(key);
        return null;
      }
      case "visual":
        deps.answer({ ...to(message), type: "visual", answer: await pictures.answer(message) });
        return null;
      case "element":
        deps.answer({ ...to(message), type: "element", answer: await resources.element(message) });
        return null;
      case "file":
        deps.answer({ ...to(message), type: "file", answer: await resources.file(message) });
        return null;
      case "fingerprint":
        return resources.keep(message);
      case "healed": {
        const healed = await resources.healed(message);
        if (typeof healed === "string") return healed;
        say(healed);
        return null;
      }
      case "evidence":
        return evidence.take(message, async (taken) => {
          say(taken);
          await Promise.all(underWay);
        });
      case "screenshot": {
        const { number, format, name = null, lost } = message;
        if (lost !== undefined) {
          say({ type: "screenshotLost", number, name, reason: lost || "It was not sent." });
          return null;
        }
        say({
          type: "screenshotTaken",
          ...{ number, format, name },
          bytes: Buffer.from(message.base64, "base64"),
        });
        const compared = await pictures.judge(message);
        if (compared) say(compared);
        return null;
      }
      case "result": {
        const { duration_ms: durationMs = 0 } = message;
        const { status, error, ...because } = verdictOf(message);
        say({ type: "browserFinished", status, error, durationMs, ...because });
        told.noteSaid(attempt, browser, message.status);
        told.noteEnded(attempt, browser, { status, durationMs, error });
        test.end();
        return null;
      }
    }
  };

  /** What the agent says, unless its pictures say that it cannot be so. */
  const verdictOf = (message: Extract<AgentReport, { type: "result" }>) => {
    const { status, error = null, only_pictures: onlyPictures } = message;
    const byPictures = status === "passed" ? pictures.verdictOf(message) : null;
    if (byPictures) return byPictures;
    return { status, error, ...(status === "failed" && onlyPictures ? { onlyPictures } : {}) };
  };

  const recorded = async (): Promise<string | null> => {
    await Promise.all(underWay);
    // The last result is recorded with the verdict that follows from it.
    if (told.isInFull()) await run.done;
    return (await pipeline.settled()) ? null : "You do not hold this execution any more.";
  };

  return {
    executionId,
    delivery,
    run,
    dueSteps: resources.dueSteps,
    report: async (message) => {
      const mine = turn.then(() => take(message));
      turn = mine.catch(() => undefined);
      return (await mine) ?? recorded();
    },
    isToldInFull: told.isInFull,
    lose: pipeline.lose,
  };
};

/** Whom an answer is for. */
const to = ({ execution_id, ask }: { readonly execution_id: string; readonly ask: number }) => ({
  execution_id,
  ask,
});

const stepKeyOf = (attempt: number, browser: string, number: number): string =>
  `${attempt}/${browser}/${number}`;
