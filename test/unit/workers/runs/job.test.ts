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
  test("given the first offer of a delivery, then its id is the execution and the delivery, so that a repeat is dropped", () => {
    expect(jobIdOf(dispatch)).toBe(`${dispatch.executionId}:2`);
  });

  test("given a later offer of the same delivery, then its id is another, so that it is not dropped as a repeat", () => {
    expect(jobIdOf({ ...dispatch, offers: 3 })).toBe(`${dispatch.executionId}:2:3`);
  });

  test("given what was put in, then the same ids come out, and nothing but ids", () => {
    expect(decodeJob(encodeJob(dispatch))).toEqual({
      execution_id: dispatch.executionId,
      run_id: dispatch.runId,
      organization_id: dispatch.organizationId,
      delivery: 2,
    });
  });

  test("given a payload that is no job, then it is none", () => {
    expect(decodeJob("{")).toBeNull();
    expect(decodeJob('{"execution_id":"x"}')).toBeNull();
  });
});
