import { describe, expect, it } from "vitest";
import { auditDecider, decide } from "../../../../src/domain/audit/audit.ts";
import { fold } from "../../../../src/domain/kernel/decider.ts";

const id = "019a5a6e-3f00-7000-8000-5a1de1f0a001";
const exported = {
  what: "test",
  format: "yaml",
  resourceId: id,
  by: "ann",
  minute: "2026-03-01T10:11:00.000Z",
};
const noting = (change: Partial<typeof exported> = {}) =>
  ({ type: "noteExport", ...exported, ...change }) as const;
const given = (...done: Partial<typeof exported>[]) =>
  fold(
    auditDecider,
    done.map((change) => ({ type: "DataExported" as const, data: { ...exported, ...change } })),
  );

describe("organisation audit", () => {
  it("records an export", () => {
    expect(decide(noting(), given())).toEqual([{ type: "DataExported", data: exported }]);
  });

  it("records repeated exports once per minute", () => {
    expect(decide(noting(), given({}))).toEqual([]);
    expect(decide(noting(), given({}, { format: "python" }, { by: "bob" }))).toEqual([]);
  });

  it.each([
    { by: "bob" },
    { what: "execution" },
    { format: "json" },
    { minute: "2026-03-01T10:12:00.000Z" },
  ])("records another export if its %j differs", (change) => {
    expect(decide(noting(change), given({}))).toHaveLength(1);
  });

  it("keeps only the last minute in its state", () => {
    const minutes = ["10:12", "10:13", "10:14"].map((at) => ({
      minute: `2026-03-01T${at}:00.000Z`,
    }));
    expect(given({}, ...minutes).noted).toHaveLength(1);
  });
});
