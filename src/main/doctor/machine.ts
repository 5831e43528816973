import { randomBytes } from "node:crypto";
import { readFile, rm, stat, statfs, writeFile } from "node:fs/promises";
import { arch, availableParallelism, platform, release, totalmem } from "node:os";
import path from "node:path";
import { ownerOfDataFolder } from "../../embeddedPostgres/dataFolderLock.ts";
import type { Config } from "../../platform/config.ts";
import { MASTER_KEY_BYTES } from "../../platform/crypto.ts";
import { parseMasterKey } from "../../platform/masterKey.ts";
import { bad, type Finding, messageOf, note, ok } from "./finding.ts";

/** The oldest Node.js that the package runs on, as package.json says. */
const OLDEST_NODE = [20, 19] as const;
const GIB = 1024 ** 3;
/** Less free space than this, in GiB: PostgreSQL stops when there is none. */
const TOO_LITTLE_GIB = 0.5;
const LITTLE_GIB = 5;
/** A process has a file for each connection and subscriber. */
const FEW_FILES = 4_096;

/** Node.js, memory, and how many files a process may have open. */
export const checkMachine = async (): Promise<readonly Finding[]> => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const found = `Node.js ${process.versions.node} on ${platform()} ${release()} ${arch()}, ${availableParallelism()} cores, ${inGib(totalmem())}`;
  const files = await openFiles();
  return [
    isNew
      ? ok("machine", found)
      : bad("machine", found, `Install Node.js ${OLDEST_NODE.join(".")} or newer.`),
    ...(files !== null && files < FEW_FILES
      ? [
          note(
            "open files",
            `a process may have ${files}`,
            `Each connection is one: with many subscribers raise it (ulimit -n, LimitNOFILE) to ${FEW_FILES} or more.`,
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

/** The data folder: whether it can be written, its rights, the room that is left, and who uses it. */
export const checkDataFolder = async ({ dataDir }: Config): Promise<readonly Finding[]> => {
  const name = "data folder";
  const there = await stat(dataDir).catch(() => null);
  const folder = there ? dataDir : await nearestPath(path.dirname(dataDir));
  if (!(await stat(folder)).isDirectory()) {
    return [bad(name, `${folder} is no folder`, "Set DATA_DIR to a folder.")];
  }
  const trouble = await writeInto(folder);
  if (trouble !== null) {
    return [
      bad(
        name,
        `${folder} cannot be written: ${trouble}`,
        "Give it to the account of the service (chown), or set DATA_DIR to another folder.",
      ),
    ];
  }
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const left = `${inGib(free)} free`;
  const owner = there ? await ownerOfDataFolder(dataDir) : null;
  const used = owner === null ? "" : `, used by process ${owner}`;
  const found = there
    ? `${dataDir}, ${left}${used}`
    : `${dataDir}, made at the first start, ${left}`;
  if (free < TOO_LITTLE_GIB * GIB) {
    return [bad(name, found, "Make room, or move the folder while nothing runs.")];
  }
  if (there && (there.mode & 0o022) !== 0) {
    return [note(name, `${found}; others may write into it`, `chmod go-w ${dataDir}`)];
  }
  return [
    free < LITTLE_GIB * GIB
      ? note(name, found, "Events are kept for ever, and pictures for as long as the plans say.")
      : ok(name, found),
  ];
};

/** What is there of a path: it itself, or the nearest above it. */
const nearestPath = async (where: string): Promise<string> => {
  const there = await stat(where).catch(() => null);
  return there || path.dirname(where) === where ? where : nearestPath(path.dirname(where));
};

/** Writes a file and takes it away again; answers why that did not work. */
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
 * The master key of the settings or of the data folder, and what there is to say of it; `key` is null where there is
 * none that can be read. Nothing is made.
 */
export const checkMasterKey = async (
  config: Config,
  allRoles: number,
): Promise<{ readonly key: Buffer | null; readonly finding: Finding }> => {
  const name = "master key";
  if (config.masterKey) {
    return { key: config.masterKey, finding: ok(name, "of MASTER_KEY") };
  }
  const file = path.join(config.dataDir, "master.key");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => error);
  if (typeof text !== "string") {
    const finding =
      text.code === "ENOENT"
        ? config.roles.length < allRoles || config.databaseUrl !== null
          ? note(
              name,
              "none: one is made in the data folder at the first start",
              "With several processes, or a database that outlives this folder, set MASTER_KEY to the same in each: openssl rand -hex 32.",
            )
          : ok(name, "made in the data folder at the first start")
        : bad(
            name,
            `${file} cannot be read (${text.code})`,
            "Give it to the account of the service.",
          );
    return { key: null, finding };
  }
  const key = parseMasterKey(text);
  if (!key) {
    const advice = "Restore it from a backup, or set MASTER_KEY to the key that was used.";
    return {
      key: null,
      finding: bad(name, `${file} is no key of ${MASTER_KEY_BYTES} bytes`, advice),
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
            `${file} can be read by others`,
            `chmod 600 ${file}, and think of who has read it.`,
          ),
  };
};
