import type { BenchContext } from "../harness/bench.ts";
import type { Row } from "../harness/rows.ts";
import { type CataloguePlaces, fillCatalogue, testIdOf } from "../parts/catalogue.ts";
import { startHostedService } from "../parts/host.ts";
import { plotRow, timeGet } from "./measure.ts";

const SIZES = [1_000, 10_000, 50_000, 100_000] as const;

/** Latency of lists and searches as the tests of an organisation grow. */
export const growTests = async (context: BenchContext): Promise<readonly Row[]> => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const rows: Row[] = [];
  let before: { readonly places: CataloguePlaces; readonly to: number } | undefined;
  for (const tests of SIZES) {
    context.log(`${tests.toLocaleString("en-US")} tests …`);
    before = { places: await fillCatalogue(service, tests, before), to: tests };
    const requests: readonly (readonly [line: string, path: string])[] = [
      ["list", "/tests?limit=50"],
      ["list, middle page", `/tests?limit=50&cursor=${testIdOf(tests / 2)}`],
      ["search, one word", "/tests?q=order"],
      ["search, misspelt word", "/tests?q=orderx"],
    ];
    for (const [line, path] of requests) {
      rows.push(plotRow({ plot: "tests", line, x: tests }, "ms", await timeGet(service, path)));
    }
  }
  return rows;
};
