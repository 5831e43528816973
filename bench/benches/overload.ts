import { startHelper } from "../harness/helperProcess.ts";
import type { RunBench } from "../harness/bench.ts";
import { pairedRow, plainRow } from "../harness/rows.ts";
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
/** How fast a machine is changes within a minute, so the peak is measured before and behind each time. */
const ROUNDS = 5;
const TIMES = 3;
const SECONDS = 30;
/** What is not answered so long after the end hangs. */
const PATIENCE_MS = 10_000;
/** Of ten calls nine read a page of tests, and one makes a test. */
const READS = 9;

type Round = { readonly before: number; readonly loaded: Loaded; readonly after: number };

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
  const rates: number[] = [];
  for (const callers of CALLERS) {
    const legs: number[] = [];
    for (let leg = 0; leg < LEGS; leg += 1) legs.push(await closed(callers));
    rates.push(median(legs));
    context.say(`${callers} callers: ${median(legs).toFixed(0)} a second`);
  }
  const callers = CALLERS[rates.indexOf(Math.max(...rates))] ?? 128;

  const rounds: Round[] = [];
  for (let round = 0; round < context.pairs(ROUNDS); round += 1) {
    const before = await closed(callers);
    const perSecond = TIMES * before;
    const asks = { url, requests, perSecond, seconds: SECONDS, patienceMs: PATIENCE_MS };
    const loaded = await load.ask("open", asks);
    const after = await closed(callers);
    context.say(
      `${before.toFixed(0)} a second, then ${loaded.perSecond.toFixed(0)}, then ${after.toFixed(0)}; ${said(loaded)}`,
    );
    rounds.push({ before, loaded, after });
  }

  const all = rounds.map(({ loaded }) => loaded);
  const astray = sum(
    all.map(({ hung, broken, other }) => hung + broken.length + sum(Object.values(other))),
  );
  const note = `${callers} callers, ${READS} pages of tests for each test that is made; ${sum(all.map(({ asked }) => asked))} asked in all, of which ${sum(all.map(({ refused }) => refused))} were refused; the load comes from this machine too`;
  const about = { bench: BENCH, note };
  const rows = [
    pairedRow(
      {
        ...about,
        what: `2xx a second at ${TIMES} times the peak, for ${SECONDS} s`,
        unit: "a second",
        peerIs: "the peak, before and behind",
        goal: { of: "ratio", atLeast: 0.8 },
      },
      {
        ours: all.map(({ perSecond }) => perSecond),
        peer: rounds.map(({ before, after }) => (before + after) / 2),
        again: rounds.map(({ after }) => after),
      },
      context.random,
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
    plainRow(
      { ...about, what: "from due to done, p99", unit: "ms" },
      all.flatMap((one) => one.doneMs),
      p99,
    ),
  ];
  const refusedMs = all.flatMap((one) => one.refusedMs);
  return refusedMs.length === 0
    ? rows
    : [
        ...rows,
        plainRow({ ...about, what: "from due to refused, p99", unit: "ms" }, refusedMs, p99),
      ];
};

const p99 = (all: readonly number[]): number => quantile(all, 0.99);

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

const said = ({ asked, done, refused, broken, other, hung }: Loaded): string =>
  `${asked} asked: ${done} done, ${refused} refused, ${broken.length} broken, ${hung} never answered, others ${JSON.stringify(other)}${broken.map((how) => `; broken: ${how}`).join("")}`;
