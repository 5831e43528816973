import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { AS_BUILT } from "./nodeArguments.ts";
import type { BenchContext } from "./bench.ts";

/** What a process can be asked: by name, what is said and what comes back. All of it JSON. */
export type Requests = Readonly<
  Record<string, { readonly asks: object; readonly answers: object }>
>;

type Asked = { readonly id: number; readonly name: string; readonly what: object };
type Answered = { readonly id: number; readonly answer?: object; readonly problem?: string };

/** A process of ours that answers. */
export type Helper<All extends Requests> = {
  readonly pid: number;
  ask<Name extends keyof All & string>(
    name: Name,
    what: All[Name]["asks"],
  ): Promise<All[Name]["answers"]>;
};

/**
 * Starts a file of bench/processes as a process of its own. It is asked to `stop` at the end of the
 * bench, where it has something to stop, and killed when it does not end then. `options` are Node's.
 */
export const startHelper = <All extends Requests>(
  context: Pick<BenchContext, "defer">,
  file: string,
  options: readonly string[] = [],
): Helper<All> => {
  const child = fork(path.join(import.meta.dirname, "..", "processes", file), [], {
    execArgv: [...options, ...AS_BUILT],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const waiting = new Map<
    number,
    { resolve: (answer: never) => void; reject: (problem: Error) => void }
  >();
  let asked = 0;
  child.on("message", ({ id, answer, problem }: Answered) => {
    const asker = waiting.get(id);
    waiting.delete(id);
    if (problem !== undefined) asker?.reject(new Error(`${file}: ${problem}`));
    else asker?.resolve(answer as never);
  });
  child.on("exit", () => {
    for (const asker of waiting.values()) asker.reject(new Error(`${file} ended`));
    waiting.clear();
  });
  context.defer(() => endHelper(child));
  return {
    pid: child.pid ?? 0,
    ask: (name, what) =>
      new Promise((resolve, reject) => {
        asked += 1;
        waiting.set(asked, { resolve, reject });
        child.send({ id: asked, name, what } satisfies Asked, (error) => {
          if (error) reject(error);
        });
      }),
  };
};

const PATIENCE_MS = 10_000;

/** Cutting the channel is how it is told to stop what it runs and end. */
const endHelper = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  if (child.connected) child.disconnect();
  const hard = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  await exited;
  clearTimeout(hard);
};

/** The other side: answers what the parent asks. */
export const answerParent = <All extends Requests>(
  answers: {
    readonly [Name in keyof All & string]: (
      what: All[Name]["asks"],
    ) => Promise<All[Name]["answers"]>;
  },
): void => {
  // As in `npm start`: tsx turns them on, and each error then pays for them.
  process.setSourceMapsEnabled(false);
  process.on("message", ({ id, name, what }: Asked) => {
    const reply = (answered: Answered) => {
      if (process.connected) process.send?.(answered);
    };
    answers[name]?.(what).then(
      (answer) => reply({ id, answer }),
      (error: unknown) =>
        reply({ id, problem: error instanceof Error ? (error.stack ?? error.message) : "unknown" }),
    );
  });
};
