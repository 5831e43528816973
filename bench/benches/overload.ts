import type { BenchContext, RunBench } from "../harness/bench.ts";
import { startHelper } from "../harness/helperProcess.ts";
import { pairedRow, plainRow, type Row } from "../harness/rows.ts";
import { median, quantile } from "../harness/statistics.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";
import { type LoadProcedures, type LoadResult, requestText } from "../parts/load.ts";
import { createTest } from "../parts/runs.ts";

const BENCH = "overload";
const TESTS = 120;
/** Numbers of closed-loop callers; the one with the highest rate gives the peak. */
const CALLERS = [32, 64, 128];
const LEGS = 2;
const LEG_SECONDS = 3;
/** The peak is measured before and after each round, because the machine's speed changes within a minute. */
const ROUNDS = 5;
const OVERLOAD_FACTOR = 3;
const SECONDS = 30;
/** Requests without a response this long after the end count as unanswered. */
const TIMEOUT_MS = 10_000;
/** Reads per write. */
const READS = 9;

type Round = { readonly before: number; readonly overload: LoadResult; readonly after: number };

/** Throughput at three times the peak load, and the responses to the excess requests. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  for (let n = 0; n < TESTS; n += 1) {
    await createTest(service, `test ${n}`, `Go to /${n}\nI should see "page ${n}"`);
  }
  const generator = createGenerator(context, service);
  const callers = await findPeakCallers(context, generator.closedLoop);
  const rounds: Round[] = [];
  for (let n = 0; n < context.pairs(ROUNDS); n += 1) {
    const before = await generator.closedLoop(callers);
    const overload = await generator.openLoop(OVERLOAD_FACTOR * before);
    const after = await generator.closedLoop(callers);
    context.log(
      `${before.toFixed(0)} a second, then ${overload.perSecond.toFixed(0)}, then ${after.toFixed(0)}; ${summarise(overload)}`,
    );
    rounds.push({ before, overload, after });
  }
  return rowsOf(context, callers, rounds);
};

const createGenerator = (context: BenchContext, { url, key }: HostedService) => {
  const read = requestText(url, key, "GET", "/api/v1/cli/tests");
  const write = requestText(url, key, "POST", "/api/v1/cli/tests", {
    name: "made meanwhile",
    steps: [{ action: "navigate", value: "/" }],
  });
  const requests = [...Array.from({ length: READS }, () => read), write];
  const helper = startHelper<LoadProcedures>(context, "load.ts");
  return {
    /** 2xx responses a second. Throws if a request did not succeed. */
    closedLoop: async (connections: number): Promise<number> => {
      const result = await helper.call("closed", {
        url,
        requests,
        connections,
        seconds: LEG_SECONDS,
      });
      if (result.succeeded < result.sent) {
        throw new Error(`Not every request succeeded: ${summarise(result)}`);
      }
      return result.perSecond;
    },
    openLoop: (perSecond: number): Promise<LoadResult> =>
      helper.call("open", { url, requests, perSecond, seconds: SECONDS, timeoutMs: TIMEOUT_MS }),
  };
};

const findPeakCallers = async (
  context: BenchContext,
  closedLoop: (connections: number) => Promise<number>,
): Promise<number> => {
  await closedLoop(CALLERS[1] ?? 64);
  const rates: number[] = [];
  for (const callers of CALLERS) {
    const legs: number[] = [];
    for (let leg = 0; leg < LEGS; leg += 1) legs.push(await closedLoop(callers));
    rates.push(median(legs));
    context.log(`${callers} callers: ${median(legs).toFixed(0)} a second`);
  }
  return CALLERS[rates.indexOf(Math.max(...rates))] ?? 128;
};

const rowsOf = (
  context: BenchContext,
  callers: number,
  rounds: readonly Round[],
): readonly Row[] => {
  const all = rounds.map(({ overload }) => overload);
  const unexpected = sum(
    all.map(
      ({ unanswered, broken, other }) => unanswered + broken.length + sum(Object.values(other)),
    ),
  );
  const about = {
    bench: BENCH,
    note: `${callers} callers, ${READS} reads per write; ${sum(all.map(({ sent }) => sent))} requests, of which ${sum(all.map(({ refused }) => refused))} were refused; the load generator runs on the same machine`,
  };
  const refusedMs = all.flatMap((one) => one.refusedMs);
  return [
    pairedRow(
      {
        ...about,
        what: `2xx a second at ${OVERLOAD_FACTOR} times the peak, for ${SECONDS} s`,
        unit: "a second",
        peerIs: "the mean of the peaks before and after",
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
        what: "responses other than 2xx or 503 with Retry-After, or none",
        unit: "",
        goal: { of: "value", atMost: 0 },
      },
      [unexpected],
    ),
    plainRow(
      { ...about, what: "scheduled time to success, p99", unit: "ms" },
      all.flatMap((one) => one.succeededMs),
      p99,
    ),
    ...(refusedMs.length === 0
      ? []
      : [
          plainRow(
            { ...about, what: "scheduled time to refusal, p99", unit: "ms" },
            refusedMs,
            p99,
          ),
        ]),
  ];
};

const p99 = (all: readonly number[]): number => quantile(all, 0.99);

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

const summarise = ({ sent, succeeded, refused, broken, other, unanswered }: LoadResult): string =>
  `${sent} sent: ${succeeded} succeeded, ${refused} refused, ${broken.length} broken, ${unanswered} unanswered, others ${JSON.stringify(other)}${broken.map((reason) => `; broken: ${reason}`).join("")}`;
