import { planDecider } from "../../src/domain/billing/plan.ts";
import type { PlanEvent } from "../../src/domain/billing/planEvents.ts";
import type { OrganizationPlan } from "../../src/domain/billing/planState.ts";
import type { EventMetadata } from "../../src/domain/kernel/events.ts";
import type { RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow } from "../harness/rows.ts";
import { eventMetadata } from "../parts/payload.ts";
import { planEvents } from "../parts/planEvents.ts";

const BENCH = "plan-replay";
const EVENTS = 1_000_000;
/** Events per plan. */
const HISTORY = 1_000;

type Stored = { readonly type: string; readonly data: string; readonly metadata: string };

/** Throughput of decoding, validating and folding a million plan events, against JSON.parse and the bare fold. */
export const run: RunBench = async (context) => {
  context.log(`generating ${EVENTS.toLocaleString("en-US")} events …`);
  const history: Stored[] = planEvents(HISTORY).map(({ event }) => ({
    type: event.type,
    data: JSON.stringify(event.data),
    metadata: JSON.stringify(eventMetadata()),
  }));

  /** Events a second. */
  const replay = (decode: (stored: Stored) => PlanEvent) => async (): Promise<number> => {
    const started = performance.now();
    for (let done = 0; done < EVENTS; done += HISTORY) {
      let state: OrganizationPlan = planDecider.initial;
      for (const stored of history) state = planDecider.evolve(state, decode(stored));
      if (state.status !== "active") throw new Error("The plan is not active at the end");
    }
    return (EVENTS * 1_000) / (performance.now() - started);
  };
  const samples = await runPairs({
    pairs: context.pairs(7),
    warmUps: 1,
    budgetMs: 120_000,
    random: context.random,
    ours: replay(({ type, data, metadata }) => {
      const { schema_version: schemaVersion } = JSON.parse(metadata) as EventMetadata;
      return planDecider.codec.decode({ type, data: JSON.parse(data), schemaVersion });
    }),
    peer: replay(({ type, data, metadata }) => {
      JSON.parse(metadata);
      return { type, data: JSON.parse(data) } as PlanEvent;
    }),
  });
  return [
    pairedRow(
      {
        bench: BENCH,
        what: `${EVENTS.toLocaleString("en-US")} plan events replayed`,
        unit: "/s",
        peerIs: "JSON.parse and the bare fold of the same events, without validation",
        goal: { of: "ratio", atLeast: 0.8 },
        note: `histories of ${HISTORY} events`,
      },
      samples,
      context.random,
    ),
  ];
};
