import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "../platform/logger.ts";
import {
  type Cluster,
  openCluster,
  readSettings,
  SUPERUSER,
  saveCluster,
  serverEnvironment,
  stopLeftover,
} from "./cluster.ts";
import { isDataFolderInUse, lockDataFolder } from "./dataFolderLock.ts";
import { locatePostgres, type PostgresInstall } from "./install.ts";
import { endWithOwner } from "./lifeline.ts";
import { stablePort } from "./stablePort.ts";

export type EmbeddedPostgres = {
  /** Connection string of the database `runledger`, for `openDatabase`. Stable while this process runs. */
  readonly url: string;
  stop(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  readonly dataDir: string;
  readonly logger?: Logger;
  /** false: no fsync. For tests only. */
  readonly durable?: boolean;
};

const DATABASE = "runledger";
/** The time limit of a start: after a SIGKILL of the postmaster, its children hold the shared memory for seconds. */
const START_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 15_000;
const READY = "database system is ready to accept connections";
const PORT_TAKEN = "could not create any TCP/IP sockets";

/**
 * Starts the PostgreSQL of a data folder and supervises it: a postmaster that dies is restarted on the same port.
 * Rejects with the server's last output if it does not start, and with SettingError if another process uses the folder.
 */
export const startEmbeddedPostgres = async (
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> => {
  const dataDir = path.resolve(options.dataDir);
  const unlock = await lockDataFolder(dataDir);
  try {
    const install = await locatePostgres();
    const durable = options.durable ?? true;
    const cluster = await openCluster(dataDir, install, { sync: durable });
    await stopLeftover(cluster.folder);
    const first = await startOnSomePort(dataDir, cluster, install, durable);
    const supervisor = supervise(first.child, {
      start: () => launch(first.cluster, install, durable),
      ...(options.logger ? { logger: options.logger } : {}),
    });
    const url = connectionString(first.cluster, DATABASE);
    try {
      await ensureDatabase(first.cluster);
    } catch (error) {
      await supervisor.stop();
      throw error;
    }
    return {
      url,
      stop: async () => {
        await supervisor.stop();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
};

/** Finds the running PostgreSQL of a data folder. "none": the folder has no cluster; "stopped": no process runs it. */
export const findEmbeddedPostgres = async (
  dataDir: string,
): Promise<{ readonly url: string } | "none" | "stopped"> => {
  const cluster = await readSettings(path.resolve(dataDir));
  if (!cluster) return "none";
  if (!(await isDataFolderInUse(path.resolve(dataDir)))) return "stopped";
  return { url: connectionString(cluster, DATABASE) };
};

/** A failed start, with the output of the server. */
class PostgresStartError extends Error {
  constructor(output: string) {
    super(`The embedded PostgreSQL did not start. Its output: ${output || "none"}`);
    this.name = "PostgresStartError";
  }
}

const startOnSomePort = async (
  dataDir: string,
  kept: Cluster,
  install: PostgresInstall,
  durable: boolean,
): Promise<{ child: ChildProcess; cluster: Cluster }> => {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let cluster = kept;
  for (;;) {
    try {
      return { child: await launch(cluster, install, durable), cluster };
    } catch (error) {
      if (Date.now() > deadline) throw error;
      if (error instanceof Error && error.message.includes(PORT_TAKEN)) {
        cluster = { ...cluster, port: await stablePort() };
        await saveCluster(dataDir, cluster);
      } else {
        await delay(250);
      }
    }
  }
};

const launch = (
  cluster: Cluster,
  { postgres, account }: PostgresInstall,
  durable: boolean,
): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_connections: "200",
      timezone: "UTC",
      ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
    };
    const child = spawn(
      postgres,
      [
        "-D",
        cluster.folder,
        "-p",
        String(cluster.port),
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ],
      // A session of its own: Ctrl-C in a terminal must not stop the database before the service.
      {
        ...account,
        cwd: "/",
        env: serverEnvironment(),
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    if (child.pid !== undefined) endWithOwner(child, cluster.folder, account);
    let output = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(READY)) resolve(child);
      // Searched before it is cut: one chunk may exceed the limit.
      output = output.slice(-4_000);
    });
    child.once("error", (error) => reject(new PostgresStartError(error.message)));
    child.once("close", () => reject(new PostgresStartError(output.trim())));
  });

const supervise = (
  first: ChildProcess,
  options: { start: () => Promise<ChildProcess>; logger?: Logger },
): { stop(): Promise<void> } => {
  const { logger } = options;
  let child: ChildProcess | null = null;
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();

  const watch = (started: ChildProcess): void => {
    child = started;
    started.stderr?.on("data", (chunk: Buffer) => logger?.debug(chunk.toString().trim()));
    const onExit = (): void => {
      child = null;
      if (stopping) return;
      const { exitCode, signalCode } = started;
      logger?.warn({ exitCode, signalCode }, "the embedded PostgreSQL ended; restarting it");
      restarting = restart();
    };
    // It may have ended before the listener was added.
    if (hasEnded(started)) onExit();
    else started.once("exit", onExit);
  };

  const restart = async (): Promise<void> => {
    for (let attempt = 0; !stopping; attempt += 1) {
      try {
        const started = await options.start();
        if (stopping) {
          await end(started);
          return;
        }
        watch(started);
        logger?.info("the embedded PostgreSQL is running again");
        return;
      } catch (error) {
        if (attempt % 20 === 19) logger?.error({ err: error }, "the embedded PostgreSQL is down");
        await delay(attempt < 50 ? 200 : 2_000);
      }
    }
  };

  const atExit = (): void => {
    child?.kill("SIGINT");
  };
  process.once("exit", atExit);
  watch(first);

  return {
    stop: async () => {
      stopping = true;
      process.removeListener("exit", atExit);
      await restarting;
      if (child) await end(child);
    },
  };
};

/** Performs a fast shutdown, which rolls back open transactions; after a timeout an immediate one, after which the WAL is replayed. */
const end = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGINT");
  const immediate = setTimeout(() => child.kill("SIGQUIT"), STOP_TIMEOUT_MS);
  const kill = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS + 5_000);
  await gone;
  clearTimeout(immediate);
  clearTimeout(kill);
};

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

const ensureDatabase = async (cluster: Cluster): Promise<void> => {
  const client = new pg.Client({ connectionString: connectionString(cluster, "postgres") });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const found = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
};

const connectionString = (cluster: Cluster, database: string): string =>
  `postgres://${SUPERUSER}:${cluster.password}@127.0.0.1:${cluster.port}/${database}`;
