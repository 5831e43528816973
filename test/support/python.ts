import { spawnSync } from "node:child_process";

/**
 * What a program of Python prints, given an input. Null where there is no `python` on the machine, so that nobody must
 * install it to work here; in continuous integration nothing is left out: there it throws. Throws also when the program fails.
 */
export const runPython = (
  program: string,
  input: string,
  { python = "python3", isWatched = Boolean(process.env.CI) } = {},
): string | null => {
  const { status, stdout, stderr, error } = spawnSync(python, ["-c", program], {
    input,
    encoding: "utf8",
    env: { ...process.env, PYTHONUTF8: "1" },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error && (isWatched || !isMissing(error))) {
    throw new Error(`${python} is needed by the tests of scripts, and does not run`, {
      cause: error,
    });
  }
  if (error) return null;
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

const isMissing = (error: Error): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";
