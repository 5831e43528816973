import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockDataFolder } from "../../../src/embeddedPostgres/dataFolderLock.ts";

describe("the lock of a data folder", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-lock-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** The folder is another process's, by its number and its start. */
  const leaveTo = async (pid: number): Promise<void> => {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    await writeFile(path.join(folder, "lock.json"), JSON.stringify({ pid, started }));
  };

  it("is taken, released and taken again", async () => {
    const giveBack = await lockDataFolder(folder);
    await expect(lockDataFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`);
    await giveBack();
    await (await lockDataFolder(folder))();
  });

  it("is refused during the owner's life and taken after its death, even as an unreaped process", async () => {
    const parent = spawn("sh", ["-c", "sleep 30 & echo $!; exec sleep 30"]);
    const [said] = await once(parent.stdout, "data");
    const owner = Number(String(said));
    await leaveTo(owner);
    await expect(lockDataFolder(folder)).rejects.toThrow(`in use by process ${owner}`);
    process.kill(owner, "SIGKILL");
    const state = async () =>
      (await readFile(`/proc/${owner}/stat`, "utf8")).split(") ")[1]?.charAt(0);
    await expect.poll(state).toBe("Z");
    await (await lockDataFolder(folder))();
    parent.kill("SIGKILL");
  });
});
