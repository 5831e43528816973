import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  equalInConstantTime,
  hmac,
  open,
  randomToken,
  seal,
} from "../../../src/platform/crypto.ts";

const key = randomBytes(32);

describe("sealed values", () => {
  it("open to the same text, and never repeat", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (text, context) => {
        const sealed = seal(key, text, context);
        expect(open(key, sealed, context)).toBe(Buffer.from(text, "utf8").toString("utf8"));
        expect(seal(key, text, context)).not.toBe(sealed);
      }),
    );
  });

  it("do not open with another context or key, or after a changed bit", () => {
    const sealed = seal(key, "top secret", "mail:1");
    expect(() => open(key, sealed, "mail:2")).toThrow("does not open");
    expect(() => open(randomBytes(32), sealed, "mail:1")).toThrow("does not open");
    const packed = Buffer.from(sealed.slice(3), "base64url");
    for (let index = 0; index < packed.length; index += 1) {
      const changed = Buffer.from(packed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => open(key, `s1.${changed.toString("base64url")}`, "mail:1")).toThrow();
    }
  });

  it.each(["", "s1.", "s2.AAAA", "s1.AAAA", "s1.AAAA.BBBB", "plain"])("reject %j", (text) => {
    expect(() => open(key, text, "c")).toThrow("Not a sealed value");
  });
});

describe("fingerprints and tokens", () => {
  it("are stable and differ by purpose, value and key", () => {
    const all = [
      hmac(key, "email", "a@example.org"),
      hmac(key, "token", "a@example.org"),
      hmac(key, "email", "b@example.org"),
      hmac(randomBytes(32), "email", "a@example.org"),
    ];
    expect(hmac(key, "email", "a@example.org")).toBe(all[0]);
    expect(new Set(all).size).toBe(4);
  });

  it("are unique and URL-safe", () => {
    const tokens = Array.from({ length: 1_000 }, () => randomToken());
    expect(new Set(tokens).size).toBe(1_000);
    expect(tokens.every((token) => /^[A-Za-z0-9_-]{43}$/.test(token))).toBe(true);
  });

  it("are compared correctly", () => {
    expect(equalInConstantTime("abc", "abc")).toBe(true);
    expect(equalInConstantTime("abc", "abd")).toBe(false);
    expect(equalInConstantTime("abc", "abcd")).toBe(false);
  });
});
