import { verifyEventLog } from "../../main/operator/eventLog.ts";
import { type OperatorAccess, openProjectionOperations } from "../../main/operator/projections.ts";
import { unavailablePart } from "../../platform/availability.ts";
import { createLogger } from "../../platform/logger.ts";
import { partTitles } from "../../platform/partHealth.ts";
import { SettingError } from "../../platform/settingError.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import { readConfig } from "./server.ts";

/** The inputs of every `runledger projections` command. */
export type ProjectionsCommand = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  /** Stops waiting; the service still does the work. */
  readonly signal: AbortSignal;
};

type Work = (access: OperatorAccess) => Promise<number>;

const withAccess = async (command: ProjectionsCommand, work: Work): Promise<number> => {
  const config = readConfig({ LOG_LEVEL: "fatal", ...command.environment });
  let access: OperatorAccess;
  try {
    access = await openProjectionOperations(config, createLogger({ level: "fatal" }));
  } catch (error) {
    throw new CommandError(reasonOf(error), exitCodes.unavailable);
  }
  try {
    return await work(access);
  } catch (error) {
    const part = unavailablePart(error);
    if (part === null) throw error;
    throw new CommandError(`${partTitles[part]} cannot be reached.`, exitCodes.unavailable);
  } finally {
    await access.close();
  }
};

const reasonOf = (error: unknown): string =>
  `The read models cannot be reached: ${error instanceof Error ? error.message : String(error)}`;

const unknownName = (name: string, access: OperatorAccess): CommandError =>
  new CommandError(
    `Unknown projection ${name}. Known projections: ${access.operations.names.join(", ")}.`,
    exitCodes.usage,
  );

const ensureWorker = async (access: OperatorAccess): Promise<void> => {
  if (await access.ensureWorker()) return;
  throw new CommandError(
    "No process runs projections, and this command cannot reach the event log. Start the service, or set EVENTSTORE_URL.",
    exitCodes.unavailable,
  );
};

/** Lists the builds of all projections. Returns the exit code. */
export const showProjections = (command: ProjectionsCommand): Promise<number> =>
  withAccess(command, async ({ operations, log }) => {
    const { terminal } = command;
    const rows = [["PROJECTION", "STATE", "POSITION", "LAG", "PARKED", "MOVED"]];
    for (const build of await operations.listBuilds(log)) {
      const { position, ...rest } = build;
      terminal.record({ ...rest, position: position === null ? null : String(position) });
      rows.push([
        `${build.name}@${build.version}`,
        build.state,
        position === null ? "-" : String(position),
        build.lag === null ? "?" : String(build.lag),
        String(build.parked),
        build.advancedAt,
      ]);
    }
    const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
    for (const row of rows) {
      terminal.say(
        row
          .map((cell, at) => cell.padEnd(widths?.[at] ?? 0))
          .join("  ")
          .trimEnd(),
      );
    }
    return exitCodes.passed;
  });

/** Requests the rebuild of a projection and waits until queries use it. Returns the exit code. */
export const rebuildProjection = (command: ProjectionsCommand, name: string): Promise<number> =>
  withAccess(command, async (access) => {
    const { terminal, signal } = command;
    if (!access.operations.names.includes(name)) throw unknownName(name, access);
    await ensureWorker(access);
    const asked = await access.operations.requestRebuild(name);
    if (!asked) throw unknownName(name, access);
    terminal.say(
      asked.isNew ? `Rebuilding ${name} …` : `A rebuild of ${name} is already in progress …`,
    );
    const isShown = await access.operations.waitForBuild(name, asked.build, signal);
    if (signal.aborted) {
      terminal.say("Stopped waiting. The service continues the rebuild.");
      return exitCodes.interrupted;
    }
    terminal.record({ projection: name, build: asked.build, shown: isShown });
    terminal.say(
      isShown ? `${name} was rebuilt and is in use.` : `The build of ${name} was discarded.`,
    );
    return isShown ? exitCodes.passed : exitCodes.failed;
  });

/**
 * Compares one or all projections with the log, and with all of them the log with its signed tree. Returns the exit
 * code: 1 if one differs.
 */
export const verifyProjections = async (
  command: ProjectionsCommand,
  name: string | undefined,
): Promise<number> => {
  const code = await compareProjections(command, name);
  if (name !== undefined || code === exitCodes.interrupted) return code;
  return (await verifyLog(command)) ? code : exitCodes.failed;
};

/** Compares the event log with its signed tree. Returns false if it was altered. */
const verifyLog = async ({ environment, terminal }: ProjectionsCommand): Promise<boolean> => {
  const config = readConfig({ LOG_LEVEL: "fatal", ...environment });
  try {
    const { size, finding } = await verifyEventLog(config, createLogger({ level: "fatal" }));
    const outcome = finding === null ? "equal" : "altered";
    terminal.record({ event_log: size, outcome, finding });
    terminal.say(
      finding === null
        ? `event log: equal to its signed tree, ${size} events`
        : `event log: altered. ${finding}`,
    );
    return finding === null;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    terminal.record({ event_log: null, outcome: "not_verified", reason: error.message });
    terminal.say(`event log: not verified. ${error.message}`);
    return true;
  }
};

const compareProjections = (
  command: ProjectionsCommand,
  name: string | undefined,
): Promise<number> =>
  withAccess(command, async (access) => {
    const { terminal, signal } = command;
    const { operations } = access;
    if (name !== undefined && !operations.names.includes(name)) throw unknownName(name, access);
    await ensureWorker(access);
    let code: number = exitCodes.passed;
    for (const each of name === undefined ? operations.names : [name]) {
      const id = await operations.requestVerification(each);
      const found = id === null ? null : await operations.waitForVerification(id, signal);
      if (!found) return exitCodes.interrupted;
      terminal.record({ projection: each, ...found });
      if (found.outcome === "not_shown") {
        terminal.say(`${each}: this version is not in use yet`);
        code = exitCodes.failed;
        continue;
      }
      const rows = found.tables.map(({ table, rows: count }) => `${count} ${table}`).join(", ");
      const at = `after ${found.events} events, at position ${found.position ?? "-"}`;
      const refused = found.refused > 0 ? `; ${found.refused} events could not be folded` : "";
      terminal.say(`${each}: ${found.outcome} ${at}: ${rows}${refused}`);
      if (found.outcome === "equal") continue;
      code = exitCodes.failed;
      sayDifference(terminal, found);
    }
    return code;
  });

type Differing = Extract<
  NonNullable<Awaited<ReturnType<OperatorAccess["operations"]["waitForVerification"]>>>,
  { tables: unknown }
>;

const sayDifference = (terminal: Terminal, { tables, first }: Differing): void => {
  for (const { table, differing } of tables) {
    if (differing > 0) terminal.say(`  ${differing} rows of ${table} differ`);
  }
  if (!first) return;
  const key = Object.entries(first.key).map(([column, value]) => `${column} ${value}`);
  terminal.say(`  first difference: ${first.table}, ${key.join(", ")}: ${first.kind}`);
  const shown = (side: typeof first.live) =>
    side === null
      ? "no row"
      : `digest ${side.digest}${"value" in side ? ` (${JSON.stringify(side.value)})` : ""}`;
  if (first.column) terminal.say(`  column ${first.column}`);
  terminal.say(`  actual ${shown(first.live)}, expected ${shown(first.expected)}`);
  const { event } = first;
  terminal.say(
    event
      ? `  caused by ${event.type} ${event.id}, revision ${event.revision} of ${event.stream}, position ${event.position}`
      : "  no event of the log explains the row",
  );
};

/** Lists the parked events. Returns the exit code. */
export const showParked = (command: ProjectionsCommand, withSkipped: boolean): Promise<number> =>
  withAccess(command, async ({ operations }) => {
    const { terminal } = command;
    const parked = await operations.listParked({ withSkipped });
    for (const { position, ...one } of parked) {
      terminal.record({ ...one, position: String(position) });
      const skipped = one.skippedAt === null ? "" : `  skipped: ${one.skipReason}`;
      terminal.say(`${one.id}  ${one.consumer}  ${one.type} at ${position}${skipped}`);
      terminal.say(`  ${one.error}`);
    }
    if (parked.length === 0) terminal.say("No parked events.");
    return exitCodes.passed;
  });

/** Requests that a parked event be folded again and waits for the result. Returns the exit code: 1 if it fails again. */
export const retryParkedEvent = (command: ProjectionsCommand, id: string): Promise<number> =>
  withAccess(command, async (access) => {
    const { terminal, signal } = command;
    await ensureWorker(access);
    const asked = await access.operations.requestRetry(id);
    if (asked === "unknown")
      throw new CommandError(`No parked event has the id ${id}.`, exitCodes.usage);
    if (asked === "of_a_reactor") {
      throw new CommandError(
        "A reactor parked this event. It can only be skipped.",
        exitCodes.usage,
      );
    }
    if (asked === "of_a_build") {
      throw new CommandError(
        "The event belongs to a build that is not in use yet.",
        exitCodes.usage,
      );
    }
    const parked = await access.operations.waitForRetry(id, signal);
    if (parked === undefined) return exitCodes.interrupted;
    terminal.record({ id, folded: parked === null, error: parked?.error ?? null });
    if (parked === null) {
      terminal.say("The event was folded.");
      return exitCodes.passed;
    }
    const builds = await access.operations.listBuilds(null);
    const isBuilding = builds.some(
      ({ name, state }) => state === "building" && parked.consumer.startsWith(`${name}@`),
    );
    terminal.say(
      isBuilding
        ? "Later events were already folded, so the projection is being rebuilt with this event in order."
        : `The event failed again: ${parked.error}`,
    );
    return isBuilding ? exitCodes.passed : exitCodes.failed;
  });

/** Excludes a parked event permanently. Returns the exit code. */
export const skipParkedEvent = (
  command: ProjectionsCommand,
  id: string,
  reason: string,
): Promise<number> =>
  withAccess(command, async ({ operations }) => {
    if (!(await operations.skip(id, reason))) {
      throw new CommandError(`No parked event has the id ${id}.`, exitCodes.usage);
    }
    command.terminal.record({ id, skipped: true });
    command.terminal.say("The event was skipped.");
    return exitCodes.passed;
  });
