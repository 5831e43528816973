import autocannon from "autocannon";
import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { startHelper } from "../harness/helperProcess.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow } from "../harness/rows.ts";
import type { FastifyPeerProcedures } from "../parts/fastifyPeer.ts";
import { startHostedService } from "../parts/host.ts";
import { createTest } from "../parts/runs.ts";

const BENCH = "list-tests";
const CONNECTIONS = 50;
const TESTS = 120;
const SECONDS = 1;
const PATH = "/api/v1/cli/tests";

type Sample = { readonly rate: number; readonly p99: number };

/** Throughput and p99 of a page of 50 tests with 50 connections, against bare Fastify on the same database. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  for (let n = 0; n < TESTS; n += 1) {
    await createTest(service, `test ${n}`, `Go to /${n}\nI should see "page ${n}"`);
  }
  const peer = startHelper<FastifyPeerProcedures>(context, "fastifyPeer.ts");
  const { url: peerUrl } = await peer.call("serve", { databaseUrl: service.databaseUrl });

  const [ourAnswer, peerAnswer] = await Promise.all(
    [service.url, peerUrl].map((url) => call(url, "GET", PATH, { bearer: service.key })),
  );
  if (ourAnswer?.status !== 200 || !isSame(ourAnswer.body, peerAnswer?.body))
    throw new Error("The responses of the two servers differ");

  const load = (url: string) => measureLoad(url, service.key);
  const samples = await runPairs({
    pairs: context.pairs(15),
    warmUps: 2,
    budgetMs: 75_000,
    random: context.random,
    ours: () => load(service.url),
    peer: () => load(peerUrl),
  });
  const of = (name: keyof Sample) => ({
    ours: samples.ours.map((sample) => sample[name]),
    peer: samples.peer.map((sample) => sample[name]),
    again: samples.again.map((sample) => sample[name]),
  });
  const about = {
    bench: BENCH,
    peerIs:
      "bare Fastify and pg in its own process: same key check, same SQL, same body; the load generator runs on the same machine",
  };
  return [
    pairedRow(
      {
        ...about,
        what: "GET /cli/tests, 50 connections",
        unit: "/s",
        goal: { of: "ratio", atLeast: 0.7 },
      },
      of("rate"),
      context.random,
    ),
    pairedRow(
      {
        ...about,
        what: "GET /cli/tests, 50 connections, p99",
        unit: "ms",
        goal: { of: "ratio", atMost: 1.3 },
      },
      of("p99"),
      context.random,
    ),
  ];
};

/** Loads a server for `SECONDS`. Throws unless every response is a 200. */
const measureLoad = async (url: string, key: string): Promise<Sample> => {
  const result = await autocannon({
    url: `${url}${PATH}`,
    connections: CONNECTIONS,
    duration: SECONDS,
    headers: { authorization: `Bearer ${key}` },
  });
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) throw new Error(`${failed} requests did not return 200`);
  return { rate: result["2xx"] / result.duration, p99: result.latency.p99 };
};

const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

/** JSON with sorted keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
