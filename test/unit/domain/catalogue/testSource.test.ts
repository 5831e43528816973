import { describe, expect, it } from "vitest";
import { comparablePath, sourcePath } from "../../../../src/domain/catalogue/source.ts";
import { testSourceDecider } from "../../../../src/domain/catalogue/testSource.ts";
import { scenario } from "../../../support/scenario.ts";

const testId = "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e";
const other = "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6f";
const data = {
  organizationId: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d60",
  projectId: null,
  path: "tests/shopping.yaml",
  testId,
  claimedAt: "2026-03-02T09:15:00.000Z",
};
const claim = { type: "claim", ...data } as const;
const claimed = { type: "SourceClaimed", data } as const;
const released = { type: "SourceReleased", data: { testId } } as const;
const source = scenario(testSourceDecider);

describe("the path of a test file", () => {
  it("belongs to one test, until it is released", () => {
    source.given([]).when(claim).then([claimed]);
    source.given([claimed]).when(claim).thenNothing();
    const taken = { ...claim, testId: other };
    const refusal = source.given([claimed]).when(taken).thenRefused("test.sourceTaken");
    expect(refusal.message).toContain(testId);
    source.given([claimed]).when({ type: "release", testId: other }).thenNothing();
    source.given([claimed]).when({ type: "release", testId }).then([released]);
    source
      .given([claimed, released])
      .when(taken)
      .then([{ type: "SourceClaimed", data: { ...data, testId: other } }]);
  });

  it.each([
    "",
    "/a.yaml",
    "../a.yaml",
    "a/../b.yaml",
    "a//b.yaml",
    "a\\b.yaml",
    "C:/a.yaml",
    "a\0",
  ])("is relative to the repository, with /: refuses %j", (path) => {
    expect(sourcePath.safeParse(path).success).toBe(false);
  });

  it("is the same in another case or Unicode form", () => {
    expect(comparablePath("Tests/Caf\u00e9.yaml")).toBe(comparablePath("tests/cafe\u0301.yaml"));
  });
});
