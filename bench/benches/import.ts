import { setTimeout as delay } from "node:timers/promises";
import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";

const BENCH = "import";
const TESTS = 5_000;
const TIMEOUT_MS = 600_000;

/** Time to import a file of 5,000 tests in plain English, until lists show them. */
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
        note: "one JSON file, five sentences and one tag per test; until GET /tests/imports/{id} returns finished, which is when the read models have them",
      },
      samples,
    ),
  ];
};

/** Returns the seconds of one import. */
const importOnce = async ({ url, key }: HostedService, round: number): Promise<number> => {
  const tests = Array.from({ length: TESTS }, (_, n) => ({
    name: `Order ${round}-${n}`,
    text: `Go to /orders/${n}\nFill "Amount" with "${n}"\nSelect "Canada" from Country\nClick the "Pay" button\nI should see "Order ${n} is paid"`,
    tags: [`area ${n % 10}`],
  }));
  const started = performance.now();
  const accepted = await call(url, "POST", "/api/v1/tests/import", {
    bearer: key,
    body: { content: JSON.stringify(tests) },
  });
  if (accepted.status !== 202)
    throw new Error(`The import was not accepted: ${JSON.stringify(accepted.body)}`);
  for (;;) {
    const { body } = await call(url, "GET", `/api/v1/tests/imports/${accepted.body.import_id}`, {
      bearer: key,
    });
    const seconds = (performance.now() - started) / 1_000;
    if (body.status === "finished") {
      if (body.created !== TESTS) throw new Error(`The import created ${body.created} tests`);
      return seconds;
    }
    if (seconds * 1_000 > TIMEOUT_MS)
      throw new Error(`The import created ${body.done} tests in ${seconds} s`);
    await delay(100);
  }
};
