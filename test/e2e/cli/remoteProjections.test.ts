import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, signUp } from "../../support/client.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/serviceProcess.ts";
import { runledger, runledgerHere } from "./kit.ts";

/** `runledger projections` with an external database and event log. */
describe("runledger projections with DATABASE_URL and EVENTSTORE_URL", { timeout: 240_000 }, () => {
  let folder: string;
  let started: TestLog;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let service: ServiceProcess;
  const parts = () => ({
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    EVENTSTORE_URL: started.logUrl,
  });
  const projections = (args: readonly string[], environment = parts()) =>
    runledgerHere(["projections", ...args], environment);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "runledger-elsewhere-"));
    started = await startTestLog();
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await service?.end("SIGKILL");
    await started?.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it("reports a database without a service in one line", async () => {
    const ended = await projections([]);
    expect(ended.code).toBe(3);
    expect(ended.stderr.trim().split("\n")).toHaveLength(1);
    expect(ended.stderr).not.toContain("    at ");
  });

  it("takes over requested work after the service was killed", async () => {
    service = await startServiceProcess(folder, parts());
    await eventually(
      () => signUp(service.url).catch(() => null),
      (account) => account !== null,
      60_000,
    );
    // Read models may still lag behind the sign-up.
    const shown = await eventually(
      () => projections(["--json"]),
      ({ code, records }) =>
        code !== 0 || records.find(({ name }) => name === "organizations")?.lag === 0,
      60_000,
    );
    expect(shown.stderr).toBe("");
    expect(shown.records.find(({ name }) => name === "organizations")).toMatchObject({ lag: 0 });
    const verified = await projections(["verify", "organizations", "--json"]);
    expect(verified.records).toMatchObject([{ outcome: "equal" }]);
    // The lease of the killed service has not expired.
    await service.end("SIGKILL");
    const rebuilt = await runledger(["projections", "rebuild", "organizations", "--json"], parts());
    expect(rebuilt.stderr).toBe("");
    expect(rebuilt.records).toEqual([{ projection: "organizations", build: 2, shown: true }]);
    const again = await projections(["verify", "--json"]);
    expect(again.records.every(({ outcome }) => outcome === "equal")).toBe(true);
    expect(again.code).toBe(0);
  });

  it.each([
    ["status", ["status"]],
    ["rebuild", ["rebuild", "organizations"]],
    ["verify", ["verify"]],
  ])("reports an unavailable event log and %s in one line with exit code 3", async (_, args) => {
    const ended = await projections(args, {
      ...parts(),
      EVENTSTORE_URL: "esdb://127.0.0.1:1?tls=false",
    });
    expect(ended.stderr.trim().split("\n")).toHaveLength(1);
    expect(ended.stderr).toContain("event log");
    expect(ended.code).toBe(3);
  });

  it("reports an unavailable or refusing database without the password", async () => {
    const wrong = new URL(database.url);
    wrong.password = "hunter2-secret";
    wrong.pathname = "/no_such_database";
    const closed = new URL(wrong);
    closed.port = "1";
    for (const url of [wrong, closed]) {
      const ended = await projections(["parked"], { ...parts(), DATABASE_URL: url.href });
      expect(ended.stderr.trim().split("\n")).toHaveLength(1);
      expect(ended.stderr + ended.stdout).not.toContain("hunter2");
      expect(ended.code).toBe(3);
    }
  });

  it("exits with 2 and shows the usage for invalid arguments", async () => {
    for (const args of [
      ["nonsense"],
      ["rebuild"],
      ["retry"],
      ["skip", "x", "--reason"],
      ["--what"],
    ]) {
      const ended = await projections(args);
      expect(ended.stderr).toContain("error:");
      expect(ended.stderr).not.toContain("    at ");
      expect(ended.code).toBe(2);
    }
    const retried = await projections(["retry", "'; drop table parked_events; --"]);
    expect(retried).toMatchObject({ code: 2 });
  });
});
