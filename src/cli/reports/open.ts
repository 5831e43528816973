import { spawn } from "node:child_process";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { CloudRun, Service } from "../service.ts";
import type { Terminal } from "../terminal.ts";

/** The report that a link of the web app shows. */
type Shown = { readonly runId: string } & (
  | { readonly testId: string }
  | { readonly testSetId: string }
);

/** The permanent URL of a report in the web app. */
export const reportLink = (web: string, shown: Shown): string => {
  const path =
    "testId" in shown
      ? `tests/${encodeURIComponent(shown.testId)}`
      : `test-sets/${encodeURIComponent(shown.testSetId)}`;
  return `${web.replace(/\/+$/, "")}/reports/${path}?run=${encodeURIComponent(shown.runId)}`;
};

export type OpenOptions = {
  readonly runId: string;
  /** A test of the run; default: the first that did not pass. */
  readonly testId?: string;
  readonly testSetId?: string;
  readonly web: string;
  /** Whether to open the link in the browser of this machine. */
  readonly show: boolean;
  readonly signal: AbortSignal;
};

/** `runledger open RUN`: prints the link of a run's report, and opens it. Returns the exit code. */
export const openReport = async (
  service: Service,
  options: OpenOptions,
  terminal: Terminal,
): Promise<number> => {
  const { runId, testSetId } = options;
  const run: CloudRun = await service.ask(
    (client, signal) =>
      client.GET("/api/v1/cli/cloud-runs/{id}", { params: { path: { id: runId } }, signal }),
    { signal: options.signal },
  );
  const test =
    options.testId === undefined
      ? (run.tests.find(({ status }) => status !== "passed") ?? run.tests[0])
      : run.tests.find(({ test_id }) => test_id === options.testId);
  if (!test) {
    const names = run.tests.map(({ test_id, name }) => `  ${test_id}  ${name}`);
    throw new CommandError(
      ["The run does not contain this test. Its tests:", ...names].join("\n"),
      exitCodes.usage,
    );
  }
  const url = reportLink(
    options.web,
    testSetId === undefined ? { runId, testId: test.test_id } : { runId, testSetId },
  );
  terminal.record({ type: "link", url });
  terminal.say(url);
  if (options.show) showInBrowser(url);
  return exitCodes.passed;
};

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "open",
  linux: "xdg-open",
};

/** Asks the desktop to open a URL. Does nothing without a desktop. */
const showInBrowser = (url: string): void => {
  const opener = OPENERS[process.platform];
  if (!opener) return;
  const child = spawn(opener, [url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
};
