import { describe, expect, it } from "vitest";
import {
  type RunResult,
  resultLetter,
} from "../../../../src/workers/notifications/resultLetter.ts";

const none = { passed: 0, failed: 0, flaky: 0, errored: 0, cancelled: 0, quarantined: 0 };
const letterOf = (more: Partial<RunResult>) =>
  resultLetter({
    status: "passed",
    before: "passed",
    triggeredBy: "schedule:nightly",
    totals: { ...none, passed: 3 },
    durationMs: 1_500,
    failed: [],
    reportUrl: "https://runledger.example/report",
    ...more,
  }).letter;

describe("the mail of a run that passed", () => {
  it.each([
    [{}, "nightly: passed", "3 passed, in 1.5 s"],
    [{ withGaps: 2 }, "nightly: passed with gaps", "3 passed, 2 with gaps, in 1.5 s"],
    [{ healed: 1 }, "nightly: passed with healed steps", "3 passed, 1 healed, in 1.5 s"],
    [
      { withGaps: 1, healed: 1, before: "failed" },
      "nightly: passes again with gaps",
      "3 passed, 1 with gaps, 1 healed, in 1.5 s",
    ],
  ])("names its reservations in subject and totals: %j", (more, subject, totals) => {
    const { subject: said, paragraphs } = letterOf(more);
    expect([said, paragraphs[1]]).toEqual([subject, totals]);
  });
});

describe("the mail of a run that failed", () => {
  it("counts the gaps of the tests that passed, and is no pass", () => {
    const { subject, paragraphs } = letterOf({
      status: "failed",
      totals: { ...none, passed: 2, failed: 1 },
      withGaps: 1,
    });
    expect(subject).toBe("nightly: failed, 1 of 3 tests");
    expect(paragraphs[1]).toBe("2 passed, 1 failed, 1 with gaps, in 1.5 s");
  });
});
