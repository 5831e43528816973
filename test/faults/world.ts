import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { serveDemoSite } from "../../src/cli/operator/demo/site.ts";
import { stablePort } from "../../src/embeddedPostgres/stablePort.ts";
import { projections } from "../../src/main/core/projections.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import { projectionOperations } from "../../src/projections/kernel/operations.ts";
import { eventually } from "../support/client.ts";
import { startDatabaseApart, startLogApart, startNatsApart } from "../support/partsApart.ts";
import { providerSettings } from "../support/providers.ts";
import { type ServiceProcess, startServiceProcess } from "../support/serviceProcess.ts";
import { startSmtpServer } from "../support/smtpServer.ts";
import { startWire, type Wire } from "../support/wire.ts";
import { follow } from "./follow.ts";
import type { Fault, Link, Victim } from "./plan.ts";

export type World = Awaited<ReturnType<typeof startWorld>>;

/** The time within which a killed part must work again, in milliseconds. */
const BACK_MS = 60_000;
const ANSWERED = '"msg":"answered"';
const LAST_WORDS = 25;

/**
 * A deployment for faults: a service (api, read models, dispatcher, schedules, mail), two executors, an event log, a
 * PostgreSQL and a NATS, each a process of its own. A proxy that the test controls is on every connection.
 */
export const startWorld = async () => {
  const undoing: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const undo of undoing.splice(0).reverse()) await undo();
  };
  try {
    return { ...(await startParts(undoing)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const startParts = async (undoing: (() => Promise<unknown>)[]) => {
  const folder = await mkdtemp(path.join(tmpdir(), "runledger-faults-"));
  undoing.push(() => rm(folder, { recursive: true, force: true }));
  const kept = async <Part extends { stop(): Promise<void> }>(starting: Promise<Part>) => {
    const part = await starting;
    undoing.push(part.stop);
    return part;
  };
  const [database, bus, smtp, site] = await Promise.all([
    kept(startDatabaseApart({ durable: true })),
    kept(startNatsApart()),
    kept(startSmtpServer()),
    serveDemoSite(),
  ]);
  undoing.push(site.close);
  const portOf = (url: string): number => Number(new URL(url).port);
  const logWire = await kept(startWire(portOf(database.directUrl)));
  const through = (url: string, wire: Wire): string => {
    const address = new URL(url);
    address.port = String(wire.port);
    return address.href;
  };
  const eventLog = await kept(startLogApart(through(database.directUrl, logWire)));
  const [mailWire, toLog, toDatabase, toBus] = await Promise.all([
    kept(startWire(portOf(smtp.url))),
    kept(startWire(portOf(eventLog.directUrl))),
    kept(startWire(portOf(database.directUrl))),
    kept(startWire(portOf(bus.directUrl))),
  ]);
  const wires: Readonly<Record<Link, Wire>> = {
    "service~event_log": eventLog.wire,
    "service~database": database.wire,
    "service~bus": bus.wire,
    "service~mail": mailWire,
    "executor~event_log": toLog,
    "executor~database": toDatabase,
    "executor~bus": toBus,
    "event_log~database": logWire,
  };

  const shared = {
    MASTER_KEY: randomBytes(32).toString("hex"),
    BLOB_STORE: `file://${folder}/blobs`,
    EXECUTION_NETWORK: "open",
  };
  const said: Record<string, string[]> = {};
  const start = async (name: string, settings: Readonly<Record<string, string>>) => {
    said[name] ??= [];
    return startServiceProcess(path.join(folder, name), { ...shared, ...settings }, said[name]);
  };
  // The restarted service uses the same port, which no other process can get.
  const port = String(await stablePort());
  const startService = (): Promise<ServiceProcess> =>
    start("service", {
      ROLES: "api,projections,dispatcher,scheduler,notifier",
      PORT: port,
      EVENTSTORE_URL: eventLog.url,
      DATABASE_URL: database.url,
      NATS_URL: bus.url,
      SMTP_URL: through(smtp.url, mailWire),
      MAIL_FROM: "Runledger <mail@service.test>",
      ...providerSettings,
    });
  const startExecutor = (name: string): Promise<ServiceProcess> =>
    start(name, {
      ROLES: "executor",
      EXECUTOR_CONCURRENCY: "4",
      EVENTSTORE_URL: through(eventLog.directUrl, toLog),
      DATABASE_URL: through(database.directUrl, toDatabase),
      NATS_URL: through(bus.directUrl, toBus),
    });

  const log = connectEventLog(eventLog.directUrl);
  const opened = openDatabase(database.directUrl, { max: 4 });
  const follower = follow(log);
  undoing.push(log.close, opened.close, follower.stop);
  const running = new Map<string, ServiceProcess>();
  const run = async (name: string, starting: Promise<ServiceProcess>): Promise<ServiceProcess> => {
    const started = await starting;
    running.set(name, started);
    return started;
  };
  undoing.push(() => Promise.all([...running.values()].map((one) => one.end("SIGKILL"))));
  const [service] = await Promise.all([
    run("service", startService()),
    run("executor", startExecutor("executor")),
    run("other executor", startExecutor("other executor")),
  ]);
  const answers = async (): Promise<boolean> =>
    opened.ping().then(
      () => true,
      () => false,
    );

  const kill: Readonly<Record<Victim, () => Promise<void>>> = {
    service: async () => {
      await running.get("service")?.end("SIGKILL");
      await run("service", startService());
    },
    executor: async () => {
      await running.get("executor")?.end("SIGKILL");
      await run("executor", startExecutor("executor"));
    },
    database: async () => {
      await database.fail("killed");
      await database.mend();
      await eventually(answers, (yes) => yes, BACK_MS);
    },
    bus: async () => {
      await bus.fail("killed");
      await bus.mend();
    },
    event_log: async () => {
      await eventLog.fail("killed");
      // Its supervisor restarts it until its database accepts it.
      for (const deadline = performance.now() + BACK_MS; ; await delay(250)) {
        try {
          await eventLog.mend();
          return;
        } catch (error) {
          if (performance.now() > deadline) throw error;
          await eventLog.fail("killed");
        }
      }
    },
  };

  const suffer = async (fault: Fault): Promise<void> => {
    await delay(fault.atMs);
    if ("victim" in fault) return kill[fault.victim]();
    const wire = wires[fault.link];
    await wire.set(fault.how);
    await delay(fault.forMs);
    await wire.set(null);
  };

  return {
    url: service.url,
    site,
    smtp,
    log,
    follower,
    database: opened,
    readModels: projectionOperations({ db: opened.db, projections }),
    /** Causes the faults at their times and mends them. Resolves when every part works again; rejects if one does not. */
    suffer: async (faults: readonly Fault[]): Promise<void> => {
      const outcomes = await Promise.allSettled(faults.map(suffer));
      for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    },
    /** The last log lines of the processes, without those of requests. */
    lastWords: (): string =>
      Object.entries(said)
        .map(([name, lines]) => [name, lines.filter((line) => !line.includes(ANSWERED))] as const)
        .flatMap(([name, lines]) => lines.slice(-LAST_WORDS).map((line) => `${name}: ${line}`))
        .join("\n"),
  };
};
