import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { unzipSync } from "fflate";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Agent, agentsOf } from "../../e2e/agents/kit.ts";
import { type Pages, servePages } from "../../integration/executor/pages.ts";
import { call, eventually, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { startWire, type Wire } from "../../support/wire.ts";

/** What a page loads: it is in the trace, and no smaller there than 12 pieces of a file. */
const NOISE = randomBytes(8 * 1024 * 1024).toString("base64");
const PAGE = `<title>Noise</title><h1>Noise</h1><p id="read"></p><script>
  fetch("/noise").then((answer) => answer.text()).then((text) => {
    document.getElementById("read").textContent = "read " + text.length;
  })</script>`;
const STEPS = [
  { action: "navigate", value: "/" },
  { action: "assert_text", target: "#read", value: `read ${NOISE.length}` },
];

/** `runledger agent` in the midst of sending a trace, piece by piece, over a slow line. */
describe("an agent that loses its connection during a large file", () => {
  let service: TestService;
  let site: Pages;
  let wire: Wire;
  let blobs: string;
  let key: string;
  let agents: ReturnType<typeof agentsOf>;
  beforeAll(async () => {
    blobs = await mkdtemp(path.join(tmpdir(), "runledger-blobs-"));
    [service, site] = await Promise.all([
      startTestService({ BLOB_STORE: `file://${blobs}` }, ["api", "projections", "dispatcher"]),
      servePages({ "/": PAGE, "/noise": NOISE }),
    ]);
    wire = await startWire(Number(new URL(service.url).port));
    key = (await makeKey(service.url, await signUp(service.url))).key;
    agents = agentsOf(service.url, key);
  });
  afterEach(() => agents.killAll());
  afterAll(async () => {
    await Promise.all([service.stop(), site.close(), wire.stop()]);
    await rm(blobs, { recursive: true, force: true });
  });

  const overTheWire = (): Promise<Agent> => agents.start(`http://127.0.0.1:${wire.port}`);

  type Run = { readonly runId: string; readonly executionId: string };

  const queueRun = async (): Promise<Run> => {
    const post = (to: string, body: object) =>
      call(service.url, "POST", `/api/v1/cli${to}`, { bearer: key, body });
    const { body: test } = await post("/tests", { name: "reads noise", steps: STEPS });
    const queued = await post("/cloud-runs", {
      ...{ test_ids: [test.id], target: "agent", base_url: site.url, evidence: ["trace"] },
    });
    expect(queued.status).toBe(202);
    return { runId: queued.body.run_ids[0], executionId: queued.body.executions[0].id };
  };

  /** The pieces of files that are not whole yet. */
  const piecesOf = async ({ executionId }: Run): Promise<readonly string[]> =>
    (await readdir(blobs, { recursive: true })).filter(
      (file) => file.includes(executionId) && file.includes("/parts/") && /\/\d+$/.test(file),
    );
  const inTheMidst = (run: Run) =>
    eventually(
      () => piecesOf(run),
      (pieces) => pieces.length >= 2,
      60_000,
    );

  const artifactsOf = async ({ executionId }: Run) =>
    (await agents.get(`/executions/${executionId}/artifacts`)).items as {
      readonly name: string;
      readonly bytes: number;
      readonly url: string;
      readonly absent: string | null;
    }[];

  /** Nobody is served half of a file: the trace is whole, and the only one, and no piece is left. */
  const expectWhole = async (run: Run): Promise<void> => {
    const [trace, ...others] = await eventually(
      async () => (await artifactsOf(run)).filter(({ name }) => name === "trace.zip"),
      (found) => found.length > 0,
    );
    expect([trace?.absent, others]).toEqual([null, []]);
    const { status, body } = await call(service.url, "GET", trace?.url ?? "", { bearer: key });
    expect([status, body.length]).toEqual([200, trace?.bytes]);
    const sizes = Object.values(unzipSync(new Uint8Array(body))).map(({ length }) => length);
    expect(sizes).toContain(NOISE.length);
    await eventually(
      () => piecesOf(run),
      (pieces) => pieces.length === 0,
    );
  };

  const expectEachStepOnce = async ({ runId }: Run, delivery: number): Promise<void> => {
    const events = await agents.eventsOf(runId);
    for (const { number } of STEPS.map((_, index) => ({ number: index + 1 }))) {
      for (const name of ["step_started", "step_passed", "screenshot_taken"]) {
        const one = `${name}/${delivery}/${number}`;
        expect([one, events.get(one)]).toEqual([one, 1]);
      }
    }
    const ends = [...events].filter(([name]) => name.startsWith("execution_finished"));
    expect(ends.map(([, count]) => count)).toEqual([1]);
  };

  it("continues the file on the next connection and repeats no step", {
    timeout: 120_000,
  }, async () => {
    await wire.set("late");
    const agent = await overTheWire();
    const run = await queueRun();
    await inTheMidst(run);
    expect((await artifactsOf(run)).map(({ name }) => name)).not.toContain("trace.zip");
    await wire.set("refused");
    await agent.until("disconnected");
    await wire.set("late");
    await agent.until("connected", 2);
    expect(await agents.ended(run.runId)).toMatchObject({ status: "passed" });
    await expectEachStepOnce(run, 1);
    await expectWhole(run);
    agent.child.kill("SIGTERM");
    expect((await once(agent.child, "exit"))[0]).toBe(0);
  });

  it("is replaced if killed or frozen, and reports nothing after it wakes up", {
    timeout: 180_000,
  }, async () => {
    await wire.set("late");
    const [killed, still] = [await overTheWire(), await overTheWire()];
    const runs = [await queueRun(), await queueRun()];
    await Promise.all(runs.map(inTheMidst));
    killed.child.kill("SIGKILL");
    still.child.kill("SIGSTOP");
    const heir = await agents.start(service.url, 2);
    for (const run of runs) {
      expect(await agents.ended(run.runId)).toMatchObject({ status: "passed" });
      await expectEachStepOnce(run, 2);
      await expectWhole(run);
    }
    still.child.kill("SIGCONT");
    expect(await still.until("ended")).toMatchObject([{ status: "stopped" }]);
    for (const run of runs) {
      await expectEachStepOnce(run, 2);
      await expectWhole(run);
    }
    for (const { child } of [still, heir]) {
      child.kill("SIGTERM");
      expect((await once(child, "exit"))[0]).toBe(0);
    }
  });
});
