import { access, chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { runledger } from "./kit.ts";

/** The demo as a user runs it. Each case starts the embedded service in a data folder of this suite. */
describe("runledger demo", () => {
  let site: DemoSite;
  let folder: string;
  const environment = () => ({ DATA_DIR: join(folder, "data"), PORT: "0" });

  beforeAll(async () => {
    site = await serveDemoSite();
    folder = await mkdtemp(join(tmpdir(), "runledger-demo-"));
    // As root the database runs as another account, which needs access to keep its cluster in this folder.
    await chmod(folder, 0o711);
  });
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("runs from start to verdict, evidence, script and quota", async () => {
    const ended = await runledger(["demo", "--json"], environment());
    expect(ended.stderr).toBe("");
    expect(ended.code).toBe(0);
    const of = (type: string) => ended.records.filter((record) => record.type === type);
    expect(of("service_started")).toHaveLength(1);
    expect(of("parsed")[0]).toMatchObject({ warnings: [] });
    const events = of("event");
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(0)?.name).toBe("run_queued");
    expect(events.at(-1)?.name).toBe("run_finished");
    const [finished] = of("finished");
    expect(finished).toMatchObject({ status: "passed", triggered_by: "api:demo", error: null });
    expect(finished.usage).toMatchObject({ used: 1, remaining: 49 });
    expect(finished.screenshots).toHaveLength(of("parsed")[0].steps.length);
    for (const path of finished.screenshots) await access(path);
    expect(await readFile(finished.script, "utf8")).toContain("playwright");
  });

  it("tests another site and exits with 1 for a failing test", async () => {
    const file = join(folder, "mine.txt");
    await writeFile(file, 'Go to /todo\nI should see "a unicorn"\nTake a screenshot');
    const args = ["demo", "--url", site.url, "--test", file];
    const ended = await runledger(args, environment());
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/✓ 1 {2}Go to \/todo .* m?s/);
    expect(ended.stdout).toMatch(/✗ 2 {2}I should see "a unicorn"/);
    expect(ended.stdout).toMatch(/– 3/);
    expect(ended.stdout).toContain("failed");
    expect(ended.stdout).toMatch(/49 of 50 runs left/);
  });

  it("queues nothing and exits with 2 for sentences that are not understood", async () => {
    const file = join(folder, "odd.txt");
    await writeFile(file, "Go to /todo\nFrobnicate the gizmo");
    const ended = await runledger(["demo", "--test", file, "--json"], environment());
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("1 line was not understood");
    expect(ended.records.some(({ type }) => type === "queued")).toBe(false);
  });

  it("keeps the service running with --keep", async () => {
    let answered: Promise<Response> | null = null;
    const ended = await runledger(["demo", "--keep", "--json"], environment(), (stdout, kill) => {
      const kept = /^\{"type":"kept","url":"([^"]+)"/m.exec(stdout);
      if (!kept || answered) return;
      answered = fetch(`${kept[1]}/api/v1/health/live`);
      void answered.finally(() => kill("SIGINT"));
    });
    const response = await (answered as Promise<Response> | null);
    expect(response?.status).toBe(200);
    expect(ended.code).toBe(0);
  });
});
