import type { BaselineCommands } from "../../commands/baselines/baselines.ts";
import type { ExecutionEvent } from "../../domain/runs/executions/events.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import type { AnySchema, Db } from "../../platform/database/database.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { derivedId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import { startReactor } from "../kernel/reactor.ts";
import { contextFrom } from "../runs/eventContext.ts";

const REACTOR = "baseline-proposer";

/** Proposes pictures without a baseline, or different from it, for review. */
export const startBaselineProposer = (deps: {
  readonly log: EventLog;
  readonly db: Db<AnySchema>;
  readonly holder: string;
  readonly baselines: Pick<BaselineCommands, "propose">;
  readonly logger: Logger;
}): { stop(): Promise<void> } => {
  const { log, db, holder, logger, baselines } = deps;
  return startReactor<Extract<ExecutionEvent, { type: "VisualCompared" }>>({
    name: REACTOR,
    log,
    db,
    holder,
    logger,
    codecs: [executionDecider.codec],
    on: {
      VisualCompared: async (event) => {
        const { outcome, ...rest } = event.data;
        if (outcome === "same") return;
        const executionId = event.stream.slice(event.stream.indexOf("-") + 1);
        const comparison = { ...rest, outcome, executionId };
        const eventId = (n: number) => derivedId(event.id, `propose:${n}`);
        await baselines.propose(contextFrom(event, REACTOR), comparison, eventId);
      },
    },
  });
};
