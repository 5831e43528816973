import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import { appendSurely, newEvent } from "./support.ts";

/*
 * Loads a log with concurrent callers. Each caller appends to streams of its own, one append at a time, repeats it until
 * it is acknowledged, and reports it. After a stop request, the process finishes the open appends and exits.
 */
const [url = "", name = "", callers = "1"] = process.argv.slice(2);
const log = connectEventLog(url);
let writing = true;
process.stdin.once("data", () => {
  writing = false;
});
process.stdout.write("ready\n");
await Promise.all(
  Array.from({ length: Number(callers) }, async (_, caller) => {
    for (let n = 0; writing; n += 1) {
      const stream = `${name}-${caller}`;
      const event = newEvent({ n });
      // Every third append trusts to the ids alone to be there once.
      const expected = n % 3 === 2 ? "any" : n === 0 ? "no_stream" : BigInt(n - 1);
      await appendSurely(log, stream, event, expected);
      process.stdout.write(`acknowledged ${stream} ${n} ${event.id}\n`);
    }
  }),
);
process.stdout.write("done\n");
await log.close();
process.stdin.destroy();
