import { describe, expect, it } from "vitest";
import {
  boundedNotes,
  boundedProblems,
  boxInViewport,
  MAX_EVIDENCE_TEXT,
  MAX_NOTES,
  MAX_PROBLEMS,
} from "../../../../../src/domain/runs/executions/stepEvidence.ts";

describe("the evidence of a step", () => {
  it("keeps the part of a box that the picture shows", () => {
    const viewport = { width: 100, height: 80 };
    const inside = { x: 10, y: 10, width: 20, height: 20 };
    expect(boxInViewport(inside, viewport)).toEqual({ ...inside, viewport });
    expect(boxInViewport({ x: -5, y: 70.4, width: 200, height: 30 }, viewport)).toEqual({
      ...{ x: 0, y: 70, width: 100, height: 10, viewport },
    });
    expect(boxInViewport({ x: 0, y: 90, width: 10, height: 10 }, viewport)).toBeNull();
    expect(boxInViewport({ x: 5, y: 5, width: 0, height: 10 }, viewport)).toBeNull();
  });

  it("is bounded in number and size, and counts the excess", () => {
    const long = "x".repeat(10_000);
    const many = Array.from({ length: 50 }, () => long);
    expect(boundedNotes(many)).toHaveLength(MAX_NOTES);
    const request = { method: "GET", url: long, status: 500, error: null };
    const page = boundedProblems({
      ...{ logged: many, exceptions: ["one"], requests: many.map(() => request), more: 2 },
    });
    expect([page.logged.length, page.exceptions.length, page.requests.length]).toEqual([
      ...[MAX_PROBLEMS, 1, MAX_PROBLEMS],
    ]);
    expect(page.more).toBe(2 + 45 + 45);
    const size = Buffer.byteLength(JSON.stringify(page));
    expect(size).toBeLessThan(3 * MAX_PROBLEMS * (MAX_EVIDENCE_TEXT + 100));
  });
});
