import { randomBytes, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Answer } from "../../../client/client.ts";
import { CommandError, exitCodes } from "../../exitCodes.ts";
import { connect, type Service } from "../../service.ts";
import { cut, duration, sayWarning, type Terminal } from "../../terminal.ts";
import { type SignedUp, signUp } from "./api.ts";
import { saveArtifacts } from "./artifacts.ts";
import { showEvents } from "./events.ts";
import { ANY_SITE_SENTENCES, DEMO_SENTENCES } from "./sentences.ts";
import { type DemoService, startDemoService } from "./service.ts";
import { serveDemoSite } from "./site.ts";
import { watchRun } from "./watch.ts";

export type DemoOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The site to test; default: the bundled one. */
  readonly url?: string;
  /** The file with the test; default: the bundled one. */
  readonly testFile?: string;
  readonly keep: boolean;
  readonly signal: AbortSignal;
};

type Step = Answer<"parseTest", 200>["steps"][number];

/**
 * `runledger demo`: starts the service and, only over its public API, signs up, creates a test in plain English,
 * queues it with an API key, shows its steps live and downloads the evidence. Returns the exit code: 0 only if the
 * run passed.
 */
export const runDemo = async (options: DemoOptions, terminal: Terminal): Promise<number> => {
  const sentences = await sentencesOf(options);
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const started = performance.now();
    terminal.progress("  … starting the service");
    const service = await startDemoService(options.environment, terminal.say);
    stops.push(service.stop);
    sayStarted(service, performance.now() - started, terminal);

    const site = options.url ? null : await serveDemoSite();
    if (site) stops.push(site.close);
    const siteUrl = site?.url ?? options.url ?? "";
    sayTitle(terminal, 2, "A site to test");
    terminal.say(`  ${site ? `${site.name}, from npm, at ` : ""}${siteUrl}`);
    terminal.record({ type: "site", url: siteUrl, name: site?.name ?? null });

    const person = newPerson();
    const account = await signUp(service.url, person);
    const { apiKey, runId, executionId, steps } = await queueTest(
      { sentences, siteUrl, session: account.session, server: service.url },
      terminal,
    );
    const watched = await watch(service, account, runId, steps, options.signal, terminal);
    if (!watched) return exitCodes.interrupted;

    const code = await conclude({ service, apiKey, runId, executionId }, terminal);
    if (options.keep) await keepRunning({ service, person, runId }, options.signal, terminal);
    return code;
  } catch (error) {
    if (options.signal.aborted) return exitCodes.interrupted;
    throw error;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
};

const sentencesOf = async ({ testFile, url }: DemoOptions): Promise<string> => {
  if (!testFile) return url ? ANY_SITE_SENTENCES : DEMO_SENTENCES;
  return readFile(testFile, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      `${testFile} cannot be read: ${error.code ?? error.message}`,
      exitCodes.usage,
    );
  });
};

const sayTitle = ({ say, paint }: Terminal, number: number, title: string): void => {
  say();
  say(paint.bold(`${number} · ${title}`));
};

const sayStarted = (service: DemoService, tookMs: number, terminal: Terminal): void => {
  const { browser, url, dataDir } = service;
  sayTitle(terminal, 1, "The service, in this process");
  terminal.say(`  ${url}, started in ${duration(tookMs)}`);
  terminal.say(`  data in ${dataDir}`);
  terminal.say(`  browser ${browser.executablePath} ${browser.version ?? ""} (${browser.source})`);
  terminal.record({
    type: "service_started",
    url,
    data_dir: dataDir,
    duration_ms: Math.round(tookMs),
    browser: {
      path: browser.executablePath,
      version: browser.version ?? null,
      source: browser.source,
    },
  });
};

type Person = { readonly email: string; readonly password: string; readonly name: string };

const newPerson = (): Person => ({
  email: `demo-${randomBytes(6).toString("hex")}@example.com`,
  password: randomBytes(12).toString("base64url"),
  name: "Demo",
});

type TestToQueue = {
  readonly sentences: string;
  readonly siteUrl: string;
  readonly session: Service;
  readonly server: string;
};

/** Creates a key, shows the parsed sentences, creates the test and queues it with the key. */
const queueTest = async (
  { sentences, siteUrl, session, server }: TestToQueue,
  terminal: Terminal,
): Promise<{ apiKey: string; runId: string; executionId: string; steps: readonly Step[] }> => {
  const { say, paint } = terminal;
  sayTitle(terminal, 3, "A test in plain English");
  const { key } = await session.ask((client, signal) =>
    client.POST("/api/v1/api-keys", { body: { name: "demo" }, signal }),
  );
  const { steps, warnings } = await session.ask((client, signal) =>
    client.POST("/api/v1/tests/parse", { body: { text: sentences }, signal }),
  );
  terminal.record({ type: "parsed", steps, warnings });
  for (const { action, target, value, description } of steps) {
    const parts = [action, target, value && JSON.stringify(value)].filter(Boolean).join("  ");
    say(`  ${cut(description, 58).padEnd(58)}  ${paint.dim(parts)}`);
  }
  if (warnings.length > 0) {
    say(paint.yellow("  Not understood, so nothing was run:"));
    for (const warning of warnings) sayWarning(terminal, "demo", warning);
    const noun = warnings.length === 1 ? "1 line was" : `${warnings.length} lines were`;
    throw new CommandError(`${noun} not understood.`, exitCodes.usage);
  }

  // The keys make retries idempotent.
  const [createKey, queueKey] = [randomUUID(), randomUUID()];
  const test = await session.ask((client, signal) =>
    client.POST("/api/v1/tests", {
      params: { header: { "Idempotency-Key": createKey } },
      body: { name: "Demo", text: sentences },
      signal,
    }),
  );
  const queued = await connect({ server, apiKey: key }).ask((client, signal) =>
    client.POST("/api/v1/cli/cloud-runs", {
      params: { header: { "Idempotency-Key": queueKey } },
      body: { test_ids: [test.id], base_url: siteUrl },
      signal,
    }),
  );
  const runId = queued.run_ids[0];
  const executionId = queued.executions[0]?.id;
  if (!runId || !executionId) {
    throw new CommandError("The service queued no run.", exitCodes.unavailable);
  }
  say(`  queued with an API key: POST /api/v1/cli/cloud-runs → run ${runId}`);
  terminal.record({ type: "queued", run_id: runId, execution_id: executionId, test_id: test.id });
  return { apiKey: key, runId, executionId, steps };
};

/** Shows the run live. Resolves to false if `signal` was aborted first. */
const watch = async (
  service: DemoService,
  account: SignedUp,
  runId: string,
  steps: readonly Step[],
  signal: AbortSignal,
  terminal: Terminal,
): Promise<boolean> => {
  sayTitle(terminal, 4, "Its steps, live over /api/v1/ws/execution");
  terminal.progress("  … waiting for the browser");
  const texts = steps.map(
    ({ description, action, target }) => description || `${action} ${target}`,
  );
  await watchRun({
    baseUrl: service.url,
    cookie: account.cookie,
    runId,
    signal,
    onEvent: showEvents(texts, terminal),
  });
  return !signal.aborted;
};

type Finished = {
  readonly service: DemoService;
  readonly apiKey: string;
  readonly runId: string;
  readonly executionId: string;
};

/** Shows the verdict, the evidence and the remaining quota. Returns the exit code. */
const conclude = async (
  { service, apiKey, runId, executionId }: Finished,
  terminal: Terminal,
): Promise<number> => {
  const { say, paint } = terminal;
  const api = connect({ server: service.url, apiKey });
  const run = await api.ask((client, signal) =>
    client.GET("/api/v1/cli/cloud-runs/{id}", { params: { path: { id: runId } }, signal }),
  );
  const { status, triggered_by, duration_ms } = run;
  sayTitle(terminal, 5, "The verdict");
  const verdict = status === "passed" ? paint.green(status) : paint.red(status);
  say(
    `  ${paint.bold(verdict)}${duration_ms === null ? "" : ` in ${duration(duration_ms)}`}, started by ${triggered_by}`,
  );
  const error = run.tests.find((test) => test.error !== null)?.error ?? null;
  if (error) say(`  ${error}`);

  const { folder, screenshots, script } = await saveArtifacts(api, service.dataDir, executionId);
  say(`  screenshots        ${screenshots.length} in ${folder}`);
  say(`  Playwright script  ${script}`);
  const usage = await api.ask((client, signal) => client.GET("/api/v1/usage", { signal }));
  say(
    `  quota              ${usage.remaining} of ${usage.limit} runs left until ${usage.resets_at.slice(0, 10)}`,
  );
  terminal.record({
    type: "finished",
    run_id: runId,
    status,
    triggered_by,
    duration_ms,
    error,
    screenshots,
    script,
    usage,
  });
  if (status === "passed") return exitCodes.passed;
  return status === "failed" ? exitCodes.failed : exitCodes.unavailable;
};

/** Keeps the service running until `signal` is aborted. */
const keepRunning = async (
  { service, person, runId }: { service: DemoService; person: Person; runId: string },
  signal: AbortSignal,
  terminal: Terminal,
): Promise<void> => {
  terminal.say();
  terminal.say(`The service keeps running at ${service.url} (Ctrl-C stops it).`);
  const { email, password } = person;
  const console_url = `${service.url}/sign-in?return_to=/runs/${runId}`;
  terminal.say(`  the run in the web console: ${console_url}`);
  terminal.say(`  sign in as ${email} with the password ${password}`);
  terminal.say(`  API page: ${service.url}/api/v1/docs`);
  terminal.record({ type: "kept", url: service.url, console_url, email, password });
  if (signal.aborted) return;
  await new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
};
