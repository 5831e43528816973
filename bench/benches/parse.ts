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
/**
 * Only then everything that reads is compiled as it stays: the 10th reading takes half as long again as the 50th, and what
 * lies between would be measured as it falls.
 */
const READ_WARM_UPS = 40;
const WARM_UPS = 10;
const TIMES = 30;

/** Lines of the corpus one after the other, understood and not, up to 100 KB: each of them once, as far as they go. */
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

/** Plain English to steps: how fast, and how long others wait while the service reads a long text. */
export const run: RunBench = async (context) => {
  const text = mixedText();
  const lines = text.split("\n").length;
  const times = context.pairs(TIMES);
  const samples: number[] = [];
  for (let n = 0; n < READ_WARM_UPS + times; n += 1) {
    const started = performance.now();
    parseEnglish(text);
    if (n >= READ_WARM_UPS) samples.push(performance.now() - started);
  }

  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const parse = async (n: number): Promise<void> => {
    const { status } = await call(service.url, "POST", "/api/v1/tests/parse", {
      bearer: service.account.accessToken,
      // Another text each time: none is known already.
      body: { text: `Go to /${n}\n${text}` },
    });
    if (status !== 200) throw new Error(`The text was answered with ${status}`);
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
        note: `${lines} lines of the corpus of sentences, one in ten not understood`,
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
        what: "longest wait of another while the service reads 100 KB",
        unit: "ms",
        goal: { of: "value", atMost: 50 },
        note: "of requests sent one after the other on a connection of their own: what a request takes by itself is in it, and the writing of the long answer",
      },
      blocks,
    ),
  ];
};

/** The longest that a small request takes while something goes on. */
const longestWait = async (url: string, doing: () => Promise<void>): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let isDone = false;
  let longest = 0;
  const asking = (async () => {
    while (!isDone) {
      const asked = performance.now();
      await ask(`${url}/api/v1/health/live`, agent);
      longest = Math.max(longest, performance.now() - asked);
    }
  })();
  try {
    await doing();
  } finally {
    isDone = true;
    await asking;
    agent.destroy();
  }
  return longest;
};

const ask = (url: string, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume().on("end", resolve);
    }).on("error", reject);
  });
