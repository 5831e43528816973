import { type ChildProcess, spawn } from "node:child_process";
import type { PostgresInstall } from "./install.ts";

/**
 * Waits until its input is closed, which the kernel does when the owner ends in any way, and requests a fast shutdown
 * of the postmaster, unless the pid file names another process by then.
 */
const SCRIPT =
  'read -r _; read -r pid < "$2/postmaster.pid" && [ "$pid" = "$1" ] && kill -INT "$pid"';

/** Ends a postmaster if this process is killed. The watching shell ends with the postmaster. */
export const endWithOwner = (
  postmaster: ChildProcess,
  folder: string,
  account: PostgresInstall["account"],
): void => {
  const watcher = spawn("/bin/sh", ["-c", SCRIPT, "sh", String(postmaster.pid), folder], {
    ...account,
    cwd: "/",
    // A session of its own: Ctrl-C in a terminal must not end it before the owner.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell the next start still ends the postmaster.
  watcher.on("error", () => undefined);
  watcher.stdin?.on("error", () => undefined);
  watcher.unref();
  (watcher.stdin as { unref?: () => void } | null)?.unref?.();
  postmaster.once("exit", () => watcher.kill("SIGKILL"));
};
