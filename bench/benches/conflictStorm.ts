import { type CommandLoop, createCommandLoop } from "../../src/commands/kernel/commandLoop.ts";
import { DomainError } from "../../src/domain/kernel/errors.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import { newId } from "../../src/platform/ids.ts";
import type { RunBench } from "../harness/bench.ts";
import { rateOf } from "../harness/callers.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow, type Row } from "../harness/rows.ts";
import { startLog } from "../parts/log.ts";
import { noteContext, noteDecider } from "../parts/notes.ts";
import { eventData } from "../parts/payload.ts";

const BENCH = "conflict-storm";
const WRITERS = 32;
const LEG_MS = 400;

/** 32 writers on one stream, against one that has a stream to itself. */
export const run: RunBench = async (context) => {
  const { url } = await startLog(context);
  const log = connectEventLog(url);
  context.defer(log.close);
  const newLoop = () => createCommandLoop({ log, clock: systemClock });
  const alone = newLoop();
  const shared = newLoop();
  const apart = Array.from({ length: WRITERS }, newLoop);
  const streams = { alone: newId(), shared: newId(), apart: newId() };
  const note = (loop: CommandLoop, id: string) =>
    loop.execute(noteDecider, id, eventData(), noteContext);
  const count = async (id: string) => (await newLoop().load(noteDecider, id)).state.count;
  let refused = 0;

  /**
   * Commands answered a second. Afterwards the stream is read: it must hold each of them once. A writer
   * that is told to try again does.
   */
  const storm =
    (id: string, loopOf: (writer: number) => CommandLoop, writers = WRITERS) =>
    async (): Promise<number> => {
      const before = await count(id);
      let done = 0;
      const started = performance.now();
      await rateOf(writers, LEG_MS, async (writer) => {
        try {
          await note(loopOf(writer), id);
          done += 1;
        } catch (error) {
          if (!(error instanceof DomainError && error.code === "stream.contended")) throw error;
          refused += 1;
        }
      });
      const took = performance.now() - started;
      const stands = (await count(id)) - before;
      if (stands !== done)
        throw new Error(`${done} commands were answered and ${stands} stand in the stream`);
      return (done / took) * 1_000;
    };

  const kinds = [
    { what: "32 writers of one process on one stream", ours: storm(streams.shared, () => shared) },
    {
      what: "32 writers as of 32 processes on one stream",
      ours: storm(streams.apart, (writer) => apart[writer] ?? shared),
    },
  ];
  const rows: Row[] = [];
  for (const { what, ours } of kinds) {
    refused = 0;
    const samples = await runPairs({
      pairs: context.pairs(15),
      warmUps: 1,
      budgetMs: 40_000,
      random: context.random,
      ours,
      peer: storm(streams.alone, () => alone, 1),
    });
    rows.push(
      pairedRow(
        {
          bench: BENCH,
          what,
          unit: "/s",
          peerIs: "one writer of the same commands on a stream that nobody else writes to",
          goal: { of: "ratio", atLeast: 0.5 },
          note: `after each measurement the stream is read: it held each answered command once; ${refused} commands were told to try again`,
        },
        samples,
        context.random,
      ),
    );
  }
  return rows;
};
