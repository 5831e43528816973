import { describe, expect, it } from "vitest";
import {
  type BaselineCommand,
  type Baselines,
  baselineAt,
  baselineDecider,
  type Place,
} from "../../../../src/domain/baselines/baseline.ts";
import {
  allowedPixels,
  defaultVisualSettings,
  masksFor,
  visualSettings,
} from "../../../../src/domain/baselines/settings.ts";

const { decide, evolve, initial } = baselineDecider;
const testId = "00000000-0000-4000-8000-000000000001";
const stepId = "00000000-0000-4000-8000-000000000002";
const place: Place = { stepId, browser: "chromium", viewport: "1280x720" };
const taken = (n: number) => ({
  picture: { key: `shots/${n}.png`, sha256: `hash ${n}`, width: 10, height: 10 },
  executionId: `00000000-0000-4000-8000-00000000010${n}`,
});
const propose = (n: number): BaselineCommand => ({
  type: "propose",
  testId,
  ...place,
  ...taken(n),
});
const approve = (n: number): BaselineCommand => ({
  type: "approve",
  testId,
  pictures: [{ ...place, ...taken(n) }],
});
const reject = (...ns: number[]): BaselineCommand => ({
  type: "reject",
  testId,
  pictures: ns.length === 0 ? null : ns.map((n) => ({ ...place, ...taken(n) })),
});

const having = (...commands: BaselineCommand[]): Baselines =>
  commands.reduce((state, command) => decide(command, state).reduce(evolve, state), initial);
const types = (command: BaselineCommand, state: Baselines) =>
  decide(command, state).map(({ type }) => type);

describe("baselines of a test", () => {
  it("proposes the first picture without approving it", () => {
    expect(baselineAt(having(propose(1)), place)).toMatchObject({
      approved: null,
      proposed: taken(1),
    });
    expect(types(propose(1), having(propose(1)))).toEqual([]);
  });

  it("replaces a proposal by a newer picture", () => {
    expect(baselineAt(having(propose(1), propose(2)), place).proposed).toEqual(taken(2));
  });

  it("approves a proposal, once", () => {
    const state = having(propose(1), approve(1));
    expect(baselineAt(state, place)).toMatchObject({ approved: taken(1), proposed: null });
    expect(types(approve(1), state)).toEqual([]);
    expect(types(propose(1), state)).toEqual([]);
  });

  it("keeps the baseline if a proposal is rejected", () => {
    const state = having(propose(1), approve(1), propose(2));
    expect(types(reject(1), state)).toEqual([]);
    const rejected = reject(2);
    expect(types(rejected, state)).toEqual(["BaselineRejected"]);
    const left = having(propose(1), approve(1), propose(2), rejected);
    expect(baselineAt(left, place)).toMatchObject({ approved: taken(1), proposed: null });
    expect(types(rejected, left)).toEqual([]);
    expect(types(reject(), state)).toEqual(["BaselineRejected"]);
  });

  it("rejects a picture that a later execution took again, only at its place", () => {
    const state = having(propose(1), propose(2));
    const again = { ...place, ...taken(2), executionId: taken(3).executionId };
    const elsewhere = { ...again, viewport: "390x844" };
    const rejecting = (picture: typeof again) =>
      types({ type: "reject", testId, pictures: [picture] }, state);
    expect(rejecting(again)).toEqual(["BaselineRejected"]);
    expect(rejecting(elsewhere)).toEqual([]);
  });

  it("withdraws the proposal if the approved picture is approved again", () => {
    const state = having(propose(1), approve(1), propose(2), approve(1));
    expect(baselineAt(state, place).proposed).toBeNull();
  });

  it("separates browsers and viewports", () => {
    const state = having(propose(1), approve(1));
    expect(baselineAt(state, { ...place, viewport: "390x844" }).approved).toBeNull();
  });

  it("removes a baseline, once", () => {
    const remove: BaselineCommand = { type: "remove", testId, place };
    const state = having(propose(1), approve(1), remove);
    expect(baselineAt(state, place)).toMatchObject({ approved: null, proposed: null });
    expect(types(remove, state)).toEqual([]);
  });

  it("records nothing for unchanged settings", () => {
    const change = (threshold: number): BaselineCommand => ({
      type: "changeSettings",
      testId,
      settings: { ...defaultVisualSettings, threshold },
    });
    expect(types(change(0.2), having())).toEqual([]);
    expect(types(change(0.1), having())).toEqual(["BaselineSettingsChanged"]);
    expect(types(change(0.1), having(change(0.1)))).toEqual([]);
  });
});

describe("comparison settings", () => {
  it.each([
    [{}, 0],
    [{ maxDiffPixels: 7 }, 7],
    [{ maxDiffRatio: 0.01 }, 10],
    [{ maxDiffPixels: 7, maxDiffRatio: 0.01 }, 7],
    [{ maxDiffPixels: 70, maxDiffRatio: 0.01 }, 10],
    [{ maxDiffPixels: 0, maxDiffRatio: 1 }, 0],
  ])("allow with %j a difference of %i in 1000 pixels", (given, allowed) => {
    expect(allowedPixels(visualSettings.parse(given), 1_000)).toBe(allowed);
  });

  it("combine the masks of the step and viewport with those for all", () => {
    const area = { x: 0, y: 0, width: 1, height: 1 };
    const settings = visualSettings.parse({
      masks: [area, { ...area, stepId: testId }, { ...area, viewport: "1x1" }, { ...area, stepId }],
    });
    const at = { stepId, viewport: "1280x720" };
    expect(masksFor(settings, at).map((mask) => mask.stepId)).toEqual([null, stepId]);
  });
});
