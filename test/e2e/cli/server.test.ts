import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runledger } from "./kit.ts";

/** `runledger server`, what `npm start` runs. */
describe("runledger server", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "runledger-server-"));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it("given Ctrl-C, then it stops cleanly, and the code is 0", async () => {
    const environment = { DATA_DIR: folder, PORT: "0", LOG_LEVEL: "info" };
    const ended = await runledger(["server"], environment, (stdout, kill) => {
      if (stdout.includes("runledger is ready")) kill("SIGINT");
    });
    expect(ended.records.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(["stopping", "stopped"]),
    );
    expect(ended.records.filter(({ level }) => level === "error")).toEqual([]);
    expect(ended.code).toBe(0);
  });

  it("given wrong settings, then all of them are named, and the code is 2", async () => {
    const ended = await runledger(["server"], { PORT: "many", RATE_LIMIT: "perhaps" });
    expect(ended.stderr).toContain("PORT should be");
    expect(ended.stderr).toContain("RATE_LIMIT should be on or off");
    expect(ended.code).toBe(2);
  });
});
