import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { startEmbeddedPostgres } from "../../src/embeddedPostgres/server.ts";
import { stablePort } from "../../src/embeddedPostgres/stablePort.ts";
import { freeze } from "./freeze.ts";
import { startNatsServer } from "./natsServer.ts";
import { createTestDatabase } from "./postgres.ts";
import { startWire, type Wire, type WireFault } from "./wire.ts";

/** A fault of a part behind a proxy. */
export type Fault = WireFault | "frozen" | "killed";

/** A part in a separate process behind a network, as in production. */
export type PartApart = {
  /** The address through the proxy, for the service. */
  readonly url: string;
  /** The address without the proxy. */
  readonly directUrl: string;
  readonly wire: Wire;
  /** Causes a fault. */
  fail(fault: Fault): Promise<void>;
  /** Ends the fault. */
  mend(): Promise<void>;
  stop(): Promise<void>;
};

const SERVER_PROCESS = path.resolve(
  import.meta.dirname,
  "../integration/eventstore/serverProcess.ts",
);

const apart = (
  { url, directUrl }: { readonly url: string; readonly directUrl: string },
  wire: Wire,
  process: {
    signal(name: "SIGSTOP" | "SIGCONT"): Promise<void>;
    kill(): Promise<void>;
    start(): Promise<void>;
    stop(): Promise<void>;
  },
): PartApart => {
  let fault: Fault | null = null;
  const mend = async (): Promise<void> => {
    const was = fault;
    fault = null;
    if (was === "frozen") await process.signal("SIGCONT");
    else if (was === "killed") await process.start();
    else if (was) await wire.set(null);
  };
  return {
    url,
    directUrl,
    wire,
    fail: async (next) => {
      fault = next;
      if (next === "frozen") await process.signal("SIGSTOP");
      else if (next === "killed") await process.kill();
      else await wire.set(next);
    },
    mend,
    stop: async () => {
      await mend();
      await wire.stop();
      await process.stop();
    },
  };
};

/** Starts an event log in a separate process, with a database of its own or the given one. */
export const startLogApart = async (databaseUrl?: string): Promise<PartApart> => {
  const database =
    databaseUrl === undefined
      ? await createTestDatabase()
      : { url: databaseUrl, drop: async () => undefined };
  const port = await stablePort();
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const started = spawn(
      process.execPath,
      ["--import", "tsx", SERVER_PROCESS, database.url, String(port)],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    child = started;
    if (!started.stdout) throw new Error("no output");
    const gone = once(started, "exit").then(() => ["gone"]);
    const lines = createInterface({ input: started.stdout });
    const [line] = await Promise.race([once(lines, "line"), gone]);
    if (!String(line).startsWith("ready")) throw new Error(`The log did not start: ${line}`);
  };
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  await start();
  const wire = await startWire(port);
  const urlAt = (at: number) => `esdb://127.0.0.1:${at}?tls=false`;
  return apart({ url: urlAt(wire.port), directUrl: urlAt(port) }, wire, {
    signal: async (name) => {
      if (name === "SIGSTOP" && child?.pid !== undefined) await freeze(child.pid);
      else child?.kill(name);
    },
    kill,
    start,
    stop: async () => {
      await kill();
      await database.drop();
    },
  });
};

/**
 * Starts a PostgreSQL that restarts after a kill, as under a supervisor. Only a `durable` one keeps all confirmed
 * writes then.
 */
export const startDatabaseApart = async ({ durable = false } = {}): Promise<PartApart> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "runledger-apart-"));
  const postgres = await startEmbeddedPostgres({ dataDir, durable });
  const direct = new URL(postgres.url);
  const wire = await startWire(Number(direct.port));
  const url = new URL(postgres.url);
  url.port = String(wire.port);
  const postmaster = async (): Promise<number> => {
    const { folder } = JSON.parse(await readFile(path.join(dataDir, "postgres.json"), "utf8"));
    const file = path.join(path.resolve(dataDir, folder), "postmaster.pid");
    return Number((await readFile(file, "utf8")).split("\n")[0]);
  };
  let pids: number[] = [];
  return apart({ url: url.href, directUrl: postgres.url }, wire, {
    signal: async (name) => {
      if (name === "SIGSTOP") {
        // The postmaster first, which starts no other processes while it is stopped.
        const pid = await postmaster();
        await freeze(pid);
        pids = childrenOf(pid);
        await Promise.all(pids.map(freeze));
        pids.unshift(pid);
      } else for (const one of pids) process.kill(one, name);
    },
    kill: async () => {
      process.kill(await postmaster(), "SIGKILL");
    },
    start: async () => undefined,
    stop: async () => {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  });
};

/** Starts a NATS server with JetStream. */
export const startNatsApart = async (): Promise<PartApart> => {
  const nats = await startNatsServer();
  const wire = await startWire(Number(new URL(nats.url).port));
  return apart({ url: `nats://127.0.0.1:${wire.port}`, directUrl: nats.url }, wire, {
    signal: nats.signal,
    kill: nats.kill,
    start: () => nats.start(),
    stop: nats.stop,
  });
};

/** Returns the child processes of a process from /proc. */
const childrenOf = (parent: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);

const parentOf = (pid: number): number => {
  try {
    // The name may contain any character. The parent is the second field after it.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
};
