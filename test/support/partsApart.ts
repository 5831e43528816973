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

/** What can happen to a part that stands at the other end of a wire. */
export type Fault = WireFault | "frozen" | "killed";

/** A part of its own, as the service has it in production: another process behind a network. */
export type PartApart = {
  /** Where the service reaches it: through the wire. */
  readonly url: string;
  /** Where it is. */
  readonly directUrl: string;
  readonly wire: Wire;
  /** Makes a fault. */
  fail(fault: Fault): Promise<void>;
  /** Mends it. */
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

/** An event log in a process of its own, its events in a database that no fault reaches, or in the one that is given. */
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
 * A PostgreSQL of its own. Killed, it comes back by itself, as under any supervisor; only a `durable` one has all then
 * that it had said was written.
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
        // The postmaster first: while it stands still it starts no others.
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

/** A NATS server with JetStream. */
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

/** The processes that a process has started, from /proc. */
const childrenOf = (parent: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);

const parentOf = (pid: number): number => {
  try {
    // The name may hold anything; the parent is the second field behind it.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
};
