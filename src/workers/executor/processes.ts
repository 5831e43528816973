import { readFileSync } from "node:fs";

/** A process and all that it has started, itself first; as far as the system tells (Linux does). */
export const treeOf = (processId: number): readonly number[] => {
  const found = [processId];
  for (const each of found) {
    const children = read(`/proc/${each}/task/${each}/children`) ?? "";
    found.push(...children.split(" ").filter(Boolean).map(Number));
  }
  return found;
};

/** How much memory a process and all that it has started have for themselves, in bytes; 0 where the system does not tell. */
export const memoryOf = (processId: number): number =>
  treeOf(processId).reduce((sum, each) => sum + ownMemoryOf(each), 0);

/** Ends a process and all that it has started, at once. */
export const killTree = (processId: number): void => {
  for (const each of [...treeOf(processId)].reverse()) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // It has just ended by itself.
    }
  }
};

const PAGE_BYTES = 4_096;

/** Its memory without the part that it shares with other processes. */
const ownMemoryOf = (processId: number): number => {
  const [, resident = "0", shared = "0"] = (read(`/proc/${processId}/statm`) ?? "").split(" ");
  return Math.max(0, Number(resident) - Number(shared)) * PAGE_BYTES;
};

const read = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
};
