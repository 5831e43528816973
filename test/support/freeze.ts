import { readdirSync, readFileSync } from "node:fs";

const LOOK_MS = 1;
/** Stopped, or ended. */
const STANDS = ["T", "Z", "X"];
/** A thread that does not stand still by then is in the kernel, and answers nobody either. */
const PATIENCE_MS = 5_000;

/**
 * Stops a process where it stands (SIGSTOP), and resolves once all of its threads do: one of them takes the signal
 * and tells the others, and until that one has its turn, on a machine with much to do, they go on answering.
 */
export const freeze = async (pid: number): Promise<void> => {
  process.kill(pid, "SIGSTOP");
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
    if (threadStates(pid).every((state) => STANDS.includes(state))) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
};

/** The states of a process's threads, as /proc has them. */
const threadStates = (pid: number): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
      // The name may hold anything; the state is the first field behind it.
      return stat.charAt(stat.lastIndexOf(")") + 2);
    });
  } catch {
    // It has ended, or there is no /proc.
    return [];
  }
};
