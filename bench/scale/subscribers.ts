import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { startHelper } from "../harness/helperProcess.ts";
import type { BenchContext } from "../harness/bench.ts";
import { plainRow, type Row } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";
import type { SubscriberRequests } from "../parts/subscribers.ts";
import { pointOf } from "./measure.ts";

const SIZES = [100, 500, 2_500, 5_000] as const;
const PROCESSES = 2;
const EVENTS = 20;
const BURSTS = 6;
const REST_MS = 200;

/** One run whose watchers grow: from the commands of 20 events to the last frame, and the CPU of the service for a frame. */
export const growSubscribers = async (context: BenchContext): Promise<readonly Row[]> => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const { organizationId, cookie } = service.account;
  const { runIds } = await service.host.ask("play", { organizationId, runs: 1 });
  const url = `${service.url.replace("http", "ws")}/api/v1/ws/execution`;
  const processes = Array.from({ length: PROCESSES }, () =>
    startHelper<SubscriberRequests>(context, "subscribers.ts"),
  );
  const rows: Row[] = [];
  let connected = 0;
  for (const subscribers of SIZES) {
    context.say(`${subscribers.toLocaleString("en-US")} subscribers …`);
    const each = (subscribers - connected) / PROCESSES;
    await Promise.all(processes.map((one) => one.ask("connect", { url, cookie, runIds, each })));
    connected = subscribers;
    const samples: number[] = [];
    const cpu: number[] = [];
    for (let burst = 0; burst <= BURSTS; burst += 1) {
      await Promise.all(processes.map((one) => one.ask("count", {})));
      const frames = (EVENTS * subscribers) / PROCESSES;
      const all = Promise.all(processes.map((one) => one.ask("reach", { frames })));
      const [before, started] = [await cpuMs(service.host.pid), performance.now()];
      const told = { organizationId, perSecond: EVENTS * 1_000, seconds: 0.001 };
      await Promise.all([service.host.ask("steps", told), all]);
      const took = performance.now() - started;
      // The first of a size is for caches.
      if (burst > 0) samples.push(took);
      if (burst > 0) cpu.push(((await cpuMs(service.host.pid)) - before) / (EVENTS * subscribers));
      await delay(REST_MS);
    }
    rows.push(
      pointOf({ plot: "subscribers", line: "until the last frame", x: subscribers }, "ms", samples),
      plainRow(
        {
          bench: "scale",
          what: `CPU of the service for a frame, ${subscribers.toLocaleString("en-US")} subscribers`,
          unit: "µs",
        },
        cpu.map((ms) => ms * 1_000),
      ),
    );
  }
  return rows;
};

/** What a process has used of the CPU, in milliseconds. Linux: in hundredths of a second. */
const cpuMs = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
