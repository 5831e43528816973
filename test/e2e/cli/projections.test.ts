import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, signUp } from "../../support/client.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/serviceProcess.ts";
import { runledger, runledgerHere } from "./kit.ts";

/** `runledger projections` on a data folder, with and without a running service. */
describe("runledger projections", () => {
  let folder: string;
  let service: ServiceProcess;
  const projections = (...args: string[]) =>
    runledgerHere(["projections", ...args], { DATA_DIR: folder });
  /** Once for each command. */
  const asProcess = (...args: string[]) =>
    runledger(["projections", ...args], { DATA_DIR: folder });

  /** Retries, because the service may be slow on a busy machine. */
  const someoneSignsUp = () =>
    eventually(
      () => signUp(service.url).catch(() => null),
      (account) => account !== null,
      60_000,
    );
  // biome-ignore lint/suspicious/noExplicitAny: tests read output of any shape.
  const rowsOf = (records: readonly any[], projection: string): number =>
    records.find((record) => record.projection === projection)?.tables[0]?.rows;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "runledger-projections-"));
    service = await startServiceProcess(folder);
    await someoneSignsUp();
  });
  afterAll(async () => {
    await service.end("SIGTERM");
    await rm(folder, { recursive: true, force: true });
  });

  it("shows each read model with position and lag", async () => {
    const shownOf = ({ records }: Awaited<ReturnType<typeof projections>>) =>
      records.find(({ name }) => name === "organizations");
    // Read models may still lag behind the sign-up.
    const ended = await eventually(
      () => projections("--json"),
      (one) => one.code !== 0 || shownOf(one)?.lag === 0,
      60_000,
    );
    expect(ended.stderr).toBe("");
    expect(ended.code).toBe(0);
    const organizations = shownOf(ended);
    expect(organizations).toMatchObject({ state: "shown", build: 1, lag: 0, parked: 0 });
    expect(Number(organizations?.position)).toBeGreaterThan(0);
  });

  it("finds the streams of an address and records the search", async () => {
    const account = await someoneSignsUp();
    const find = (text: string) => runledgerHere(["find", text, "--json"], { DATA_DIR: folder });
    const found = await eventually(
      () => find(account?.email ?? ""),
      ({ records }) => records.length > 2,
      60_000,
    );
    expect(found.code).toBe(0);
    expect(found.records).toContainEqual(
      expect.objectContaining({ stream: `user-${account?.userId}`, kind: "user" }),
    );
    const process = await runledger(["find", "nobody@example.test"], { DATA_DIR: folder });
    expect(process.code).toBe(1);
    const looks = await eventually(
      () => find("inspection-operator"),
      ({ records }) => records.length > 0,
      60_000,
    );
    expect(looks.records[0]).toMatchObject({ stream: "inspection-operator", kind: "inspection" });
    expect((await find(" ")).code).toBe(2);
  });

  it("rebuilds a read model that then matches the log", async () => {
    const rebuilt = await asProcess("rebuild", "organizations");
    expect(rebuilt.stdout).toContain("organizations was rebuilt and is in use.");
    expect(rebuilt.code).toBe(0);
    const verified = await projections("verify", "--json");
    expect(verified.records.map(({ outcome }) => outcome)).toEqual(
      verified.records.map(() => "equal"),
    );
    expect(verified.records.length).toBeGreaterThan(5);
    // The event log itself, compared with its signed tree.
    expect(verified.records.at(-1)).toMatchObject({ event_log: expect.any(Number), finding: null });
    expect(verified.code).toBe(0);
    const before = rowsOf(verified.records, "organizations");
    expect(before).toBeGreaterThan(0);
    // The service now folds the new build.
    await someoneSignsUp();
    const again = await projections("verify", "organizations", "--json");
    expect(rowsOf(again.records, "organizations")).toBeGreaterThan(before);
    const said = await asProcess("verify", "organizations");
    expect(said.stdout).toMatch(
      /^organizations: equal after \d+ events, at position \d+: \d+ organizations/,
    );
  });

  it("reports no parked events and names unknown projections and events", async () => {
    const parked = await asProcess("parked");
    expect(parked).toMatchObject({ code: 0, stdout: "No parked events.\n" });
    const unknown = await projections("rebuild", "nonsense");
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain(
      "Unknown projection nonsense. Known projections: organizations,",
    );
    const retried = await projections("retry", "01a1ffa9-f21e-7316-8eeb-78306520320d");
    expect(retried.code).toBe(2);
    expect(retried.stderr).toContain("No parked event has the id");
    const skipped = await asProcess("skip", "01a1ffa9-f21e-7316-8eeb-78306520320d");
    expect(skipped.code).toBe(2);
    expect(skipped.stderr).toContain("--reason");
  });

  it("works on the data folder without a running service", async () => {
    await service.end("SIGTERM");
    const rebuilt = await asProcess("rebuild", "runs", "--json");
    expect(rebuilt.stderr).toBe("");
    expect(rebuilt.records).toEqual([{ projection: "runs", build: 2, shown: true }]);
    expect(rebuilt.code).toBe(0);
    const nothing = await runledger(["projections"], { DATA_DIR: join(folder, "elsewhere") });
    expect(nothing.code).toBe(3);
    expect(nothing.stderr).toContain("There is no database in DATA_DIR");
  });
});
