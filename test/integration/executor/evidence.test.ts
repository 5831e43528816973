import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { BrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { openPool, type Ran, run, step } from "./kit.ts";

const PAGE = `<h1>Noisy</h1><script>
  console.log("hello", 1);
  console.error("went wrong");
  fetch("/missing");
  fetch("http://127.0.0.1:1/refused").catch(() => {});
  setTimeout(() => { throw new Error("nobody caught this"); });
</script>`;

describe("evidence", () => {
  let pool: BrowserPool;
  let url: string;
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/missing" ? 404 : 200;
    response.setHeader("content-type", "text/html");
    response.end(request.url === "/noisy" ? PAGE : "<h1>Quiet</h1>");
  });
  beforeAll(async () => {
    pool = openPool();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await pool.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const visit = (path: string, more: Parameters<typeof run>[2] = {}) =>
    run(
      pool,
      // What a page says and asks for by itself comes a while after it.
      [step("navigate", "", path), step("wait", "", path === "/noisy" ? "1500 ms" : "300 ms")],
      { baseUrl: url, ...more },
    );
  const kept = (ran: Ran, name: string) => ran.of("evidenceTaken").find((one) => one.name === name);
  const all = { trace: true, har: true, video: true };

  test("contains console messages, errors and failed requests", async () => {
    const ran = await visit("/noisy");
    const log = JSON.parse(kept(ran, "console.json")?.bytes?.toString() ?? "null");
    expect(log.messages).toContainEqual(
      expect.objectContaining({ type: "log", text: "hello 1", url: `${url}/noisy` }),
    );
    expect(log.messages).toContainEqual(
      expect.objectContaining({ type: "error", text: "went wrong" }),
    );
    expect(log.errors).toEqual([
      expect.objectContaining({ text: expect.stringContaining("nobody caught this") }),
    ]);
    expect(log.failed_requests).toContainEqual(
      expect.objectContaining({ method: "GET", url: `${url}/missing`, status: 404, error: null }),
    );
    expect(log.failed_requests).toContainEqual(
      expect.objectContaining({ status: null, error: expect.stringContaining("ERR_") }),
    );
    expect(log.left_out).toBe(0);
    expect(ran.of("evidenceTaken").map(({ name }) => name)).toEqual(["console.json"]);
  });

  test("contains no trace, HAR or video by default", async () => {
    await visit("/favicon.ico");
    const ran = await visit("/quiet");
    const names = ran.of("evidenceTaken").map(({ name }) => name);
    expect(names.filter((name) => name !== "console.json")).toEqual([]);
  });

  test("of a stopped test is removed from the disk", async () => {
    const own = await mkdtemp(join(tmpdir(), "runledger-stopped-"));
    vi.stubEnv("TMPDIR", own);
    const stop = new AbortController();
    let during: readonly string[] = [];
    const seeAndStop = async () => {
      during = await readdir(own);
      stop.abort();
    };
    await visit("/quiet", {
      evidence: all,
      signal: stop.signal,
      onReport: ({ type }) => void (type === "stepPassed" && seeAndStop()),
    });
    vi.unstubAllEnvs();
    const left = await readdir(own);
    await rm(own, { recursive: true, force: true });
    const ofEvidence = (name: string) => /^(runledger-evidence|playwright-tracing)-/.test(name);
    expect(during.filter((name) => name.startsWith("runledger-evidence-"))).toHaveLength(1);
    expect(left.filter(ofEvidence)).toEqual([]);
  });

  test("contains a readable trace and HAR, and a video or its reason, before the browser finishes", async () => {
    const ran = await visit("/noisy", { evidence: all });
    expect(kept(ran, "trace.zip")?.bytes?.subarray(0, 2).toString()).toBe("PK");
    const har = JSON.parse(kept(ran, "network.har")?.bytes?.toString() ?? "null");
    const asked = har.log.entries.map((one: { request: { url: string } }) => one.request.url);
    expect(asked).toContain(`${url}/noisy`);
    const video = kept(ran, "video.webm");
    // Playwright's ffmpeg makes the video: not every machine has it.
    if (video?.bytes) expect(video.bytes.readUInt32BE(0)).toBe(0x1a45dfa3);
    else expect(video?.absent).toMatch(/ffmpeg/i);
    expect(ran.reports.at(-1)?.type).toBe("browserFinished");
  });

  test("is withheld with a reason once a secret is on the page, unless the organisation keeps it", async () => {
    const secrets = async () => new Map([["password", "hunter2-and-more"]]);
    const steps = [step("navigate", "", "/noisy?p=${secret.password}")];
    const more = { baseUrl: url, evidence: { ...all, video: false }, secrets };
    const silent = await run(pool, steps, more);
    expect(silent.of("evidenceTaken").map(({ bytes }) => bytes)).not.toContainEqual(
      expect.any(Buffer),
    );
    expect(kept(silent, "trace.zip")?.absent).toContain("keep_evidence_with_secrets");
    const open = await run(pool, steps, { ...more, showsSecrets: true });
    expect(kept(open, "trace.zip")?.bytes?.length).toBeGreaterThan(0);
  });

  test("is absent with a reason if the browser dies", async () => {
    const ran = await visit("/quiet", {
      evidence: { ...all, video: false },
      onReport: (report) => {
        if (report.type !== "stepStarted" || report.number !== 2) return;
        for (const processId of pool.processIds()) process.kill(processId, "SIGKILL");
      },
    });
    expect(ran.status).toBe("errored");
    expect(kept(ran, "trace.zip")).toMatchObject({ bytes: null, absent: expect.any(String) });
  });
});
