import { randomUUID } from "node:crypto";
import { z } from "zod";
import { parseEnglish } from "../../domain/english/index.ts";
import { plainStep } from "../../domain/formats/testDocument.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { CloudRun, QueueBody, Service } from "../service.ts";

/** The content of a tool's result, as in the protocol. */
export type ToolContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

/** A tool of the tool server. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Whether the tool changes nothing on the service. */
  readonly readsOnly: boolean;
  call(service: Service, input: unknown, signal: AbortSignal): Promise<readonly ToolContent[]>;
};

const defineTool = <Input extends z.ZodObject>(tool: {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly readsOnly: boolean;
  readonly call: (
    service: Service,
    input: z.output<Input>,
    signal: AbortSignal,
  ) => Promise<readonly ToolContent[]>;
}): Tool => ({
  ...tool,
  call: async (service, input, signal) => tool.call(service, tool.input.parse(input), signal),
});

const json = (value: unknown): readonly ToolContent[] => [
  { type: "text", text: JSON.stringify(value, null, 2) },
];

const id = z.string().describe("an id (UUID)");
const waitSeconds = z.int().min(0).max(300).describe("seconds to wait for the verdict");

const listTests = defineTool({
  name: "list_tests",
  description: "Lists the browser tests of the organisation, with their ids and step counts.",
  readsOnly: true,
  input: z.object({
    search: z.string().optional().describe("words to search in name, text and steps"),
    tag: z.string().optional().describe("only tests with this tag"),
    project_id: id.optional(),
    limit: z.int().min(1).max(100).default(50),
    cursor: z.string().optional().describe("next_cursor of the previous page"),
  }),
  call: async (service, { search, ...rest }, signal) => {
    const query = { ...rest, ...(search !== undefined && { q: search }) };
    const page = await service.ask(
      (client, ended) =>
        client.GET("/api/v1/cli/tests", { params: { query: defined(query) }, signal: ended }),
      { signal },
    );
    const items = page.items.map(({ id: testId, name, step_count, tags, version }) => ({
      id: testId,
      name,
      step_count,
      tags: tags.map((tag) => tag.name),
      version,
    }));
    return json({ items, next_cursor: page.next_cursor });
  },
});

const showTest = defineTool({
  name: "show_test",
  description: "Shows one test with its steps, in order.",
  readsOnly: true,
  input: z.object({ test_id: id }),
  call: async (service, { test_id }, signal) =>
    json(
      await service.ask(
        (client, ended) =>
          client.GET("/api/v1/cli/tests/{id}/specs", {
            params: { path: { id: test_id } },
            signal: ended,
          }),
        { signal },
      ),
    ),
});

const createTest = defineTool({
  name: "create_test",
  description:
    'Creates a test from plain English, one instruction a line: `Go to /login`, `Type "ada" into "Name"`, ' +
    '`Click the "Sign in" button`, `I should see "Welcome"`. If a line is not understood, ' +
    "the result has suggestions and no test is created.",
  readsOnly: false,
  input: z.object({
    name: z.string().describe("the name of the test"),
    text: z.string().describe("the instructions, one a line"),
    project_id: id.optional(),
  }),
  call: async (service, { name, text, project_id }, signal) => {
    const { steps, warnings } = parseEnglish(text);
    if (warnings.length > 0 || steps.length === 0) {
      const lines = warnings.map(
        ({ line, text: said, message, suggestions }) =>
          `line ${line}: ${said}\n  ${message}${suggestions.map((one) => `\n  did you mean: ${one}`).join("")}`,
      );
      throw new CommandError(
        [
          "Nothing was created.",
          ...(lines.length > 0 ? lines : ["The text has no instruction."]),
        ].join("\n"),
        exitCodes.usage,
      );
    }
    const key = randomUUID();
    const created = await service.ask(
      (client, ended) =>
        client.POST("/api/v1/cli/tests", {
          params: { header: { "Idempotency-Key": key } },
          body: { name, steps: steps.map(plainStep), ...(project_id && { project_id }) },
          signal: ended,
        }),
      { signal },
    );
    const { id: testId, version, step_count } = created;
    return json({ id: testId, name: created.name, version, step_count, steps: created.steps });
  },
});

const runTests = defineTool({
  name: "run_tests",
  description:
    "Runs tests in a real browser on the service and waits for the verdict. " +
    "Name test_ids, or test_set_ids, or project_id, or tag. Each test uses up one run of the monthly quota.",
  readsOnly: false,
  input: z.object({
    test_ids: z.array(id).optional(),
    test_set_ids: z.array(id).optional(),
    project_id: id.optional(),
    tag: z.string().optional(),
    base_url: z.string().optional().describe("base URL of paths such as /login"),
    variables: z.record(z.string(), z.string()).optional(),
    browsers: z.array(z.string()).optional().describe("default: chromium"),
    wait_seconds: waitSeconds.default(120),
  }),
  call: async (service, { wait_seconds, ...asked }, signal) => {
    const key = randomUUID();
    // The service validates the browsers: it may know more than this release.
    const body = defined(asked) as QueueBody;
    const queued = await service.ask(
      (client, ended) =>
        client.POST("/api/v1/cli/cloud-runs", {
          params: { header: { "Idempotency-Key": key } },
          body,
          signal: ended,
        }),
      { signal },
    );
    const deadline = performance.now() + wait_seconds * 1_000;
    const runs: CloudRun[] = [];
    for (const runId of queued.run_ids) {
      runs.push(await readUntil(service, runId, deadline, signal));
    }
    return json({ runs: runs.map(summaryOf) });
  },
});

const readRun = defineTool({
  name: "read_run",
  description: "Reads the status of a run and its tests; optionally waits for the end.",
  readsOnly: true,
  input: z.object({ run_id: id, wait_seconds: waitSeconds.default(0) }),
  call: async (service, { run_id, wait_seconds }, signal) => {
    const deadline = performance.now() + wait_seconds * 1_000;
    return json(summaryOf(await readUntil(service, run_id, deadline, signal)));
  },
});

const readExecution = defineTool({
  name: "read_execution",
  description:
    "Reads one execution of a test with the result of each step, the errors and the steps that have a screenshot.",
  readsOnly: true,
  input: z.object({ execution_id: id }),
  call: async (service, { execution_id }, signal) =>
    json(
      await service.ask(
        (client, ended) =>
          client.GET("/api/v1/executions/{id}", {
            params: { path: { id: execution_id } },
            signal: ended,
          }),
        { signal },
      ),
    ),
});

const readScreenshot = defineTool({
  name: "read_screenshot",
  description: "Shows the screenshot of a step of an execution.",
  readsOnly: true,
  input: z.object({
    execution_id: id,
    step_number: z.int().min(1).describe("counts from 1"),
    browser: z.string().default("chromium"),
  }),
  call: async (service, { execution_id, step_number, browser }, signal) => {
    const bytes = await service.ask<ArrayBuffer>(
      (client, ended) =>
        client.GET("/api/v1/tests/{execution_id}/screenshots/{browser}/{step_number}", {
          params: { path: { execution_id, browser: browser as "chromium", step_number } },
          parseAs: "arrayBuffer",
          signal: ended,
        }),
      { signal },
    );
    const picture = Buffer.from(bytes);
    const mimeType =
      picture.subarray(1, 4).toString("latin1") === "PNG" ? "image/png" : "image/jpeg";
    return [{ type: "image", data: picture.toString("base64"), mimeType }];
  },
});

/** Every tool of the tool server. */
export const tools: readonly Tool[] = [
  listTests,
  showTest,
  createTest,
  runTests,
  readRun,
  readExecution,
  readScreenshot,
];

const LONGEST_POLL_SECONDS = 25;

/** Polls a run until it has ended or `deadline` (`performance.now()`) has passed. */
const readUntil = async (
  service: Service,
  runId: string,
  deadline: number,
  signal: AbortSignal,
): Promise<CloudRun> => {
  let since: number | undefined;
  for (;;) {
    const left = Math.max(0, Math.floor((deadline - performance.now()) / 1_000));
    const wait = since === undefined ? 0 : Math.min(left, LONGEST_POLL_SECONDS);
    const query = { wait, ...(since !== undefined && { since }) };
    const run: CloudRun = await service.ask(
      (client, ended) =>
        client.GET("/api/v1/cli/cloud-runs/{id}", {
          params: { path: { id: runId }, query },
          signal: ended,
        }),
      { signal },
    );
    if (run.finished_at !== null || left === 0) return run;
    since = run.sequence;
  }
};

/** A model must not take a pass with gaps or healed steps for a plain one. */
const summaryOf = (run: CloudRun) => ({
  run_id: run.id,
  status: run.status,
  verdict: run.verdict,
  is_over: run.finished_at !== null,
  totals: run.totals,
  duration_ms: run.duration_ms,
  tests: run.tests.map(({ test_id, name, execution_id, status, verdict, gaps, healed, ...of }) => ({
    ...{ test_id, name, execution_id, status, verdict, gaps, healed },
    ...{ error: of.error, steps_done: of.steps_done, steps_total: of.steps_total },
  })),
});

/** Removes undefined fields, which the client would send as the word "undefined". */
const defined = <Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: NonNullable<Fields[Key]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]: NonNullable<Fields[Key]>;
  };
