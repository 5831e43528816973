import { type Baselines, baselineDecider, type Place } from "../../domain/baselines/baseline.ts";
import type { VisualSettings } from "../../domain/baselines/settings.ts";
import { organizationOf, type Written } from "../catalogue/changes.ts";
import type { CommandContext } from "../kernel/context.ts";
import { rejudge } from "./rejudge.ts";
import { approve, approveRun, propose, reject, rejectRun } from "./review.ts";
import {
  type BaselineDeps,
  mustBeInPlan,
  mustOwnTest,
  planRefusal,
  writeBaselines,
} from "./write.ts";

export type BaselineCommands = ReturnType<typeof baselineCommands>;

/** The current baselines of a test. */
const baselinesNow = async ({ loop }: BaselineDeps, testId: string): Promise<Baselines> =>
  (await loop.load(baselineDecider, testId)).state;

/** The baselines of a test after the first `version` events of their stream. Runs pin this number. */
const baselinesAt = async (
  { log }: BaselineDeps,
  testId: string,
  version: number,
): Promise<Baselines> => {
  let state = baselineDecider.initial;
  if (version === 0) return state;
  const stream = `${baselineDecider.category}-${testId}`;
  for await (const { type, data, metadata } of log.readStream(stream, { limit: version })) {
    const schemaVersion = metadata.schema_version;
    const event = baselineDecider.codec.decode({ type, data, schemaVersion });
    state = baselineDecider.evolve(state, event);
  }
  return state;
};

/** Removes the baseline and the proposal of a place. The next run proposes a new picture. */
const removeBaseline = async (
  deps: BaselineDeps,
  context: CommandContext,
  testId: string,
  place: Place,
): Promise<Written<Baselines>> => {
  await mustOwnTest(deps, context, testId);
  return writeBaselines(deps, context, { type: "remove", testId, place });
};

const changeSettings = async (
  deps: BaselineDeps,
  context: CommandContext,
  testId: string,
  settings: VisualSettings,
): Promise<Written<Baselines>> => {
  await mustOwnTest(deps, context, testId);
  await mustBeInPlan(deps, organizationOf(context));
  return writeBaselines(deps, context, { type: "changeSettings", testId, settings });
};

export const baselineCommands = (deps: BaselineDeps) => ({
  planRefusal: planRefusal.bind(null, deps),
  baselinesNow: baselinesNow.bind(null, deps),
  baselinesAt: baselinesAt.bind(null, deps),
  propose: propose.bind(null, deps),
  approve: approve.bind(null, deps),
  reject: reject.bind(null, deps),
  approveRun: approveRun.bind(null, deps),
  rejectRun: rejectRun.bind(null, deps),
  removeBaseline: removeBaseline.bind(null, deps),
  changeSettings: changeSettings.bind(null, deps),
  rejudge: rejudge.bind(null, deps),
});
