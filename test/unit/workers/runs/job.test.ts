import { describe, expect, test } from "vitest";
import { decodeJob, encodeJob, jobIdOf } from "../../../../src/workers/runs/job.ts";

const dispatch = {
  executionId: "0190a000-0000-7000-8000-000000000002",
  runId: "0190a000-0000-7000-8000-000000000001",
  organizationId: "0190a000-0000-7000-8000-000000000004",
  quotaPeriod: "202503",
  delivery: 2,
  offers: 1,
  everClaimed: true,
};

describe("a job of the work queue", () => {
  test("has execution and delivery as its id for the first offer, so that a repeat is dropped", () => {
    expect(jobIdOf(dispatch)).toBe(`${dispatch.executionId}:2`);
  });

  test("has another id for a later offer of the same delivery", () => {
    expect(jobIdOf({ ...dispatch, offers: 3 })).toBe(`${dispatch.executionId}:2:3`);
  });

  test("contains ids only, which are read back unchanged", () => {
    expect(decodeJob(encodeJob(dispatch))).toEqual({
      execution_id: dispatch.executionId,
      run_id: dispatch.runId,
      organization_id: dispatch.organizationId,
      delivery: 2,
    });
  });

  test("rejects an invalid payload", () => {
    expect(decodeJob("{")).toBeNull();
    expect(decodeJob('{"execution_id":"x"}')).toBeNull();
  });
});
