import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { eventually } from "../../support/client.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** The processes that fold are real ones: they are killed, frozen and cut off. */
describe("takeover of a projector", { timeout: 240_000 }, () => {
  let kit: ProjectionKit;
  const children: ChildProcess[] = [];
  const closing: (() => void)[] = [];

  beforeAll(async () => {
    kit = await startProjectionKit();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
    for (const close of closing.splice(0)) close();
  });
  afterAll(() => kit.stop());

  const startProcess = async (
    name: string,
    options: { readonly databaseUrl?: string; readonly slowMs?: number } = {},
  ) => {
    const { databaseUrl = kit.databaseUrl, slowMs = 0 } = options;
    const args = [databaseUrl, kit.logUrl, name, String(slowMs)];
    const child = spawn(
      process.execPath,
      ["--import", "tsx", "test/support/projectorProcess.ts", ...args],
      { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] },
    );
    children.push(child);
    await once(child.stdout, "data");
    return child;
  };
  const folded = (name: string) => async () => {
    const row = await kit.db
      .selectFrom("projection_checkpoints")
      .select("position")
      .where("name", "=", name)
      .where("state", "=", "shown")
      .executeTakeFirst();
    return (row?.position ?? -1n) as bigint;
  };
  const leader = async (): Promise<string | null> => {
    const row = await kit.db
      .selectFrom("leaderships")
      .select("holder")
      .where("name", "=", "projector")
      .executeTakeFirst();
    return row?.holder ?? null;
  };
  /** A leader, another process that waits, and an event that the leader has folded. */
  const lead = async (name: string, options: { readonly databaseUrl?: string } = {}) => {
    const id = newId();
    const first = await startProcess(name, options);
    const position = await kit.count(id, "a");
    await eventually(folded(name), (at) => at >= position);
    const holder = await leader();
    await startProcess(name);
    return { id, first, holder };
  };
  const isTakenOver = async (name: string, id: string): Promise<void> => {
    const since = performance.now();
    const position = await kit.count(id, "b");
    await eventually(folded(name), (at) => at >= position, 60_000);
    const seconds = ((performance.now() - since) / 1_000).toFixed(1);
    process.stderr.write(`${name}: taken over and folded after ${seconds} s\n`);
    expect(await kit.totalOf(id)).toBe(2);
  };

  it("happens when its leader is killed", async () => {
    const { id, first } = await lead("killed");
    first.kill("SIGKILL");
    await isTakenOver("killed", id);
  });

  it("happens when its leader is frozen, whose later batch is not applied twice", async () => {
    const { id, first, holder } = await lead("frozen");
    first.kill("SIGSTOP");
    await isTakenOver("frozen", id);
    first.kill("SIGCONT");
    for (const name of ["c", "d", "e"]) await kit.count(id, name);
    const position = await kit.count(id, "f");
    await eventually(folded("frozen"), (at) => at >= position);
    expect(await kit.totalOf(id)).toBe(6);
    expect(await leader()).not.toBe(holder);
  });

  it("leaves nothing of the batch of a leader frozen during it", async () => {
    const id = newId();
    const first = await startProcess("midway", { slowMs: 300 });
    const position = await kit.count(id, "a");
    await eventually(folded("midway"), (at) => at >= position);
    await kit.countMany(id, ["b", "c", "d", "e", "f", "g"]);
    // Its transaction is open now: the second of the slow events is at work.
    await eventually(
      async () => {
        const { rows } = await kit.database.pool.query(
          "select 1 from pg_stat_activity where state = 'idle in transaction' and datname = current_database()",
        );
        return rows.length;
      },
      (open) => open > 0,
    );
    first.kill("SIGSTOP");
    await startProcess("midway");
    const last = await kit.count(id, "h");
    await eventually(folded("midway"), (at) => at >= last, 60_000);
    expect(await kit.totalOf(id)).toBe(8);
    first.kill("SIGCONT");
    const after = await kit.count(id, "i");
    await eventually(folded("midway"), (at) => at >= after, 60_000);
    expect(await kit.totalOf(id)).toBe(9);
  });

  it("happens when its leader loses PostgreSQL, and the leader does no harm after it reconnects", async () => {
    const wire = await startWire(kit.databaseUrl);
    closing.push(wire.close);
    const { id, holder } = await lead("cutoff", { databaseUrl: wire.url });
    wire.cut();
    await isTakenOver("cutoff", id);
    wire.mend();
    const position = await kit.count(id, "c");
    await eventually(folded("cutoff"), (at) => at >= position);
    expect(await kit.totalOf(id)).toBe(3);
    expect(await leader()).not.toBe(holder);
  });
});

/** A wire to a database that can be cut: nothing passes any more, and nobody is told. */
const startWire = async (databaseUrl: string) => {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server: Server = createServer({ pauseOnConnect: true }, (client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => undefined);
      from.on("close", () => to.destroy());
      from.on("data", (bytes) => {
        if (!isCut) to.write(bytes);
      });
      if (!isCut) from.resume();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === "object" && address ? address.port : 0);
  return {
    url: url.href,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    mend: () => {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
