import { type ChildProcess, spawn } from "node:child_process";
import { call, eventually } from "../../support/client.ts";
import { program } from "../../support/program.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read output of any shape.
type Said = any;

/** An agent in a child process. */
export type Agent = {
  readonly child: ChildProcess;
  /** Resolves with the records of a type once there are `times`. */
  until(type: string, times?: number): Promise<readonly Said[]>;
};

/** Starts agents and queries the runs that they execute. */
export const agentsOf = (url: string, key: string) => {
  const children = new Set<ChildProcess>();
  const get = async (path: string): Promise<Said> =>
    (await call(url, "GET", `/api/v1${path}`, { bearer: key })).body;

  return {
    get,
    /** Starts an agent and waits until it is connected. */
    start: async (server = url, capacity = 1): Promise<Agent> => {
      const args = ["agent", "--server", server, "--capacity", String(capacity), "--json"];
      const child = spawn(process.execPath, [...program, ...args], {
        env: { ...process.env, RUNLEDGER_API_KEY: key },
        stdio: ["ignore", "pipe", "inherit"],
      });
      children.add(child);
      let output = "";
      child.stdout?.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
      const said = (): Said[] =>
        output
          .split("\n")
          .filter((line) => line.endsWith("}"))
          .map((line) => JSON.parse(line));
      const until: Agent["until"] = (type, times = 1) =>
        eventually(
          async () => said().filter((one) => one.type === type),
          (found) => found.length >= times,
          60_000,
        );
      await until("connected");
      return { child, until };
    },
    killAll: (): void => {
      for (const child of children) child.kill("SIGKILL");
      children.clear();
    },
    stepsDone: (runId: string, count: number): Promise<Said> =>
      eventually(
        () => get(`/runs/${runId}`),
        ({ tests }) => tests[0].steps_done >= count,
        60_000,
      ),
    ended: (runId: string): Promise<Said> =>
      eventually(
        () => get(`/runs/${runId}`),
        ({ finished_at }) => finished_at !== null,
        100_000,
      ),
    /** Counts the events of a run by name, delivery and step. */
    eventsOf: async (runId: string): Promise<ReadonlyMap<string, number>> => {
      const { items } = await get(`/runs/${runId}/events?limit=100`);
      const counts = new Map<string, number>();
      for (const { name, delivery, step_number } of items as Said[]) {
        const one = `${name}/${delivery}/${step_number}`;
        counts.set(one, (counts.get(one) ?? 0) + 1);
      }
      return counts;
    },
  };
};
