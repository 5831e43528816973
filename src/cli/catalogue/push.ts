import { randomUUID } from "node:crypto";
import { summarize } from "../../domain/catalogue/diff.ts";
import { noData, type TestData } from "../../domain/catalogue/testData.ts";
import { plainStep } from "../../domain/formats/testDocument.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { type Service, ServiceError, type TestSpecs } from "../service.ts";
import type { Terminal } from "../terminal.ts";
import { dataDifference, readData, sayDataDifference, writeData } from "./data.ts";
import { differenceOf, sayDifference } from "./difference.ts";
import { readSpecs } from "./list.ts";
import { findTestFiles, readTestFile, type TestFile, writeSyncMark } from "./testFile.ts";

type PushOptions = {
  /** Shows the difference without writing it. */
  readonly dryRun: boolean;
  /** Overwrites changes made on the service. */
  readonly force: boolean;
  /** Asks for confirmation; null: do not ask. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
  readonly signal: AbortSignal;
};

/** A test of the service. Its rows are read only if the file has `data`. */
type OnService = TestSpecs & { readonly data: TestData };

/** The planned action for a file. */
type Plan =
  | { readonly kind: "create"; readonly file: TestFile }
  | { readonly kind: "replace"; readonly file: TestFile; readonly on: OnService }
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
  const files: TestFile[] = [];
  for (const path of found) files.push(await readTestFile(path));
  refuseDuplicateIds(files);
  const plans: Plan[] = [];
  for (const file of files) {
    const plan = await planFor(service, file, options);
    show(plan, terminal);
    plans.push(plan);
  }
  const changes = plans.filter(({ kind }) => kind === "create" || kind === "replace");
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

/** Throws CommandError (usage) if two files have the same id. */
const refuseDuplicateIds = (files: readonly TestFile[]): void => {
  const seen = new Map<string, string>();
  for (const { id, path } of files) {
    if (id === null) continue;
    const other = seen.get(id);
    if (other) {
      throw new CommandError(
        `${path} and ${other} have the same id. Remove it from one of them.`,
        exitCodes.usage,
      );
    }
    seen.set(id, path);
  }
};

const planFor = async (service: Service, file: TestFile, options: PushOptions): Promise<Plan> => {
  if (file.id === null) return { kind: "create", file };
  let on: OnService;
  try {
    const specs = await readSpecs(service, file.id, options.signal);
    const data = file.data === null ? noData : await readData(service, file.id, options.signal);
    on = { ...specs, data };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 404) throw error;
    const reason =
      "The test was deleted on the service. Restore it there, or remove id, version and digest from the file to create a new test.";
    return { kind: "refused", file, reason };
  }
  const isSame =
    differenceOf(on.steps, file.steps).length === 0 && dataDifference(on.data, file.data) === null;
  if (isSame) return { kind: "same", file, on };
  const isBehind = file.version !== on.version;
  if (options.force || !isBehind) return { kind: "replace", file, on };
  const since = `The service has version ${on.version}, the file is based on ${file.version ?? "no version"}.`;
  const reason = file.isChanged
    ? `${since} Both were changed: pull with --force and repeat your change, or overwrite the service with push --force.`
    : `${since} Pull first.`;
  return { kind: "refused", file, reason };
};

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
  const steps = file.steps.map(plainStep);
  const key = randomUUID();
  if (plan.kind !== "replace") {
    return service.ask(
      (client, ended) =>
        client.POST("/api/v1/cli/tests", {
          params: { header: { "Idempotency-Key": key } },
          body: {
            name: file.name,
            steps,
            ...(file.projectId !== null && { project_id: file.projectId }),
          },
          signal: ended,
        }),
      { signal },
    );
  }
  const { on } = plan;
  if (differenceOf(on.steps, file.steps).length === 0) return Promise.resolve(on);
  return service.ask(
    (client, ended) =>
      client.PUT("/api/v1/cli/tests/{id}/steps", {
        params: {
          path: { id: on.id },
          header: { "Idempotency-Key": key, ...(!force && { "If-Match": `"${on.version}"` }) },
        },
        body: { steps },
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
    const rows = dataDifference(plan.kind === "replace" ? plan.on.data : noData, file.data);
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
    if (error instanceof ServiceError && error.status === 412) {
      const reason = "The test was just changed on the service. Push again to see the difference.";
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
