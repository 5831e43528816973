import { startHelper } from "../harness/asking.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { median, quantile } from "../harness/statistics.ts";
import { startHostedService } from "../parts/host.ts";
import { type Loaded, type LoadRequests, requestText } from "../parts/load.ts";
import { createTest } from "../parts/runs.ts";

const BENCH = "overload";
const TESTS = 120;
/** With so many callers, each again as soon as it is answered, the peak is looked for. */
const CALLERS = [32, 64, 128];
const LEGS = 2;
const LEG_SECONDS = 3;
const TIMES = 3;
const SECONDS = 30;
/** What is not answered so long after the end hangs. */
const PATIENCE_MS = 10_000;
/** Of ten calls nine read a page of tests, and one makes a test. */
const READS = 9;

/** What is done when three times as much is asked as can be: how much of it, and what the rest is told. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  for (let n = 0; n < TESTS; n += 1) {
    await createTest(service, `test ${n}`, `Go to /${n}\nI should see "page ${n}"`);
  }
  const { url, key } = service;
  const read = requestText(url, key, "GET", "/api/v1/cli/tests");
  const write = requestText(url, key, "POST", "/api/v1/cli/tests", {
    name: "made meanwhile",
    steps: [{ action: "navigate", value: "/" }],
  });
  const requests = [...Array.from({ length: READS }, () => read), write];
  const load = startHelper<LoadRequests>(context, "load.ts");
  const closed = async (connections: number): Promise<number> => {
    const asks = { url, requests, connections, seconds: LEG_SECONDS };
    const loaded = await load.ask("closed", asks);
    if (loaded.done < loaded.asked) throw new Error(`Not all were answered: ${said(loaded)}`);
    return loaded.perSecond;
  };

  await closed(CALLERS[1] ?? 64);
  const peaks: number[] = [];
  for (const callers of CALLERS) {
    const rates: number[] = [];
    for (let leg = 0; leg < LEGS; leg += 1) rates.push(await closed(callers));
    peaks.push(median(rates));
    context.say(`${callers} callers: ${median(rates).toFixed(0)} a second`);
  }
  const peak = Math.max(...peaks);
  const perSecond = TIMES * peak;
  const asks = { url, requests, perSecond, seconds: SECONDS, patienceMs: PATIENCE_MS };
  const loaded = await load.ask("open", asks);
  context.say(said(loaded));
  const after = await closed(CALLERS[1] ?? 64);
  context.say(`afterwards: ${after.toFixed(0)} a second`);

  const astray = loaded.hung + loaded.broken.length + sum(Object.values(loaded.other));
  const note = `a peak of ${peak.toFixed(0)} a second, ${READS} pages of tests for each test that is made; then ${(loaded.asked / SECONDS).toFixed(0)} a second for ${SECONDS} s, of which ${loaded.perSecond.toFixed(0)} a second were done and ${loaded.refused} refused; the load comes from this machine too`;
  const about = { bench: BENCH, note };
  const rows = [
    plainRow(
      {
        ...about,
        what: `2xx a second at ${TIMES} times the peak`,
        unit: "× peak",
        goal: { of: "value", atLeast: 0.8 },
      },
      [loaded.perSecond / peak],
    ),
    plainRow(
      {
        ...about,
        what: "answered neither with 2xx nor with 503 and Retry-After, or never",
        unit: "",
        goal: { of: "value", atMost: 0 },
      },
      [astray],
    ),
    plainRow({ ...about, what: "from due to done, p99", unit: "ms" }, loaded.doneMs, p99),
  ];
  return loaded.refusedMs.length === 0
    ? rows
    : [
        ...rows,
        plainRow({ ...about, what: "from due to refused, p99", unit: "ms" }, loaded.refusedMs, p99),
      ];
};

const p99 = (all: readonly number[]): number => quantile(all, 0.99);

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

const said = ({ asked, done, refused, broken, other, hung }: Loaded): string =>
  `${asked} asked: ${done} done, ${refused} refused, ${broken.length} broken, ${hung} never answered, others ${JSON.stringify(other)}${broken.map((how) => `; broken: ${how}`).join("")}`;
