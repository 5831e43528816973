import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { canUse, type PostgresInstall, SHARED_FOLDER } from "./install.ts";
import { stablePort } from "./stablePort.ts";

export const SUPERUSER = "runledger";

/** The settings of a cluster, in `postgres.json` of the data folder (mode 0600). */
const Settings = z.object({
  /** Relative if it is inside the data folder, so that the folder can be moved. */
  folder: z.string(),
  port: z.number().int(),
  password: z.string(),
  /** Whether initdb has completed. From then on a missing cluster is an error. */
  complete: z.boolean().default(false),
});

/** A cluster; `folder` is absolute. */
export type Cluster = z.infer<typeof Settings>;

/**
 * Finds the cluster of a data folder, or creates it with initdb in a temporary folder that is renamed at the end, so
 * that a kill leaves no partial cluster. Rejects if a complete cluster or its settings are missing: a new cluster
 * would hide the loss.
 */
export const openCluster = async (
  dataDir: string,
  install: PostgresInstall,
  options: { sync?: boolean } = {},
): Promise<Cluster> => {
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const cluster = (await readSettings(dataDir)) ?? (await newCluster(dataDir, install));
  if (!(await exists(path.join(cluster.folder, "PG_VERSION")))) {
    if (cluster.complete) {
      throw new Error(
        `The database of ${dataDir} is not at ${cluster.folder}. Restore it from a backup; or remove ${settingsFile(dataDir)} to start with an empty database.`,
      );
    }
    await initialise(cluster, install, options.sync ?? true);
  }
  if (cluster.complete) return cluster;
  const complete = { ...cluster, complete: true };
  await saveCluster(dataDir, complete);
  return complete;
};

/** Writes the settings of a cluster, atomically. */
export const saveCluster = async (dataDir: string, cluster: Cluster): Promise<void> => {
  const inside = path.relative(dataDir, cluster.folder);
  const folder = inside.startsWith("..") ? cluster.folder : inside;
  const file = settingsFile(dataDir);
  const aside = `${file}.${randomBytes(4).toString("hex")}`;
  await writeFile(aside, `${JSON.stringify({ ...cluster, folder }, null, 2)}\n`, { mode: 0o600 });
  await rename(aside, file);
};

const settingsFile = (dataDir: string): string => path.join(dataDir, "postgres.json");

const newCluster = async (dataDir: string, install: PostgresInstall): Promise<Cluster> => {
  if (await exists(path.join(dataDir, "postgres", "PG_VERSION"))) {
    throw new Error(
      `${settingsFile(dataDir)} is missing: the password of the existing database is unknown. Restore it from a backup; or remove ${path.join(dataDir, "postgres")} to start with an empty database.`,
    );
  }
  const cluster = {
    folder: await clusterFolder(dataDir, install),
    port: await stablePort(),
    password: randomBytes(18).toString("base64url"),
    complete: false,
  };
  // The password is saved first: after a kill in between, the cluster would be inaccessible.
  await saveCluster(dataDir, cluster);
  return cluster;
};

/**
 * Stops the postmaster that a killed owner has left behind. The caller must hold the data folder's lock, which ensures
 * that no other process uses the postmaster.
 */
export const stopLeftover = async (folder: string): Promise<void> => {
  const pidFile = path.join(folder, "postmaster.pid");
  const pid = Number((await readFile(pidFile, "utf8").catch(() => "")).split("\n")[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return;
  if (!(await runsCluster(pid, folder))) {
    // The process id was reused: PostgreSQL would refuse to start because of the file.
    await rm(pidFile, { force: true });
    return;
  }
  for (const [signal, patience] of [
    ["SIGINT", 10_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 2_000],
  ] as const) {
    signalProcess(pid, signal);
    const deadline = Date.now() + patience;
    while (Date.now() < deadline) {
      if (!isAlive(pid)) return;
      await delay(25);
    }
  }
};

/** Whether a process with this id exists. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

const signalProcess = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
};

/** Whether a process is the postmaster of a cluster, by its command line on Linux. Elsewhere the pid file is trusted. */
const runsCluster = async (pid: number, folder: string): Promise<boolean> => {
  if (process.platform !== "linux") return true;
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return commandLine.split("\0").includes(folder);
};

/** Reads the settings of a data folder's cluster; null if it has none. Rejects if they are invalid. */
export const readSettings = async (dataDir: string): Promise<Cluster | null> => {
  const file = settingsFile(dataDir);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const settings = Settings.parse(JSON.parse(text));
    return { ...settings, folder: path.resolve(dataDir, settings.folder) };
  } catch (cause) {
    throw new Error(`${file} is damaged: restore it from a backup of the data folder.`, { cause });
  }
};

const clusterFolder = async (dataDir: string, { account }: PostgresInstall): Promise<string> => {
  const inside = path.join(dataDir, "postgres");
  if (account.uid === undefined || canUse(dataDir, "-x", account)) return inside;
  // Search permission alone does not list the folder; its files keep their modes.
  const { mode } = await stat(dataDir);
  await chmod(dataDir, mode | 0o011);
  if (canUse(dataDir, "-x", account)) return inside;
  await chmod(dataDir, mode);
  // A random name: a name derived from the path might belong to a removed data folder.
  return path.join(SHARED_FOLDER, `data-${randomBytes(8).toString("hex")}`, "postgres");
};

const initialise = async (
  cluster: Cluster,
  { initdb, account }: PostgresInstall,
  sync: boolean,
): Promise<void> => {
  const aside = `${cluster.folder}.new`;
  await rm(aside, { recursive: true, force: true });
  await mkdir(path.dirname(aside), { recursive: true, mode: 0o711 });
  await mkdir(aside, { mode: 0o700 });
  const passwordFile = path.join(tmpdir(), `runledger-${randomBytes(8).toString("hex")}`);
  await writeFile(passwordFile, `${cluster.password}\n`, { mode: 0o600, flag: "wx" });
  try {
    if (account.uid !== undefined && account.gid !== undefined) {
      await chown(aside, account.uid, account.gid);
      await chown(passwordFile, account.uid, account.gid);
    }
    await run(
      initdb,
      [
        `--pgdata=${aside}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        ...(sync ? [] : ["--no-sync"]),
      ],
      account,
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(aside, cluster.folder);
};

const run = (command: string, args: string[], account: object): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...account,
      cwd: "/",
      env: serverEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve();
      else
        reject(new Error(`${path.basename(command)} failed (${signal ?? code}): ${output.trim()}`));
    });
  });

/** The minimal environment of the server: secrets of this process must not be visible to another account in /proc. */
export const serverEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C",
  TZ: "UTC",
});

const exists = async (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
