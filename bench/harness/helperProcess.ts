import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { BenchContext } from "./bench.ts";
import { BUILT_SOURCE_ARGUMENTS } from "./nodeArguments.ts";

/** The procedures of a helper process by name. Requests and responses are JSON. */
export type Procedures = Readonly<
  Record<string, { readonly request: object; readonly response: object }>
>;

type Request = { readonly id: number; readonly name: string; readonly request: object };
type Response = { readonly id: number; readonly response?: object; readonly problem?: string };

/** A child process that answers remote procedure calls. */
export type Helper<All extends Procedures> = {
  readonly pid: number;
  call<Name extends keyof All & string>(
    name: Name,
    request: All[Name]["request"],
  ): Promise<All[Name]["response"]>;
};

/**
 * Starts `bench/processes/FILE` as a child process and stops it at the end of the bench.
 * `nodeOptions` are added to Node's command line.
 */
export const startHelper = <All extends Procedures>(
  context: Pick<BenchContext, "defer">,
  file: string,
  nodeOptions: readonly string[] = [],
): Helper<All> => {
  const child = fork(path.join(import.meta.dirname, "..", "processes", file), [], {
    execArgv: [...nodeOptions, ...BUILT_SOURCE_ARGUMENTS],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const pending = new Map<
    number,
    { resolve: (response: never) => void; reject: (problem: Error) => void }
  >();
  let lastId = 0;
  child.on("message", ({ id, response, problem }: Response) => {
    const caller = pending.get(id);
    pending.delete(id);
    if (problem !== undefined) caller?.reject(new Error(`${file}: ${problem}`));
    else caller?.resolve(response as never);
  });
  child.on("exit", () => {
    for (const caller of pending.values()) caller.reject(new Error(`${file} exited`));
    pending.clear();
  });
  context.defer(() => stopHelper(child));
  return {
    pid: child.pid ?? 0,
    call: (name, request) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        pending.set(lastId, { resolve, reject });
        child.send({ id: lastId, name, request } satisfies Request, (error) => {
          if (error) reject(error);
        });
      }),
  };
};

const STOP_TIMEOUT_MS = 10_000;

/** Closes the IPC channel, on which the helper exits; kills it after `STOP_TIMEOUT_MS`. */
const stopHelper = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
};

/** Answers the calls of the parent process. */
export const serveParent = <All extends Procedures>(
  procedures: {
    readonly [Name in keyof All & string]: (
      request: All[Name]["request"],
    ) => Promise<All[Name]["response"]>;
  },
): void => {
  // tsx enables source maps, which make every Error more expensive. `npm start` runs without them.
  process.setSourceMapsEnabled(false);
  process.on("message", ({ id, name, request }: Request) => {
    const respond = (response: Response) => {
      if (process.connected) process.send?.(response);
    };
    procedures[name]?.(request).then(
      (response) => respond({ id, response }),
      (error: unknown) =>
        respond({
          id,
          problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
    );
  });
};
