import { execFile, spawn } from "node:child_process";
import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, isAbsolute, join } from "node:path";

/** The finder's access to the machine; tests put their own in its place. */
export type BrowserProbe = {
  /** The paths at which Playwright keeps its browsers, the headless shell first. */
  playwrightPaths(): Promise<readonly string[]> | readonly string[];
  /** Where Playwright keeps its Firefox or WebKit, whether it is there or not. */
  playwrightPathOf(name: "firefox" | "webkit"): Promise<string>;
  /** The full path of a command on PATH or of an absolute path that can be executed; null when there is none. */
  locate(command: string): string | null;
  /** The output of `--version`; null when the file does not start (libraries missing, not a browser). */
  says(executablePath: string): Promise<string | null>;
  /** Playwright's own download of the headless shell. Resolves to what went wrong, or null. */
  download(): Promise<string | null>;
  /** The system's package manager, when it can be used. Resolves to what went wrong, or null. */
  installPackage(): Promise<string | null>;
};

/** A browser that has not said its version by then does not start. */
const VERSION_TIMEOUT_MS = 15_000;
/** A download that says nothing for this long has stalled; one that goes on may take the whole time. */
const DOWNLOAD_SILENCE_MS = 30_000;
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const PACKAGE_SILENCE_MS = 120_000;
const PACKAGE_TIMEOUT_MS = 10 * 60_000;

/** The machine that this process runs on. */
export const probeMachine = (): BrowserProbe => ({
  playwrightPaths,
  playwrightPathOf: async (name) => (await import("playwright"))[name].executablePath(),
  locate,
  says,
  download: () =>
    runBounded(
      process.execPath,
      [playwrightCli(), "install", "chromium-headless-shell"],
      { silenceMs: DOWNLOAD_SILENCE_MS, timeoutMs: DOWNLOAD_TIMEOUT_MS },
      { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: "10000" },
    ),
  installPackage,
});

/**
 * The same, but that Playwright is asked in a process of its own, which is gone afterwards: it is large, and a service
 * that only wants to know where its browser is runs nothing yet.
 */
export const probeAside = (): BrowserProbe => ({
  ...probeMachine(),
  playwrightPaths: async () => {
    const file = createRequire(import.meta.url).resolve("playwright");
    const ask = `process.stdout.write(require(${JSON.stringify(file)}).chromium.executablePath())`;
    const full = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, ["-e", ask], { timeout: VERSION_TIMEOUT_MS }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
    });
    return withShells(full);
  },
});

const playwrightPaths = async (): Promise<readonly string[]> => {
  // Loaded when a browser is looked for: it takes half a second, which a start need not wait for.
  const { chromium } = await import("playwright");
  return withShells(chromium.executablePath());
};

/** Playwright names the path of its full Chromium only; its headless shell lies beside it. */
const withShells = (full: string): readonly string[] => {
  const revision = /^(.*[\\/])chromium-(\d+)[\\/]/.exec(full);
  if (!revision) return [full];
  const shellFolder = `${revision[1]}chromium_headless_shell-${revision[2]}`;
  const names = ["chrome-headless-shell", "headless_shell", "chrome-headless-shell.exe"];
  return [
    ...foldersIn(shellFolder).flatMap((folder) => names.map((name) => join(folder, name))),
    full,
  ];
};

const foldersIn = (folder: string): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
};

const locate = (command: string): string | null => {
  const candidates = isAbsolute(command)
    ? [command]
    : (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, command));
  return candidates.find((path) => path !== "" && isExecutable(path)) ?? null;
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

const says = (executablePath: string): Promise<string | null> =>
  new Promise((resolve) => {
    // --no-sandbox: as root, a full Chromium refuses even to say its version without it.
    const args = ["--version", "--no-sandbox"];
    execFile(executablePath, args, { timeout: VERSION_TIMEOUT_MS }, (error, stdout) => {
      resolve(error ? null : stdout.trim());
    });
  });

const playwrightCli = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("playwright/package.json")), "cli.js");

const installPackage = async (): Promise<string | null> => {
  const apt = locate("apt-get");
  if (!apt) return "there is no apt-get here";
  if (process.getuid?.() !== 0) return "apt-get needs root";
  const bounds = { silenceMs: PACKAGE_SILENCE_MS, timeoutMs: PACKAGE_TIMEOUT_MS };
  const settings = { DEBIAN_FRONTEND: "noninteractive" };
  const problems: string[] = [];
  const updateProblem = await runBounded(apt, ["update"], bounds, settings);
  if (updateProblem) problems.push(`update: ${updateProblem}`);
  for (const name of ["chromium-headless-shell", "chromium"]) {
    const args = ["install", "-y", "--no-install-recommends", name];
    const problem = await runBounded(apt, args, bounds, settings);
    if (!problem) return null;
    problems.push(`${name}: ${problem}`);
  }
  return problems.join("; ");
};

type Bounds = { readonly silenceMs: number; readonly timeoutMs: number };

/** Runs a command to its end, or kills it with all its children when it stalls. Resolves to what went wrong, or null. */
const runBounded = (
  command: string,
  args: readonly string[],
  bounds: Bounds,
  settings: Readonly<Record<string, string>>,
): Promise<string | null> =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...settings },
    });
    let tail = "";
    let stopped = "";
    const stop = (reason: string) => {
      stopped ||= reason;
      try {
        if (child.pid) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has just ended by itself.
      }
    };
    const total = setTimeout(
      () => stop(`took longer than ${bounds.timeoutMs / 1000} s`),
      bounds.timeoutMs,
    );
    const silence = setTimeout(
      () => stop(`nothing heard for ${bounds.silenceMs / 1000} s`),
      bounds.silenceMs,
    );
    const heard = (chunk: Buffer) => {
      silence.refresh();
      tail = (tail + chunk.toString()).slice(-2000);
    };
    child.stdout.on("data", heard);
    child.stderr.on("data", heard);
    const end = (problem: string | null) => {
      clearTimeout(total);
      clearTimeout(silence);
      resolve(problem);
    };
    child.on("error", (error) => end(error.message));
    child.on("close", (code) => {
      if (code === 0 && !stopped) return end(null);
      end(stopped || lastLine(tail) || `ended with code ${code}`);
    });
  });

const lastLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("at "))
    .at(-1)
    ?.slice(0, 300) ?? "";
