import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadMasterKey, parseMasterKey } from "../../../src/platform/masterKey.ts";
import { SettingError } from "../../../src/platform/settingError.ts";

let dataDir: string;

beforeEach(async () => {
  dataDir = path.join(await mkdtemp(path.join(tmpdir(), "runledger-key-")), "data");
});

afterEach(async () => {
  await rm(path.dirname(dataDir), { recursive: true, force: true });
});

describe("master key", () => {
  it("is created once by ten concurrent starts, readable by its owner only", async () => {
    const keys = await Promise.all(
      Array.from({ length: 10 }, () => loadMasterKey({ masterKey: null, dataDir })),
    );
    expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(1);
    const file = path.join(dataDir, "master.key");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(parseMasterKey(await readFile(file, "utf8"))).toEqual(keys[0]);
  });

  it("is made unreadable to others when it is loaded", async () => {
    const made = await loadMasterKey({ masterKey: null, dataDir });
    await chmod(path.join(dataDir, "master.key"), 0o644);
    expect(await loadMasterKey({ masterKey: null, dataDir })).toEqual(made);
    expect((await stat(path.join(dataDir, "master.key"))).mode & 0o777).toBe(0o600);
  });

  it("fails the start with a remedy if another account's key is readable by all", async () => {
    const made = await loadMasterKey({ masterKey: null, dataDir });
    const file = path.join(dataDir, "master.key");
    await chmod(path.dirname(dataDir), 0o711);
    await chmod(file, 0o644);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    const loaded = await loadMasterKey({ masterKey: null, dataDir })
      .catch((error: unknown) => error)
      .finally(() => isRoot && process.seteuid?.(0));
    // Only root can create a file of another account.
    if (!isRoot) return expect(loaded).toEqual(made);
    expect(loaded).toBeInstanceOf(SettingError);
    expect((loaded as Error).message).toBe(
      `${file} can be read by others (mode 644), and that cannot be changed (EPERM): give it to the account of the service, with mode 600, or set MASTER_KEY.`,
    );
  });

  it("keeps read-only permissions of its owner", async () => {
    await loadMasterKey({ masterKey: null, dataDir });
    const file = path.join(dataDir, "master.key");
    await chmod(file, 0o400);
    await loadMasterKey({ masterKey: null, dataDir });
    expect((await stat(file)).mode & 0o777).toBe(0o400);
  });

  it("is never replaced if it is damaged", async () => {
    await loadMasterKey({ masterKey: null, dataDir });
    await writeFile(path.join(dataDir, "master.key"), "half");
    await expect(loadMasterKey({ masterKey: null, dataDir })).rejects.toThrow("not a master key");
    expect(await readFile(path.join(dataDir, "master.key"), "utf8")).toBe("half");
  });

  it("creates no file if it is set", async () => {
    const key = Buffer.alloc(32, 7);
    expect(await loadMasterKey({ masterKey: key, dataDir })).toBe(key);
    await expect(stat(dataDir)).rejects.toThrow();
  });
});
