import { setTimeout as delay } from "node:timers/promises";
import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";

const BENCH = "import";
const TESTS = 5_000;
const PATIENCE_MS = 600_000;

/** A file of 5,000 tests in plain English, five lines each, from the request until lists show the last of them. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const samples: number[] = [];
  for (let round = 0; round < context.pairs(3); round += 1) {
    samples.push(await importOnce(service, round));
  }
  return [
    plainRow(
      {
        bench: BENCH,
        what: "5,000 tests imported",
        unit: "s",
        goal: { of: "value", atMost: 60 },
        note: "one JSON file, five sentences and a tag a test; until GET /tests/imports/{id} says finished, which is when the read models show them",
      },
      samples,
    ),
  ];
};

/** Seconds. */
const importOnce = async ({ url, key }: HostedService, round: number): Promise<number> => {
  const tests = Array.from({ length: TESTS }, (_, n) => ({
    name: `Order ${round}-${n}`,
    text: `Go to /orders/${n}\nFill "Amount" with "${n}"\nSelect "Canada" from Country\nClick the "Pay" button\nI should see "Order ${n} is paid"`,
    tags: [`area ${n % 10}`],
  }));
  const started = performance.now();
  const asked = await call(url, "POST", "/api/v1/tests/import", {
    bearer: key,
    body: { content: JSON.stringify(tests) },
  });
  if (asked.status !== 202) throw new Error(`Not taken: ${JSON.stringify(asked.body)}`);
  for (;;) {
    const { body } = await call(url, "GET", `/api/v1/tests/imports/${asked.body.import_id}`, {
      bearer: key,
    });
    const seconds = (performance.now() - started) / 1_000;
    if (body.status === "finished") {
      if (body.created !== TESTS) throw new Error(`${body.created} tests were made`);
      return seconds;
    }
    if (seconds * 1_000 > PATIENCE_MS) throw new Error(`${body.done} tests in ${seconds} s`);
    await delay(100);
  }
};
