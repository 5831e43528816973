import { randomBytes } from "node:crypto";
import { readFile, rm, stat, statfs, writeFile } from "node:fs/promises";
import { arch, availableParallelism, platform, release, totalmem } from "node:os";
import path from "node:path";
import { ownerOfDataFolder } from "../../embeddedPostgres/dataFolderLock.ts";
import type { Config } from "../../platform/config.ts";
import { MASTER_KEY_BYTES } from "../../platform/crypto.ts";
import { parseMasterKey } from "../../platform/masterKey.ts";
import { bad, type Finding, messageOf, note, ok } from "./finding.ts";

/** The oldest supported Node.js: `engines` of package.json. */
const OLDEST_NODE = [22, 12] as const;
const GIB = 1024 ** 3;
/** Free space below which PostgreSQL is about to stop, in GiB. */
const CRITICAL_GIB = 0.5;
const LOW_GIB = 5;
/** Recommended limit of open files: each connection uses one. */
const RECOMMENDED_FILES = 4_096;

/** Checks Node.js and the limit of open files. */
export const checkMachine = async (): Promise<readonly Finding[]> => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isSupported =
    major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const found = `Node.js ${process.versions.node} on ${platform()} ${release()} ${arch()}, ${availableParallelism()} cores, ${inGib(totalmem())}`;
  const files = await openFiles();
  return [
    isSupported
      ? ok("machine", found)
      : note("machine", found, `Unsupported: install Node.js ${OLDEST_NODE.join(".")} or newer.`),
    ...(files !== null && files < RECOMMENDED_FILES
      ? [
          note(
            "open files",
            `the limit of a process is ${files}`,
            `Each connection uses one. With many subscribers raise the limit (ulimit -n, LimitNOFILE) to ${RECOMMENDED_FILES} or more.`,
          ),
        ]
      : []),
  ];
};

const openFiles = async (): Promise<number | null> => {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, most] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return most === undefined ? null : Number(most);
};

const inGib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`;

/** Checks the data folder: write access, permissions, free space and owner process. */
export const checkDataFolder = async ({ dataDir }: Config): Promise<readonly Finding[]> => {
  const name = "data folder";
  const existing = await stat(dataDir).catch(() => null);
  const folder = existing ? dataDir : await nearestPath(path.dirname(dataDir));
  if (!(await stat(folder)).isDirectory()) {
    return [bad(name, `${folder} is not a folder`, "Set DATA_DIR to a folder.")];
  }
  const trouble = await writeInto(folder);
  if (trouble !== null) {
    return [
      bad(
        name,
        `${folder} cannot be written: ${trouble}`,
        "Give the account of the service write access (chown), or set DATA_DIR to another folder.",
      ),
    ];
  }
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const left = `${inGib(free)} free`;
  const owner = existing ? await ownerOfDataFolder(dataDir) : null;
  const used = owner === null ? "" : `, used by process ${owner}`;
  const found = existing
    ? `${dataDir}, ${left}${used}`
    : `${dataDir}, created at the first start, ${left}`;
  if (free < CRITICAL_GIB * GIB) {
    return [bad(name, found, "Free some space, or move the folder while nothing runs.")];
  }
  if (existing && (existing.mode & 0o022) !== 0) {
    return [note(name, `${found}; other accounts may write to it`, `chmod go-w ${dataDir}`)];
  }
  return [
    free < LOW_GIB * GIB
      ? note(name, found, "Events are kept forever; screenshots are kept as long as the plan says.")
      : ok(name, found),
  ];
};

/** The path itself if it exists, else its nearest existing ancestor. */
const nearestPath = async (where: string): Promise<string> => {
  const existing = await stat(where).catch(() => null);
  return existing || path.dirname(where) === where ? where : nearestPath(path.dirname(where));
};

/** Writes and removes a file. Returns the reason of a failure, else null. */
const writeInto = async (folder: string): Promise<string | null> => {
  const file = path.join(folder, `.doctor-${randomBytes(6).toString("hex")}`);
  try {
    await writeFile(file, "", { flag: "wx", mode: 0o600 });
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code ?? messageOf(error);
  } finally {
    await rm(file, { force: true });
  }
};

/**
 * Checks the master key of the settings or of the data folder; `key` is null if there is no readable key. Does not
 * create one.
 */
export const checkMasterKey = async (
  config: Config,
  allRoles: number,
): Promise<{ readonly key: Buffer | null; readonly finding: Finding }> => {
  const name = "master key";
  if (config.masterKey) {
    return { key: config.masterKey, finding: ok(name, "set with MASTER_KEY") };
  }
  const file = path.join(config.dataDir, "master.key");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => error);
  if (typeof text !== "string") {
    const finding =
      text.code === "ENOENT"
        ? config.roles.length < allRoles || config.databaseUrl !== null
          ? note(
              name,
              "none: created in the data folder at the first start",
              "With several processes, or with a database outside of this folder, set the same MASTER_KEY in each process: openssl rand -hex 32.",
            )
          : ok(name, "created in the data folder at the first start")
        : bad(
            name,
            `${file} cannot be read (${text.code})`,
            "Give the account of the service read access.",
          );
    return { key: null, finding };
  }
  const key = parseMasterKey(text);
  if (!key) {
    const advice = "Restore it from a backup, or set MASTER_KEY to the key that the service used.";
    return {
      key: null,
      finding: bad(name, `${file} is not a key of ${MASTER_KEY_BYTES} bytes`, advice),
    };
  }
  const { mode } = await stat(file);
  return {
    key,
    finding:
      (mode & 0o077) === 0
        ? ok(name, file)
        : bad(
            name,
            `${file} can be read by other accounts`,
            `chmod 600 ${file}, and consider the key disclosed.`,
          ),
  };
};
