import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stablePort } from "../../../src/embeddedPostgres/stablePort.ts";
import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import { seedOf } from "../../support/seed.ts";
import { size } from "../../support/thorough.ts";
import { collect, runScript, type Script } from "./support.ts";

const seed = seedOf("KILL_SEED");
const rounds = size("KILL_ROUNDS", 2, 4);

const VICTIMS = ["node", "postmaster"] as const;

/** The killed process of each round and the number of acknowledged appends before the kill: each process once, then at random. */
const plan = fc
  .sample(
    fc.record({
      victim: fc.constantFrom("node" as const, "postmaster" as const),
      after: fc.integer({ min: 1, max: 400 }),
    }),
    { seed, numRuns: rounds },
  )
  .map((round, i) => ({ ...round, victim: VICTIMS[i] ?? round.victim }));

/** The words of the output of a process. */
const listen = (script: Script): ((word: string) => string[][]) => {
  const lines = new Map<string, string[][]>();
  let rest = "";
  script.child.stdout?.on("data", (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const [word = "", ...others] = part.split(" ");
      const of = lines.get(word) ?? [];
      of.push(others);
      lines.set(word, of);
    }
  });
  return (word) => lines.get(word) ?? [];
};

test(`loses and repeats nothing if node or Postgres is killed under load from several processes (KILL_SEED=${seed})`, async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "runledger-kills-"));
  const port = await stablePort();
  const url = `esdb://127.0.0.1:${port}?tls=false`;
  const scripts: Script[] = [];
  const run = (name: string, args: readonly string[]): Script => {
    const script = runScript(name, args);
    scripts.push(script);
    return script;
  };
  const startNode = async (): Promise<Script> => {
    const node = run("nodeProcess.ts", [dataDir, String(port)]);
    await node.line("ready");
    return node;
  };
  const postmaster = async (): Promise<number> => {
    const settings = await readFile(path.join(dataDir, "postgres.json"), "utf8");
    const { folder } = JSON.parse(settings) as { folder: string };
    const pid = await readFile(path.resolve(dataDir, folder, "postmaster.pid"), "utf8");
    return Number(pid.split("\n")[0]);
  };

  let killed = 0;
  /**
   * What was acknowledged before the last kill may be counted after it, so that the next is due while nothing
   * runs: until there is another postmaster, the file names the dead one, or nobody.
   */
  const killPostmaster = async (): Promise<void> => {
    const living = async (): Promise<number> => {
      const pid = await postmaster();
      return pid === killed ? 0 : pid;
    };
    await expect.poll(living, { timeout: 90_000 }).toBeGreaterThan(0);
    killed = await living();
    process.kill(killed, "SIGKILL");
  };

  let node = await startNode();
  try {
    const writers = ["one", "two", "three"].map((name) =>
      run("writerProcess.ts", [url, name, "8"]),
    );
    const told = writers.map(listen);
    const followers = [1, 2].map(() => listen(run("followerProcess.ts", [url])));
    const acknowledged = (): number =>
      told.reduce((sum, said) => sum + said("acknowledged").length, 0);

    const more = async (appends: number): Promise<void> => {
      const wanted = acknowledged() + appends;
      await expect
        .poll(acknowledged, { timeout: 90_000 })
        .toBeGreaterThanOrEqual(wanted)
        .catch((error: unknown) => {
          throw new Error(`Nothing goes on. The node said: ${node.output().slice(-8_000)}`, {
            cause: error,
          });
        });
    };

    for (const { victim, after } of plan) {
      await more(after);
      if (victim === "postmaster") {
        await killPostmaster();
      } else {
        node.child.kill("SIGKILL");
        await node.exited;
        node = await startNode();
      }
    }
    await more(101);
    for (const writer of writers) writer.child.stdin?.end("stop\n");
    for (const writer of writers) {
      await writer.line("done");
      expect(await writer.exited).toEqual({ code: 0, signal: null });
    }

    const log = connectEventLog(url);
    const all = await collect(log.readAll({ after: null }));
    await log.close();
    expect(all.map((e) => e.position)).toEqual(all.map((_, i) => BigInt(i + 1)));
    expect(new Set(all.map((e) => e.id)).size).toBe(all.length);
    // Every append was repeated until it was acknowledged: the log contains exactly these at their positions.
    const stored = new Map(all.map((e) => [e.id, `${e.stream} ${e.revision}`]));
    for (const [stream, n, id] of told.flatMap((said) => said("acknowledged"))) {
      expect(stored.get(id ?? "")).toBe(`${stream} ${n}`);
    }
    expect(acknowledged()).toBe(all.length);
    for (const said of followers) {
      await expect
        .poll(() => said("saw").length, { timeout: 60_000 })
        .toBeGreaterThanOrEqual(all.length);
      expect(said("saw")).toEqual(all.map((e) => [String(e.position), e.id]));
    }
  } finally {
    node.child.kill("SIGTERM");
    await node.exited;
    for (const { child, exited } of scripts) {
      child.kill("SIGKILL");
      await exited;
    }
    await rm(dataDir, { recursive: true, force: true });
  }
}, 600_000);
