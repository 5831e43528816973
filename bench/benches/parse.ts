import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import path from "node:path";
import { parseEnglish } from "../../src/domain/english/index.ts";
import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";

const BENCH = "parse";
const CORPUS = path.resolve(import.meta.dirname, "../../test/corpus/english");
const PARTS = ["seen", "heldOut", "strangersSeen", "writersSeen"];
const LENGTH = 100_000;
/** V8 has optimised the parser after 40 readings. The 10th reading takes 1.5 times as long as the 50th. */
const PARSE_WARM_UPS = 40;
const WARM_UPS = 10;
const TIMES = 30;

/** The first 100 KB of the corpus, including lines that the grammar does not understand. */
const mixedText = (): string => {
  const lines = PARTS.flatMap((part) =>
    readFileSync(path.join(CORPUS, `${part}.txt`), "utf8").split("\n"),
  ).filter((line) => line !== "" && !line.startsWith("> "));
  const text: string[] = [];
  for (let length = 0, at = 0; length < LENGTH; at += 1) {
    const line = lines[at % lines.length] ?? "";
    text.push(line);
    length += line.length + 1;
  }
  return text.join("\n").slice(0, LENGTH);
};

/** Throughput of the English parser, and the latency of other requests while the service parses 100 KB. */
export const run: RunBench = async (context) => {
  const text = mixedText();
  const lines = text.split("\n").length;
  const times = context.pairs(TIMES);
  const samples: number[] = [];
  for (let n = 0; n < PARSE_WARM_UPS + times; n += 1) {
    const started = performance.now();
    parseEnglish(text);
    if (n >= PARSE_WARM_UPS) samples.push(performance.now() - started);
  }

  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const parse = async (n: number): Promise<void> => {
    const { status } = await call(service.url, "POST", "/api/v1/tests/parse", {
      bearer: service.account.accessToken,
      // A different text each time, so that no cache applies.
      body: { text: `Go to /${n}\n${text}` },
    });
    if (status !== 200) throw new Error(`POST /tests/parse returned ${status}`);
  };
  const blocks: number[] = [];
  for (let n = 0; n < WARM_UPS + times; n += 1) {
    const waited = await longestWait(service.url, () => parse(n));
    if (n >= WARM_UPS) blocks.push(waited);
  }

  const about = { bench: BENCH };
  return [
    plainRow(
      {
        ...about,
        what: "lines read, a mixed text",
        unit: "lines/s",
        goal: { of: "value", atLeast: 20_000 },
        note: `${lines} lines of the corpus, of which one in ten is not understood`,
      },
      samples.map((ms) => (lines / ms) * 1_000),
    ),
    plainRow(
      { ...about, what: "100 KB read", unit: "ms", goal: { of: "value", atMost: 100 } },
      samples,
    ),
    plainRow(
      {
        ...about,
        what: "longest wait of another request while the service reads 100 KB",
        unit: "ms",
        goal: { of: "value", atMost: 50 },
        note: "requests in sequence on one connection; includes their own time and the serialisation of the long response",
      },
      blocks,
    ),
  ];
};

/** The longest time of a small request while `work` runs, in milliseconds. */
const longestWait = async (url: string, work: () => Promise<void>): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let isDone = false;
  let longest = 0;
  const polling = (async () => {
    while (!isDone) {
      const sent = performance.now();
      await request(`${url}/api/v1/health/live`, agent);
      longest = Math.max(longest, performance.now() - sent);
    }
  })();
  try {
    await work();
  } finally {
    isDone = true;
    await polling;
    agent.destroy();
  }
  return longest;
};

const request = (url: string, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume().on("end", resolve);
    }).on("error", reject);
  });
