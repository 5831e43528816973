import { execFile } from "node:child_process";
import { realpath, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { sourcePath } from "../domain/catalogue/source.ts";
import { issueMessage } from "../domain/kernel/issueMessage.ts";
import { CommandError, exitCodes } from "./exitCodes.ts";

const run = promisify(execFile);

/** The largest output of Git that is read, in bytes. */
const MAX_OUTPUT = 50_000_000;

/**
 * The root of the Git repository of a file. Without one: the working directory, or the folder of the file if that is
 * elsewhere.
 */
export const rootOf = async (path: string): Promise<string> => {
  const own = dirname(await realpath(path));
  let folder = own;
  for (;;) {
    if (await exists(join(folder, ".git"))) return folder;
    const parent = dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }
  const working = await realpath(process.cwd());
  return own === working || own.startsWith(`${working}${sep}`) ? working : own;
};

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * The path of a file from the root of its repository, with `/` on every system. Throws CommandError (usage) if the file
 * is outside of it.
 */
export const sourceOf = async (path: string): Promise<string> => {
  const root = await rootOf(path);
  const read = sourcePath.safeParse(
    relative(root, await realpath(path))
      .split(sep)
      .join("/"),
  );
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new CommandError(
    `${path}: its path from ${root} ${issue ? issueMessage(issue) : "is invalid"}. Run the command in the repository of the tests.`,
    exitCodes.usage,
  );
};

/**
 * The commit of each file, by path. A file has none if it differs from the commit, if it is untracked, or if Git is not
 * available.
 */
export const commitsOf = async (paths: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const commits = new Map<string, string>();
  const [first] = paths;
  if (first === undefined) return commits;
  try {
    const root = await rootOf(first);
    const git = async (...args: readonly string[]): Promise<string> =>
      (await run("git", ["-C", root, ...args], { maxBuffer: MAX_OUTPUT })).stdout;
    const commit = (await git("rev-parse", "--verify", "HEAD")).trim();
    const real = await Promise.all(paths.map((path) => realpath(path)));
    const named = real.map((path) => relative(root, path).split(sep).join("/"));
    const changed = await git("diff", "--name-only", "-z", "HEAD", "--", ...named);
    const untracked = await git("ls-files", "-z", "--others", "--", ...named);
    const different = new Set([...changed.split("\0"), ...untracked.split("\0")]);
    for (const [index, path] of paths.entries()) {
      if (!different.has(named[index] ?? "")) commits.set(path, commit);
    }
    return commits;
  } catch {
    return new Map();
  }
};
