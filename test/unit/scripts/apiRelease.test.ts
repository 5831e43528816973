import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { narrowings } from "../../../scripts/apiNarrowing.ts";
import { problemsOfBaseline, releaseOf, whyNoRelease } from "../../../scripts/apiRelease.ts";
import { buildOpenApi } from "../../../src/api/openapi/index.ts";
import { operations } from "../../../src/api/routes/index.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const read = (name: string) => JSON.parse(readFileSync(path.join(root, name), "utf8"));
const document = { openapi: "3.1.0", paths: { "/x": { get: {} } } };
const released = releaseOf(document, "1.2.3");

describe("API baseline of a release", () => {
  it("contains every released operation under its version and later ones", () => {
    for (const version of ["1.2.3", "1.2.4", "1.3.0", "2.0.0", "1.10.0"]) {
      expect(problemsOfBaseline(released, version)).toEqual([]);
    }
  });

  it.each([
    ["is missing", null, "1.2.3", /missing/],
    ["was regenerated from the service", document, "1.2.3", /by hand/],
    ["lost an operation", { ...released, paths: {} }, "1.2.3", /by hand/],
    ["is of a later version", released, "1.2.2", /later/],
  ])("fails the check if it %s", (_, baseline, version, line) => {
    expect(problemsOfBaseline(baseline, version)).toEqual([expect.stringMatching(line)]);
  });

  it("refuses a version that is already released", () => {
    expect(whyNoRelease(released, "1.2.3")).toContain("1.2.3 is released");
    expect(whyNoRelease(released, "1.2.2")).toContain("1.2.3 is released");
    expect(whyNoRelease(released, "1.2.10")).toBeNull();
    expect(whyNoRelease(null, "0.1.0")).toBeNull();
  });

  it("is kept by the current service", () => {
    const baseline = read("openapi.released.json");
    expect(problemsOfBaseline(baseline, read("package.json").version)).toEqual([]);
    expect(narrowings(baseline, buildOpenApi(operations))).toEqual([]);
  });

  it("reports each removed operation of the current service", () => {
    const baseline = read("openapi.released.json");
    const whole = buildOpenApi(operations) as ReturnType<typeof read>;
    for (const gone of operations) {
      const path = `/api/v1${gone.path}`;
      // Only the path of the operation: comparing the whole description for each of them takes minutes.
      const only = (api: ReturnType<typeof read>, methods: object) => ({
        ...api,
        paths: { [path]: methods },
      });
      const { [gone.method.toLowerCase()]: _, ...rest } = whole.paths[path] ?? {};
      const lost = narrowings(only(baseline, baseline.paths[path] ?? {}), only(whole, rest));
      // What came after the release may go again.
      const isReleased = baseline.paths[path]?.[gone.method.toLowerCase()];
      expect(lost.length, gone.id).toBe(isReleased ? 1 : 0);
    }
  });
});
