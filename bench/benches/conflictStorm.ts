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

/** 32 concurrent writers on one stream, against one writer on a stream of its own. */
export const run: RunBench = async (context) => {
  const { url } = await startLog(context);
  const log = connectEventLog(url);
  context.defer(log.close);
  const newLoop = () => createCommandLoop({ log, clock: systemClock });
  const alone = newLoop();
  const shared = newLoop();
  const separate = Array.from({ length: WRITERS }, newLoop);
  const streams = { alone: newId(), shared: newId(), separate: newId() };
  const counter = { refused: 0 };
  const storm =
    (id: string, loopOf: (writer: number) => CommandLoop, writers = WRITERS) =>
    () =>
      countCommands({ id, loopOf, writers, counter, newLoop });
  const kinds = [
    { what: "32 writers of one process on one stream", ours: storm(streams.shared, () => shared) },
    {
      what: "32 writers as 32 processes on one stream",
      ours: storm(streams.separate, (writer) => separate[writer] ?? shared),
    },
  ];
  const rows: Row[] = [];
  for (const { what, ours } of kinds) {
    counter.refused = 0;
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
          peerIs: "one writer of the same commands on a stream of its own",
          goal: { of: "ratio", atLeast: 0.5 },
          note: `the stream held each completed command once; ${counter.refused} commands failed with stream.contended and were repeated`,
        },
        samples,
        context.random,
      ),
    );
  }
  return rows;
};

type Storm = {
  readonly id: string;
  readonly loopOf: (writer: number) => CommandLoop;
  readonly writers: number;
  /** Counts the commands that failed with `stream.contended`. */
  readonly counter: { refused: number };
  readonly newLoop: () => CommandLoop;
};

/**
 * Returns completed commands a second. Throws unless the stream then holds each completed command once.
 * Writers repeat commands that fail with `stream.contended`.
 */
const countCommands = async ({ id, loopOf, writers, counter, newLoop }: Storm): Promise<number> => {
  // A new loop has no cached state.
  const count = async () => (await newLoop().load(noteDecider, id)).state.count;
  const before = await count();
  let done = 0;
  const started = performance.now();
  await rateOf(writers, LEG_MS, async (writer) => {
    try {
      await loopOf(writer).execute(noteDecider, id, eventData(), noteContext);
      done += 1;
    } catch (error) {
      if (!(error instanceof DomainError && error.code === "stream.contended")) throw error;
      counter.refused += 1;
    }
  });
  const elapsed = performance.now() - started;
  const stored = (await count()) - before;
  if (stored !== done)
    throw new Error(`${done} commands completed, but the stream holds ${stored}`);
  return (done / elapsed) * 1_000;
};
