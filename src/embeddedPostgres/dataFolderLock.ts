import { readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDataFolder, unusableFolder } from "../platform/dataFolder.ts";
import { SettingError } from "../platform/settingError.ts";
import { isAlive } from "./cluster.ts";

/**
 * Locks a data folder for this process. Resolves with the function that unlocks it. The lock of a dead process is
 * replaced. Rejects with SettingError if a living process has the lock, or the folder cannot be written.
 */
export const lockDataFolder = async (dataDir: string): Promise<() => Promise<void>> => {
  await makeDataFolder(dataDir);
  const file = path.join(dataDir, "lock.json");
  const mine = JSON.stringify({ pid: process.pid, started: (await statOf(process.pid)).started });
  for (let attempt = 0; attempt < 5; attempt += 1) {
    try {
      await writeFile(file, mine, { flag: "wx", mode: 0o600 });
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unusableFolder(dataDir, error);
    }
    const owner = await livingOwner(file);
    if (owner) {
      throw new SettingError(
        `DATA_DIR ${dataDir} is in use by process ${owner.pid}. Stop that process first, or set DATA_DIR to another folder.`,
        null,
      );
    }
    // Renamed first: of two processes that find the same stale lock, only one succeeds.
    const aside = `${file}.${process.pid}.stale`;
    await rename(file, aside).catch(() => undefined);
    await rm(aside, { force: true });
  }
  throw new Error(`DATA_DIR ${dataDir} is being locked by several processes at once.`);
};

/** Whether a living process uses a data folder. */
export const isDataFolderInUse = async (dataDir: string): Promise<boolean> =>
  (await livingOwner(path.join(dataDir, "lock.json"))) !== null;

/** The id of the living process that uses a data folder, or null. */
export const ownerOfDataFolder = async (dataDir: string): Promise<number | null> =>
  (await livingOwner(path.join(dataDir, "lock.json")))?.pid ?? null;

const livingOwner = async (file: string): Promise<ReturnType<typeof parse>> => {
  const owner = parse(await readFile(file, "utf8").catch(() => ""));
  if (!owner || !isAlive(owner.pid)) return null;
  const { state, started } = await statOf(owner.pid);
  // A killed process remains a zombie until its parent has waited for it.
  return started === owner.started && !DEAD.has(state) ? owner : null;
};

const parse = (text: string): { pid: number; started: string } | null => {
  try {
    const { pid, started } = JSON.parse(text) as { pid?: unknown; started?: unknown };
    return typeof pid === "number" && typeof started === "string" ? { pid, started } : null;
  } catch {
    return null;
  }
};

/** The states of zombie and dead processes in proc(5). */
const DEAD: ReadonlySet<string> = new Set(["Z", "X"]);

/**
 * The state and the start time of a process (clock ticks since boot), to recognise a reused process id. Linux only
 * (proc(5)); empty elsewhere.
 */
const statOf = async (pid: number): Promise<{ state: string; started: string }> => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", started: fields[19] ?? "" };
};
