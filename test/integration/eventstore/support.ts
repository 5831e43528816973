import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { EventMetadata } from "../../../src/domain/kernel/events.ts";
import type { EventLog, NewEvent, RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import { newId } from "../../../src/platform/ids.ts";

/** Metadata as every event carries it. */
export const metadata = (): EventMetadata => ({
  $correlationId: newId(),
  $causationId: newId(),
  actor: { type: "system", id: "test" },
  organization_id: null,
  occurred_at: "2026-01-01T00:00:00.000Z",
  recorded_at: "2026-01-01T00:00:00.000Z",
  schema_version: 1,
});

/** A new event with this data. */
export const newEvent = (data: unknown, id = newId()): NewEvent => ({
  id,
  type: "ThingHappened",
  data,
  metadata: metadata(),
});

/** All that an iteration yields. */
export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
};

/** Takes from a subscription until `enough` says so. */
export const takeUntil = async (
  items: AsyncIterable<RecordedEvent>,
  enough: (taken: readonly RecordedEvent[]) => boolean,
): Promise<RecordedEvent[]> => {
  const taken: RecordedEvent[] = [];
  for await (const item of items) {
    taken.push(item);
    if (enough(taken)) break;
  }
  return taken;
};

/** Repeats an append until it is acknowledged, as a caller with an unknown outcome does. */
export const appendSurely = async (
  log: EventLog,
  stream: string,
  event: NewEvent,
  expected: Parameters<EventLog["append"]>[2],
): Promise<void> => {
  for (;;) {
    try {
      await log.append(stream, [event], expected);
      return;
    } catch (error) {
      if (!(error instanceof Error) || !RETRIED.has(error.name)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};

const RETRIED = new Set(["LogUnavailableError", "AppendOutcomeUnknownError"]);

/** A script of this folder in a process of its own. */
export type Script = {
  readonly child: ChildProcess;
  /** Resolves with the first line of its output that begins so. */
  line(prefix: string): Promise<string>;
  /** Resolves with exit code and signal. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly output: () => string;
};

/** Runs `name` (a file beside this one, or the address of any) with these arguments. */
export const runScript = (name: string, args: readonly string[]): Script => {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let said = "";
  const watchers = new Set<() => void>();
  const hear = (chunk: Buffer): void => {
    said += chunk.toString();
    for (const watcher of watchers) watcher();
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  return {
    child,
    exited,
    output: () => said,
    line: (prefix) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const found = said
            .split("\n")
            .slice(0, -1)
            .find((line) => line.startsWith(prefix));
          if (found === undefined) return;
          watchers.delete(check);
          resolve(found);
        };
        watchers.add(check);
        void exited.then(() => reject(new Error(`${name} ended; it said:\n${said}`)));
        check();
      }),
  };
};
