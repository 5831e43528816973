import { readdirSync, readFileSync } from "node:fs";

const LOOK_MS = 1;
/** States of a stopped or ended thread. */
const STANDS = ["T", "Z", "X"];
/** Time limit in milliseconds. A thread that has not stopped by then is blocked in the kernel and does not run either. */
const PATIENCE_MS = 5_000;

/**
 * Stops a process with SIGSTOP and resolves when all its threads have stopped. One thread receives the signal and stops
 * the others, which continue until it is scheduled on a loaded machine.
 */
export const freeze = async (pid: number): Promise<void> => {
  process.kill(pid, "SIGSTOP");
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
    if (threadStates(pid).every((state) => STANDS.includes(state))) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
};

/** Returns the states of a process's threads from /proc. */
const threadStates = (pid: number): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
      // The name may contain any character. The state is the first field after it.
      return stat.charAt(stat.lastIndexOf(")") + 2);
    });
  } catch {
    // The process has ended, or there is no /proc.
    return [];
  }
};
