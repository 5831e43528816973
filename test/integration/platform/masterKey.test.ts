import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadMasterKey, parseMasterKey } from "../../../src/platform/masterKey.ts";

let dataDir: string;

beforeEach(async () => {
  dataDir = path.join(await mkdtemp(path.join(tmpdir(), "runledger-key-")), "data");
});

afterEach(async () => {
  await rm(path.dirname(dataDir), { recursive: true, force: true });
});

describe("the master key", () => {
  it("given no key, when ten starts need one at once, then one is made, kept for its owner alone, and all have it", async () => {
    const keys = await Promise.all(
      Array.from({ length: 10 }, () => loadMasterKey({ masterKey: null, dataDir })),
    );
    expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(1);
    const file = path.join(dataDir, "master.key");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(parseMasterKey(await readFile(file, "utf8"))).toEqual(keys[0]);
  });

  it("given a key that others may read, when it is loaded, then they no longer may", async () => {
    const made = await loadMasterKey({ masterKey: null, dataDir });
    await chmod(path.join(dataDir, "master.key"), 0o644);
    expect(await loadMasterKey({ masterKey: null, dataDir })).toEqual(made);
    expect((await stat(path.join(dataDir, "master.key"))).mode & 0o777).toBe(0o600);
  });

  it("given a damaged key, when it is loaded, then it is never replaced by a new one", async () => {
    await loadMasterKey({ masterKey: null, dataDir });
    await writeFile(path.join(dataDir, "master.key"), "half");
    await expect(loadMasterKey({ masterKey: null, dataDir })).rejects.toThrow("not a master key");
    expect(await readFile(path.join(dataDir, "master.key"), "utf8")).toBe("half");
  });

  it("given a key in the settings, when it is loaded, then no file is made", async () => {
    const key = Buffer.alloc(32, 7);
    expect(await loadMasterKey({ masterKey: key, dataDir })).toBe(key);
    await expect(stat(dataDir)).rejects.toThrow();
  });
});
