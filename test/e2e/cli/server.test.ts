import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runledger } from "./kit.ts";

/** `runledger server`, the command of `npm start`. */
describe("runledger server", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "runledger-server-"));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it("stops cleanly with exit code 0 on SIGINT", async () => {
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

  it("lists all invalid settings and exits with 2", async () => {
    const ended = await runledger(["server"], { PORT: "many", RATE_LIMIT: "perhaps" });
    expect(ended.stderr).toContain("PORT should be");
    expect(ended.stderr).toContain("RATE_LIMIT should be on or off");
    expect(ended.code).toBe(2);
  });

  it("exits with 3 and names DATA_DIR or the key for an unusable data folder", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    const under = join(file, "data");
    const odd = join(folder, "odd");
    await mkdir(odd);
    await writeFile(join(odd, "master.key"), "half");
    for (const [environment, said] of [
      [{ DATA_DIR: file }, `DATA_DIR ${file} cannot be used: it is a file. Set it to`],
      [
        { DATA_DIR: under },
        `DATA_DIR ${under} cannot be used: a parent folder is a file. Set it to`,
      ],
      [{ DATA_DIR: odd }, `${join(odd, "master.key")} is not a master key`],
    ] as const) {
      const ended = await runledger(["server"], { ...environment, PORT: "0" });
      expect(ended.stderr).toContain(said);
      expect(ended.stderr).not.toContain("    at ");
      expect(ended.code).toBe(3);
    }
  });

  it("reports a bus and a log that accept connections without answering", async () => {
    const silent = createServer((socket) => socket.on("error", () => undefined));
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const ended = await runledger(["server", "doctor", "--json"], {
      DATA_DIR: folder,
      NATS_URL: `nats://me:open-sesame@127.0.0.1:${port}`,
      EVENTSTORE_URL: `esdb://me:open-sesame@127.0.0.1:${port}?tls=true`,
    });
    silent.close();
    const found = (about: string) => ended.records.find(({ name }) => name === about);
    expect(found("bus")).toMatchObject({
      outcome: "bad",
      found: expect.stringMatching(/NATS_URL.*does not answer/),
    });
    expect(found("event log")).toMatchObject({
      outcome: "bad",
      found: expect.stringMatching(/EVENTSTORE_URL.*does not answer/),
    });
    expect(ended.stdout + ended.stderr).not.toContain("open-sesame");
    expect(ended.code).toBe(1);
  });
});
