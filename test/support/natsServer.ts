import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stablePort } from "../../src/embeddedPostgres/stablePort.ts";
import { freeze } from "./freeze.ts";

export type NatsServer = {
  readonly url: string;
  /** Stops (SIGSTOP) or continues the process. */
  signal(name: "SIGSTOP" | "SIGCONT"): Promise<void>;
  /** Kills the process. `start` restarts it on the same port. */
  kill(): Promise<void>;
  /** Restarts the server, with `empty` without its data. */
  start(options?: { empty?: boolean }): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts a real nats-server with JetStream on 127.0.0.1, with a port and a folder of its own.
 * Rejects if the program is not installed: tests that need it are never skipped.
 */
export const startNatsServer = async (
  /** Content of the configuration file, such as users. */
  settings = "",
): Promise<NatsServer> => {
  const folder = await mkdtemp(path.join(tmpdir(), "runledger-nats-"));
  const port = await stablePort();
  const store = path.join(folder, "store");
  let child: ChildProcess | null = null;

  const start: NatsServer["start"] = async ({ empty = false } = {}) => {
    if (empty) await rm(store, { recursive: true, force: true });
    const log = path.join(folder, "log");
    const configuration = path.join(folder, "nats.conf");
    await writeFile(configuration, settings);
    await rm(log, { force: true });
    const started = spawn(
      "nats-server",
      ["-c", configuration, "-a", "127.0.0.1", "-p", String(port), "-js", "-sd", store, "-l", log],
      { stdio: "ignore" },
    );
    const failed = once(started, "error").then(([error]: unknown[]) => {
      throw new Error("nats-server is needed by these tests: install the package nats-server", {
        cause: error,
      });
    });
    failed.catch(() => undefined);
    child = started;
    const ready = async (): Promise<void> => {
      for (let tries = 0; tries < 400; tries += 1) {
        const said = await readFile(log, "utf8").catch(() => "");
        if (said.includes("Server is ready")) return;
        if (started.exitCode !== null) throw new Error(`nats-server ended: ${said}`);
        await delay(25);
      }
      throw new Error("nats-server did not become ready");
    };
    await Promise.race([ready(), failed]);
  };

  const kill = async (): Promise<void> => {
    const running = child;
    child = null;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, "exit");
    running.kill("SIGKILL");
    await exited;
  };

  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    signal: async (name) => {
      if (name === "SIGSTOP" && child?.pid !== undefined) await freeze(child.pid);
      else child?.kill(name);
    },
    kill,
    start,
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
