import { DomainError } from "../kernel/errors.ts";

export const queueTimeout = (): DomainError =>
  new DomainError(
    "run.queueTimeout",
    "The run could not be queued in time. Nothing was run, and the reserved quota was released.",
  );

export const foreignExecution = (): DomainError =>
  new DomainError("run.foreignExecution", "The execution is not part of this run.");

export const runFinished = (): DomainError =>
  new DomainError("run.finished", "It has ended already: there is nothing to cancel.");

export const unknownRun = (runId: string): DomainError =>
  new DomainError("run.unknown", `There is no run ${runId}.`);
