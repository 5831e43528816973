import { describe, expect, it } from "vitest";
import { reservationLines, verdictOf } from "../../../../src/domain/runs/reservations.ts";

describe("the verdict with reservations", () => {
  it.each([
    ["passed", 0, 0, "passed"],
    ["passed", 1, 0, "passed_with_gaps"],
    ["passed", 0, 2, "healed"],
    ["passed", 1, 2, "passed_with_gaps"],
    ["flaky", 1, 1, "flaky"],
    ["failed", 1, 1, "failed"],
    ["errored", 0, 1, "errored"],
    ["cancelled", 1, 0, "cancelled"],
    ["running", 1, 0, null],
    ["queued", 0, 0, null],
  ])("of status %s with %i gaps and %i healed steps is %s", (status, gaps, healed, verdict) => {
    expect(verdictOf(status, { gaps, healed })).toBe(verdict);
  });

  it("lists reservations by step, and names the browser if there are several", () => {
    const gaps = [{ browser: "firefox", step: 3, reason: "No baselines." }];
    const healed = [
      { browser: "chromium", step: 1, target: '"Save" button', healed_target: '"Store" button' },
    ];
    expect(reservationLines({ gaps, healed }, 1)).toEqual([
      'step 1 healed: "Store" button instead of "Save" button',
      "step 3 skipped: No baselines.",
    ]);
    expect(reservationLines({ gaps, healed: [] }, 2)).toEqual([
      "step 3 (firefox) skipped: No baselines.",
    ]);
  });
});
