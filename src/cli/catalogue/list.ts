import { describeStep } from "../../domain/english/index.ts";
import { exitCodes } from "../exitCodes.ts";
import type { Service, TestSpecs, TestSummary } from "../service.ts";
import type { Terminal } from "../terminal.ts";

/** The filters of a list of tests. */
export type TestFilter = {
  readonly project?: string;
  readonly tag?: string;
  readonly search?: string;
};

const PAGE = 100;

/** Iterates over the tests of the organisation that match a filter, page by page. */
export async function* allTests(
  service: Service,
  filter: TestFilter,
  signal?: AbortSignal,
): AsyncGenerator<TestSummary> {
  let cursor: string | null = null;
  do {
    const query = {
      limit: PAGE,
      ...(cursor !== null && { cursor }),
      ...(filter.project && { project_id: filter.project }),
      ...(filter.tag && { tag: filter.tag }),
      ...(filter.search && { q: filter.search }),
    };
    const page: { items: TestSummary[]; next_cursor: string | null } = await service.ask(
      (client, ended) => client.GET("/api/v1/cli/tests", { params: { query }, signal: ended }),
      { signal },
    );
    yield* page.items;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** One test with its steps. Throws ServiceError. */
export const readSpecs = (service: Service, id: string, signal?: AbortSignal): Promise<TestSpecs> =>
  service.ask(
    (client, ended) =>
      client.GET("/api/v1/cli/tests/{id}/specs", { params: { path: { id } }, signal: ended }),
    { signal },
  );

/** `runledger tests list`. Returns the exit code. */
export const listTests = async (
  service: Service,
  filter: TestFilter,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> => {
  let count = 0;
  for await (const { id, name, step_count, project_id, version, tags } of allTests(
    service,
    filter,
    signal,
  )) {
    count += 1;
    const labels = tags.map((tag) => tag.name);
    terminal.record({ type: "test", id, name, step_count, project_id, version, tags: labels });
    const steps = `${step_count} ${step_count === 1 ? "step" : "steps"}`;
    const marks = labels.length > 0 ? `  ${terminal.paint.dim(labels.join(", "))}` : "";
    terminal.say(`${terminal.paint.dim(id)}  ${name}  ${steps}${marks}`);
  }
  if (count === 0) terminal.say("There are no tests.");
  return exitCodes.passed;
};

/** `runledger tests show ID`. Returns the exit code. */
export const showTest = async (
  service: Service,
  id: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> => {
  const test = await readSpecs(service, id, signal);
  terminal.record({ type: "test", ...test });
  const { paint } = terminal;
  terminal.say(`${paint.bold(test.name)}  version ${test.version}  ${paint.dim(test.id)}`);
  const width = String(test.steps.length).length;
  for (const step of test.steps) {
    const marks = [step.optional && "optional", step.disabled && "disabled"].filter(Boolean);
    const after = marks.length > 0 ? paint.dim(`  (${marks.join(", ")})`) : "";
    const text = step.description || describeStep(step);
    terminal.say(`  ${String(step.position).padStart(width)}  ${text}${after}`);
  }
  return exitCodes.passed;
};
