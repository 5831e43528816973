import { randomUUID } from "node:crypto";
import { summarize } from "../../domain/catalogue/diff.ts";
import { noData, type TestData } from "../../domain/catalogue/testData.ts";
import { plainStep } from "../../domain/formats/testDocument.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { type Service, ServiceError } from "../service.ts";
import type { Terminal } from "../terminal.ts";
import { dataDifference, sayDataDifference, writeData } from "./data.ts";
import { differenceOf, sayDifference } from "./difference.ts";
import { isSameContent, type Match, matchTests, type OnService } from "./match.ts";
import { findTestFiles, readTestFiles, type TestFile, writeSyncMark } from "./testFile.ts";

type PushOptions = {
  /** Shows the difference without writing it. */
  readonly dryRun: boolean;
  /** Overwrites changes made on the service. */
  readonly force: boolean;
  /** Asks for confirmation; null: do not ask. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
  /** The project of files without `project_id`. */
  readonly project?: string;
  readonly signal: AbortSignal;
};

/** The planned action for a file. */
type Plan =
  | { readonly kind: "create"; readonly file: TestFile }
  | { readonly kind: "replace"; readonly file: TestFile; readonly on: OnService }
  /** The test gets the path of the file; its content does not change. */
  | { readonly kind: "linked"; readonly file: TestFile; readonly on: OnService }
  | { readonly kind: "same"; readonly file: TestFile; readonly on: OnService }
  | { readonly kind: "refused"; readonly file: TestFile; readonly reason: string };

/**
 * `runledger tests push`: uploads tests from files. Reads every file and shows every difference before the first
 * write. Refuses to overwrite changes made on the service since the last pull. Returns the exit code: 1 if a file was
 * refused or the user declined.
 */
export const pushTests = async (
  service: Service,
  paths: readonly string[],
  options: PushOptions,
  terminal: Terminal,
): Promise<number> => {
  const found = await findTestFiles(paths);
  if (found.length === 0) {
    throw new CommandError(`No YAML files found in ${paths.join(", ")}.`, exitCodes.usage);
  }
  const files = (await readFiles(found)).map((file) => ({
    ...file,
    projectId: file.projectId ?? options.project ?? null,
  }));
  const matches = await matchTests(service, files, options.signal);
  const plans: Plan[] = [];
  for (const file of files) {
    const plan = planFor(file, matches.get(file) ?? { kind: "new" }, options);
    show(plan, terminal);
    plans.push(plan);
  }
  const changes = plans.filter(
    ({ kind }) => kind === "create" || kind === "replace" || kind === "linked",
  );
  const refused = plans.filter(({ kind }) => kind === "refused").length;
  if (options.dryRun || changes.length === 0) {
    terminal.say(options.dryRun ? "Dry run: nothing was pushed." : "Nothing to push.");
    if (!options.dryRun) await noteVersions(plans);
    return refused > 0 ? exitCodes.failed : exitCodes.passed;
  }
  const question = `Push ${changes.length} ${changes.length === 1 ? "test" : "tests"}?`;
  if (options.confirm && !(await options.confirm(question))) {
    terminal.say("Nothing was pushed.");
    return exitCodes.failed;
  }
  await noteVersions(plans);
  let conflicts = 0;
  for (const plan of changes) {
    if (!(await perform(service, plan, options, terminal))) conflicts += 1;
  }
  return refused + conflicts > 0 ? exitCodes.failed : exitCodes.passed;
};

/** Reads every file. Throws CommandError (usage) with the problems of all files. */
const readFiles = async (paths: readonly string[]): Promise<readonly TestFile[]> => {
  const { files, errors } = await readTestFiles(paths);
  if (errors.length === 0) return files;
  throw new CommandError(errors.map(({ message }) => message).join("\n"), exitCodes.usage);
};

const planFor = (file: TestFile, match: Match, { force }: PushOptions): Plan => {
  if (match.kind === "new") return { kind: "create", file };
  if (match.kind === "deleted") {
    const reason =
      "The test was deleted on the service. Restore it there, or remove id, version and digest from the file to create a new test.";
    return { kind: "refused", file, reason };
  }
  const { on } = match;
  const isText = file.text === null || file.text === on.text;
  if (isSameContent(on, file) && isText) {
    return on.source === file.source && on.pushed
      ? { kind: "same", file, on }
      : { kind: "linked", file, on };
  }
  // The content on the service is that of the last push, or that of the last pull into this file.
  if (force || on.pushed || file.version === on.version) {
    return force || match.kind !== "path" || isRelated(on, file)
      ? { kind: "replace", file, on }
      : { kind: "refused", file, reason: foreignReason(on, file) };
  }
  const since = `The test was changed on the service: it has version ${on.version}, the file is based on ${file.version ?? "no version"}.`;
  const reason = file.isChanged
    ? `${since} Both were changed: pull with --force and repeat your change, or overwrite the service with push --force.`
    : `${since} Pull first.`;
  return { kind: "refused", file, reason };
};

/** Whether a file and a test of the same path have anything in common. Two repositories may use the same path. */
const isRelated = (on: OnService, file: TestFile): boolean =>
  on.name === file.name ||
  on.steps.some(({ action, target, value }) =>
    file.steps.some(
      (step) => step.action === action && step.target === target && step.value === value,
    ),
  );

const foreignReason = (on: OnService, { source }: TestFile): string =>
  `${source} is the file of "${on.name}" on the service, which has no step in common with it. If the tests are of two repositories, give each its own project (project_id or --project); otherwise push with --force.`;

const show = (plan: Plan, terminal: Terminal): void => {
  const { paint } = terminal;
  const { path, name, id, steps, data } = plan.file;
  const line = { type: "plan", path, name, id, action: plan.kind };
  switch (plan.kind) {
    case "same":
      terminal.record(line);
      terminal.say(`  ${paint.dim("=")} ${path}`);
      break;
    case "create":
      terminal.record({ ...line, summary: `${steps.length} steps` });
      terminal.say(`  ${paint.green("+")} ${path}  a new test with ${steps.length} steps`);
      sayRows(terminal, noData, data);
      break;
    case "replace": {
      const differences = differenceOf(plan.on.steps, steps);
      const rows = dataDifference(plan.on.data, data);
      const ofRows = rows && { rows_removed: rows.removed.length, rows_added: rows.added.length };
      terminal.record({ ...line, summary: summarize(differences), differences, ...ofRows });
      terminal.say(`  ${paint.yellow("~")} ${path}`);
      if (differences.length > 0) sayDifference(terminal, differences);
      sayRows(terminal, plan.on.data, data);
      break;
    }
    case "linked": {
      const before = plan.on.source;
      const what =
        before === null || before === plan.file.source
          ? `the file of "${plan.on.name}"`
          : `renamed from ${before}`;
      terminal.record({ ...line, id: plan.on.id, renamed_from: before });
      terminal.say(`  ${paint.yellow("→")} ${path}  ${what}`);
      break;
    }
    case "refused":
      terminal.record({ ...line, reason: plan.reason });
      terminal.say(`  ${paint.red("✗")} ${path}\n    ${plan.reason}`);
  }
  if ("on" in plan && plan.on.name !== name) {
    terminal.say(`    The name on the service is "${plan.on.name}". A push does not change names.`);
  }
};

const sayRows = (terminal: Terminal, before: TestData, after: TestData | null): void => {
  const difference = dataDifference(before, after);
  if (difference) sayDataDifference(terminal, difference);
};

/** Records the service's version in files that do not differ from it. */
const noteVersions = async (plans: readonly Plan[]): Promise<void> => {
  for (const plan of plans) {
    if (plan.kind !== "same") continue;
    const { file, on } = plan;
    if (file.version !== on.version || file.isChanged) await writeSyncMark(file, on);
  }
};

/** Writes the steps of a test if they differ. Throws ServiceError. */
const pushSteps = (
  service: Service,
  plan: Plan,
  { signal, force }: Pick<PushOptions, "signal" | "force">,
): Promise<{ readonly id: string; readonly version: number }> => {
  const { file } = plan;
  const content = file.text === null ? { steps: file.steps.map(plainStep) } : { text: file.text };
  const body = { ...content, source: file.source };
  const key = randomUUID();
  if (!("on" in plan)) {
    return service.ask(
      (client, ended) =>
        client.POST("/api/v1/cli/tests", {
          params: { header: { "Idempotency-Key": key } },
          body: {
            ...body,
            name: file.name,
            ...(file.projectId !== null && { project_id: file.projectId }),
          },
          signal: ended,
        }),
      { signal },
    );
  }
  const { on } = plan;
  return service.ask(
    (client, ended) =>
      client.PUT("/api/v1/cli/tests/{id}/steps", {
        params: {
          path: { id: on.id },
          header: { "Idempotency-Key": key, ...(!force && { "If-Match": `"${on.version}"` }) },
        },
        body,
        signal: ended,
      }),
    { signal },
  );
};

/** Writes one test. Returns false if the test was changed on the service in the meantime. */
const perform = async (
  service: Service,
  plan: Plan,
  { signal, force }: PushOptions,
  terminal: Terminal,
): Promise<boolean> => {
  const { file } = plan;
  try {
    const written = await pushSteps(service, plan, { signal, force });
    let { version } = written;
    const rows = dataDifference("on" in plan ? plan.on.data : noData, file.data);
    if (rows) {
      // If writing the rows fails, the next push writes only the rows.
      await writeSyncMark(file, written);
      const kept = await writeData(service, written.id, force ? null : version, rows.after, signal);
      version = kept.version;
    }
    await writeSyncMark(file, { id: written.id, version });
    terminal.record({ type: "pushed", path: file.path, id: written.id, version });
    terminal.say(`Pushed ${file.path}: version ${version}`);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 412 || error.status === 409)) {
      const reason =
        error.status === 412
          ? "The test was just changed on the service. Push again to see the difference."
          : `${error.message} Push again: another push may just have created it.`;
      terminal.record({ type: "refused", path: file.path, id: file.id, reason });
      terminal.say(`${terminal.paint.red("✗")} ${file.path}\n    ${reason}`);
      return false;
    }
    if (error instanceof CommandError) {
      throw new CommandError(`${file.path}: ${error.message}`, error.exitCode);
    }
    throw error;
  }
};
