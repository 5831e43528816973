import { spawnSync } from "node:child_process";
import { findBrowser } from "../../src/workers/executor/browserFinder.ts";

/**
 * Ensures before the first test that a browser and nats-server are installed, which npm does not provide.
 * Installs them as root on Debian or Ubuntu. Otherwise it ends the run with installation instructions.
 * No suite is skipped because a part is missing.
 */
const globalParts = (): Promise<void> => {
  // Each project of a run calls this. Concurrent package managers would lock each other out.
  const shared = globalThis as { runledgerParts?: Promise<void> };
  shared.runledgerParts ??= provide();
  return shared.runledgerParts;
};

const provide = async (): Promise<void> => {
  const onProgress = (message: string) => process.stderr.write(`${message}\n`);
  await findBrowser({
    configuredPath: process.env.BROWSER_PATH_CHROMIUM,
    allowInstall: true,
    onProgress,
  });
  if (isThere("nats-server", ["--version"])) return;
  onProgress("Installing nats-server, which the tests of the bus need …");
  const installed =
    process.getuid?.() === 0 &&
    run("apt-get", ["update", "-q"]) &&
    run("apt-get", ["install", "-y", "-q", "--no-install-recommends", "nats-server"]);
  if (!installed || !isThere("nats-server", ["--version"])) {
    throw new Error(
      "nats-server is needed by the tests of the bus, and is not on the PATH. Install it: apt-get install nats-server (Debian, Ubuntu), brew install nats-server (macOS).",
    );
  }
};

const isThere = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0;

const run = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: 300_000,
  }).status === 0;

export default globalParts;
