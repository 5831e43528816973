import { describe, expect, it } from "vitest";
import { z } from "zod";
import { derivedId, idsFrom, newId } from "../../../src/platform/ids.ts";

describe("ids", () => {
  it("are valid and unique UUIDv7", () => {
    const ids = Array.from({ length: 1_000 }, newId);
    for (const id of ids) expect(z.uuidv7().safeParse(id).success).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("contain their creation time and sort by it", () => {
    const before = Date.now();
    const id = newId();
    const made = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
    expect(made).toBeGreaterThanOrEqual(before);
    expect(made).toBeLessThanOrEqual(Date.now());
  });

  it("are derived as UUIDv5 according to the example of RFC 9562", () => {
    const dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    expect(derivedId(dns, "www.example.com")).toBe("2ed6657d-e927-568b-95e1-2665a8aea6a2");
  });

  it("are equal for equal causes and differ otherwise", () => {
    const cause = newId();
    expect(derivedId(cause, "0")).toBe(derivedId(cause, "0"));
    expect(derivedId(cause, "0")).not.toBe(derivedId(cause, "1"));
    expect(derivedId(newId(), "0")).not.toBe(derivedId(cause, "0"));
  });

  it("are reproducible UUIDv7 for a seed, time and purpose", () => {
    const seed = newId();
    const ids = idsFrom(seed);
    const made = ["test", "step 0", "step 1"].map(ids);
    expect(made).toEqual(["test", "step 0", "step 1"].map(idsFrom(seed)));
    expect(new Set([seed, ...made, idsFrom(newId())("test")]).size).toBe(5);
    for (const id of made) {
      expect(z.uuidv7().safeParse(id).success).toBe(true);
      expect(id.slice(0, 13)).toBe(seed.slice(0, 13));
    }
  });
});
