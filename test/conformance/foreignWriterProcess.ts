import { randomUUID } from "node:crypto";
import { binaryEvent, EventStoreDBClient, jsonEvent } from "@eventstore/db-client";

/*
 * The others on a shared server: writes a past of events of all kinds, and then goes on, a little of
 * everything at a time, until it is killed.
 */
const [url = ""] = process.argv.slice(2);
const client = EventStoreDBClient.connectionString(url);

const past = `foreign-${randomUUID()}`;
const write = async (round: number): Promise<void> => {
  const stream = `${past}-${round % 50}`;
  await client.appendToStream(
    stream,
    Array.from({ length: 20 }, (_, n) =>
      n % 5 === 0
        ? binaryEvent({ type: "ForeignBytes", data: Uint8Array.from([round % 256, n]) })
        : jsonEvent({ type: n % 2 ? "ConformanceChecked" : "Red", data: { round, n } }),
    ),
  );
  const system = jsonEvent({ type: "$statsCollected", data: { round } });
  await client.appendToStream(`$stats-${past}`, system);
  await client.appendToStream(
    `$ce-${past}`,
    binaryEvent({ type: "$>", data: Buffer.from(`0@${stream}`) }),
  );
  if (round % 7 === 0) await client.setStreamMetadata(stream, { maxCount: 30, owner: "others" });
  const short = `${past}-short-${round}`;
  if (round % 5 < 2) await client.appendToStream(short, jsonEvent({ type: "Red", data: {} }));
  if (round % 5 === 0) await client.deleteStream(short);
  if (round % 5 === 1) await client.tombstoneStream(short);
};

let round = 0;
for (; round < 150; round += 1) await write(round);
process.stdout.write("ready\n");
for (;;) {
  await write(round++);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
