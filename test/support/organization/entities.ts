import type { ComparedRun } from "../comparedRun.ts";
import type { Catalogue } from "./catalogue.ts";

/** Ids of an organisation that has one of each entity. */
export type Entities = Catalogue & {
  /** Of the project. It has a secret `password`. */
  readonly environmentId: string;
  readonly scheduleId: string;
  readonly runId: string;
  readonly executionId: string;
  /** Receipt of a run that exceeded the quota. */
  readonly refusalId: string;
  /** A run whose picture differs from its baseline. */
  readonly compared: ComparedRun;
  /** Healings of the compared test: one to accept, one to reject. */
  readonly healingId: string;
  readonly otherHealingId: string;
  /** The plan change that was applied. */
  readonly planChangeId: string;
};
