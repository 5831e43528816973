import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { serveDemoSite } from "../../src/cli/operator/demo/site.ts";
import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import { callOnce } from "./client.ts";
import {
  type Fault,
  type PartApart,
  startDatabaseApart,
  startLogApart,
  startNatsApart,
} from "./partsApart.ts";
import { type ServiceProcess, startServiceProcess } from "./serviceProcess.ts";

export type PartName = "event_log" | "database" | "bus" | "blob_store";

/** Maximum time until a caller is told of an outage: 5 s by contract, plus a second for a loaded machine. */
export const ANSWER_MS = 6_000;

/** How an error detail begins for each part. */
export const titles: Readonly<Record<PartName, RegExp>> = {
  event_log: /^The event log /,
  database: /^The database /,
  bus: /^The message bus /,
  blob_store: /^The store of screenshots /,
};

/**
 * Prepares the service as a separate process, with event log, database and NATS behind faulty proxies and a folder of
 * screenshots, so that a test can cause an outage of each part.
 */
export const startOutages = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "runledger-outage-"));
  const blobFolder = path.join(folder, "blobs");
  const [eventLog, database, bus, site] = await Promise.all([
    startLogApart(),
    startDatabaseApart(),
    startNatsApart(),
    serveDemoSite(),
  ]);
  const direct = connectEventLog(eventLog.directUrl);
  const environment = {
    EVENTSTORE_URL: eventLog.url,
    DATABASE_URL: database.url,
    NATS_URL: bus.url,
    BLOB_STORE: `file://${blobFolder}`,
    EXECUTION_NETWORK: "open",
  };
  const startService = (said: string[] = []): Promise<ServiceProcess> =>
    startServiceProcess(folder, environment, said);
  const parts: Readonly<Record<"event_log" | "database" | "bus", PartApart>> = {
    event_log: eventLog,
    database,
    bus,
  };
  return {
    folder,
    blobFolder,
    site,
    direct,
    parts,
    startService,
    fail: async (part: PartName, fault: Fault): Promise<void> => {
      if (part !== "blob_store") return parts[part].fail(fault);
      await rename(blobFolder, `${blobFolder}.away`);
      // Without a folder, or with a file in its place.
      if (fault !== "refused") await writeFile(blobFolder, "");
    },
    mend: async (part: PartName): Promise<void> => {
      if (part !== "blob_store") return parts[part].mend();
      await rm(blobFolder, { force: true });
      await rename(`${blobFolder}.away`, blobFolder);
    },
    stop: async (): Promise<void> => {
      await direct.close();
      await Promise.all([eventLog.stop(), database.stop(), bus.stop(), site.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export type Outages = Awaited<ReturnType<typeof startOutages>>;

/**
 * Measures the longest response time, in milliseconds, of a request that needs no part. Limits on other responses are
 * extended by it, since it is caused by the load of the machine.
 */
export const watchLateness = (url: string) => {
  let worst = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const since = performance.now();
      await callOnce(url, "GET", "/api/v1/health/live").catch(() => undefined);
      worst = Math.max(worst, performance.now() - since);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    soFar: () => worst,
    stop: async (): Promise<void> => {
      isOver = true;
      await asking;
    },
  };
};
