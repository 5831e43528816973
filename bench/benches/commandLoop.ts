import { randomUUID } from "node:crypto";
import { EventStoreDBClient, jsonEvent, NO_STREAM } from "@eventstore/db-client";
import { createCommandLoop } from "../../src/commands/kernel/commandLoop.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import { disposeClient } from "../../src/platform/eventLog/dispose.ts";
import { newId } from "../../src/platform/ids.ts";
import type { RunBench } from "../harness/bench.ts";
import { rateOf } from "../harness/callers.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow, type Row } from "../harness/rows.ts";
import { startLog } from "../parts/log.ts";
import { noteContext, noteDecider } from "../parts/notes.ts";
import { eventData, eventMetadata } from "../parts/payload.ts";

const BENCH = "command-loop";
const LEG_MS = 250;
const CALLERS = 16;

/** Throughput of commands against bare appends of the same events at known revisions, on the same log. */
export const run: RunBench = async (context) => {
  const { url } = await startLog(context);
  const client = EventStoreDBClient.connectionString(url);
  context.defer(() => disposeClient(client));
  const log = connectEventLog(url);
  context.defer(log.close);
  const loop = createCommandLoop({ log, clock: systemClock });

  const append = (stream: string, revision: bigint | null) => appendNote(client, stream, revision);
  const note = (id: string) => loop.execute(noteDecider, id, eventData(), noteContext);

  const ourHotStreams = Array.from({ length: CALLERS }, () => randomUUID());
  const peerHotStreams = ourHotStreams.map(() => ({
    stream: `note-${randomUUID()}`,
    revision: -1n,
  }));
  const kinds = [
    {
      what: "commands, new streams",
      ours: () => note(randomUUID()),
      peer: () => append(`note-${randomUUID()}`, null),
    },
    {
      what: "commands, hot streams",
      ours: (caller: number) => note(ourHotStreams[caller] ?? ""),
      peer: async (caller: number) => {
        const hot = peerHotStreams[caller];
        if (!hot) return;
        hot.revision = await append(hot.stream, hot.revision < 0n ? null : hot.revision);
      },
    },
  ];
  const rows: Row[] = [];
  for (const { what, ours, peer } of kinds) {
    const samples = await runPairs({
      pairs: context.pairs(30),
      warmUps: 3,
      budgetMs: 40_000,
      random: context.random,
      ours: () => rateOf(CALLERS, LEG_MS, ours),
      peer: () => rateOf(CALLERS, LEG_MS, peer),
    });
    rows.push(
      pairedRow(
        {
          bench: BENCH,
          what: `${what}, ${CALLERS} callers`,
          unit: "/s",
          peerIs: "the bare client appending the same events at a known revision",
          goal: { of: "ratio", atLeast: 0.9 },
        },
        samples,
        context.random,
      ),
    );
  }
  return rows;
};

/** Appends a note with the bare client. `revision` is null for a new stream. Returns the new revision. */
const appendNote = async (
  client: EventStoreDBClient,
  stream: string,
  revision: bigint | null,
): Promise<bigint> => {
  const event = jsonEvent({
    id: newId(),
    type: "Noted",
    data: eventData(),
    metadata: eventMetadata(),
  });
  const { nextExpectedRevision } = await client.appendToStream(stream, event, {
    expectedRevision: revision ?? NO_STREAM,
  });
  return nextExpectedRevision;
};
