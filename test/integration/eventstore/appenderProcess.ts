import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import { newEvent } from "./support.ts";

/*
 * Competes for a stream: reads its end, appends at that revision, and begins again when another was
 * faster, until it has written its share. Then it closes the log, and has to end by itself.
 */
const [url = "", stream = "", share = "0", name = ""] = process.argv.slice(2);
const log = connectEventLog(url);
process.stdout.write("ready\n");
let conflicts = 0;
for (let written = 0; written < Number(share); ) {
  let last: bigint | null = null;
  for await (const event of log.readStreamBackwards(stream, { limit: 1 })) last = event.revision;
  try {
    await log.append(stream, [newEvent({ name, written })], last ?? "no_stream");
    written += 1;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "WrongRevisionError") throw error;
    conflicts += 1;
  }
}
const subscription = log.subscribeAll({ after: null });
for await (const _ of subscription) break;
await log.close();
process.stdout.write(`done ${conflicts}\n`);
