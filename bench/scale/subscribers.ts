import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { BenchContext } from "../harness/bench.ts";
import { startHelper } from "../harness/helperProcess.ts";
import { plainRow, type Row } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";
import type { SubscriberProcedures } from "../parts/subscribers.ts";
import { plotRow } from "./measure.ts";

const SIZES = [100, 500, 2_500, 5_000] as const;
const PROCESSES = 2;
const EVENTS = 20;
const BURSTS = 6;
const REST_MS = 200;

/** Time from the commands of 20 events to the last frame, and CPU of the service per frame, as the subscribers of a run grow. */
export const growSubscribers = async (context: BenchContext): Promise<readonly Row[]> => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const { organizationId, cookie } = service.account;
  const { runIds } = await service.host.call("startRuns", { organizationId, runs: 1 });
  const url = `${service.url.replace("http", "ws")}/api/v1/ws/execution`;
  const processes = Array.from({ length: PROCESSES }, () =>
    startHelper<SubscriberProcedures>(context, "subscribers.ts"),
  );
  const rows: Row[] = [];
  let connected = 0;
  for (const subscribers of SIZES) {
    context.log(`${subscribers.toLocaleString("en-US")} subscribers …`);
    const each = (subscribers - connected) / PROCESSES;
    await Promise.all(processes.map((one) => one.call("connect", { url, cookie, runIds, each })));
    connected = subscribers;
    const samples: number[] = [];
    const cpu: number[] = [];
    for (let n = 0; n <= BURSTS; n += 1) {
      await Promise.all(processes.map((one) => one.call("reset", {})));
      const frames = (EVENTS * subscribers) / PROCESSES;
      const all = Promise.all(processes.map((one) => one.call("waitForFrames", { frames })));
      const [before, started] = [await cpuMs(service.host.pid), performance.now()];
      const burst = { organizationId, perSecond: EVENTS * 1_000, seconds: 0.001 };
      await Promise.all([service.host.call("emitSteps", burst), all]);
      const took = performance.now() - started;
      // The first burst of a size warms up.
      if (n > 0) samples.push(took);
      if (n > 0) cpu.push(((await cpuMs(service.host.pid)) - before) / (EVENTS * subscribers));
      await delay(REST_MS);
    }
    rows.push(
      plotRow({ plot: "subscribers", line: "until the last frame", x: subscribers }, "ms", samples),
      plainRow(
        {
          bench: "scale",
          what: `CPU of the service per frame, ${subscribers.toLocaleString("en-US")} subscribers`,
          unit: "µs",
        },
        cpu.map((ms) => ms * 1_000),
      ),
    );
  }
  return rows;
};

/** CPU time of a process in milliseconds, with a resolution of 10 ms. Linux only. */
const cpuMs = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
