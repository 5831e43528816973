import { type Account, call, signUp } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow } from "../harness/rows.ts";
import { quantile } from "../harness/statistics.ts";
import { startHostedService } from "../parts/host.ts";
import { createTest } from "../parts/runs.ts";

const BENCH = "logins";
const PEOPLE = 50;
const TESTS = 60;
const READS_A_SECOND = 100;
const SECONDS = 3;
const PATH = "/api/v1/cli/tests";

/** The p99 of reads at a fixed rate while 50 people sign in at once, against the same reads without logins. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  for (let n = 0; n < TESTS; n += 1) await createTest(service, `test ${n}`, `Go to /${n}`);
  const people: Account[] = [];
  for (let n = 0; n < PEOPLE; n += 1) people.push(await signUp(service.url));

  const read = async (): Promise<number> => {
    const sent = performance.now();
    const reply = await call(service.url, "GET", PATH, { bearer: service.key });
    if (reply.status !== 200) throw new Error(`A read returned ${reply.status}`);
    return performance.now() - sent;
  };
  const logIn = async ({ email, password }: { email: string; password: string }) => {
    const body = { email, password };
    // A busy service refuses logins with 503; the client retries.
    for (let attempts = 0; attempts < 10; attempts += 1) {
      const { status } = await call(service.url, "POST", "/api/v1/auth/login", { body });
      if (status === 200) return;
      if (status !== 503) throw new Error(`A login returned ${status}`);
    }
    throw new Error("A login was refused ten times");
  };
  /** The p99 of reads that start together with `work`. */
  const p99While = async (work: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    const working = work();
    const reads: Promise<number>[] = [];
    for (let n = 0; n < READS_A_SECOND * SECONDS; n += 1) {
      const wait = started + (n * 1_000) / READS_A_SECOND - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      reads.push(read());
    }
    const latencies = await Promise.all(reads);
    await working;
    return quantile(latencies, 0.99);
  };

  const samples = await runPairs({
    pairs: context.pairs(8),
    warmUps: 1,
    budgetMs: 75_000,
    random: context.random,
    ours: () => p99While(() => Promise.all(people.map(logIn))),
    peer: () => p99While(async () => undefined),
  });
  return [
    pairedRow(
      {
        bench: BENCH,
        what: `GET /cli/tests, ${READS_A_SECOND} a second, p99 while ${PEOPLE} people sign in`,
        unit: "ms",
        goal: { of: "ratio", atMost: 2 },
        peerIs: "the same reads of the same service without logins",
      },
      samples,
      context.random,
    ),
  ];
};
