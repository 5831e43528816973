import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { isAlive } from "../embeddedPostgres/cluster.ts";

const fileOf = (dataDir: string): string => path.join(path.resolve(dataDir), "eventstore.json");

/** Publishes the address of the embedded event log in the data folder, for operator commands. Returns a function that removes it. */
export const announceEventStore = async (
  dataDir: string,
  url: string,
): Promise<() => Promise<void>> => {
  const file = fileOf(dataDir);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o711 });
  await writeFile(file, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 });
  return () => rm(file, { force: true });
};

/** The address of the embedded event log of a data folder; null if no running process serves it. */
export const findEventStore = async (dataDir: string): Promise<string | null> => {
  try {
    const { url, pid } = JSON.parse(await readFile(fileOf(dataDir), "utf8")) as {
      url?: unknown;
      pid?: unknown;
    };
    return typeof url === "string" && typeof pid === "number" && isAlive(pid) ? url : null;
  } catch {
    return null;
  }
};
