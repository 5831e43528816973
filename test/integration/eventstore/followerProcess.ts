import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import { LogUnavailableError } from "../../../src/platform/eventLog/errors.ts";

/* Follows a log as a projector does: it subscribes again after the last position that it was given. */
const [url = ""] = process.argv.slice(2);
const log = connectEventLog(url);
let last: bigint | null = null;
process.stdout.write("ready\n");
for (;;) {
  try {
    for await (const event of log.subscribeAll({ after: last })) {
      last = event.position;
      process.stdout.write(`saw ${event.position} ${event.id}\n`);
    }
  } catch (error) {
    if (!(error instanceof LogUnavailableError)) throw error;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
