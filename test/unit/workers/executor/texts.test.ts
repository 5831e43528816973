import { describe, expect, it } from "vitest";
import { likeness } from "../../../../src/domain/healing/score.ts";
import { nearestCandidates } from "../../../../src/workers/executor/candidates.ts";
import {
  plainMessage,
  reasonFromCallLog,
  shorten,
} from "../../../../src/workers/executor/errors.ts";
import { absoluteAddress } from "../../../../src/workers/executor/steps/navigation.ts";
import { substitute } from "../../../../src/workers/executor/variables.ts";

describe("substitute", () => {
  it("replaces every variable and keeps special characters of values", () => {
    const text = `\${a} and \${b.c} and \${a}, $5`;
    expect(substitute(text, { a: `\${b.c}`, "b.c": "$&" })).toBe(`\${b.c} and $& and \${b.c}, $5`);
  });

  it("names the known variables for an unknown one", () => {
    expect(() => substitute(`\${x}`, { a: "1", b: "2" })).toThrow(
      `There is no variable \${x}. The run has: a, b.`,
    );
    expect(() => substitute(`\${constructor}`, {})).toThrow("The run has none.");
  });
});

describe("absoluteAddress", () => {
  it.each([
    ["https://a.test/x", null, "https://a.test/x"],
    ["/login?x=1", "https://a.test/app/", "https://a.test/login?x=1"],
    ["./next", "https://a.test/app/", "https://a.test/app/next"],
  ])("resolves %s on %s to %s", (value, baseUrl, expected) => {
    expect(absoluteAddress(value, baseUrl)).toBe(expected);
  });

  it("explains what to set for a path without a base URL", () => {
    expect(() => absoluteAddress("/login", null)).toThrow(/has no base URL/);
  });
});

describe("nearestCandidates", () => {
  const page = [
    { kind: "heading", name: "Welcome back" },
    { kind: "link", name: "Help" },
    { kind: "text", name: "Sign in to go on" },
    { kind: "field", name: "E-mail" },
    { kind: "button", name: "Sign in" },
    { kind: "button", name: "Cancel" },
    { kind: "text", name: "Cancel" },
  ];

  it("puts the intended name first for a typing error", () => {
    const [first] = nearestCandidates(page, "Sing in", ["button", "link"]);
    expect(first).toEqual({ kind: "button", name: "Sign in" });
  });

  it("lists possible names without a similar one", () => {
    const names = nearestCandidates(page, "Zzz", ["button", "link"]).map(({ name }) => name);
    expect(names).toEqual(["Help", "Sign in", "Cancel"]);
  });

  it("puts a thing of the name first, whatever its kind, and the open dialog before the page", () => {
    const things = [
      { kind: "button", name: "Delet" },
      { kind: "link", name: "Delete" },
      { kind: "button", name: "Deleted", isInDialog: true },
    ];
    const names = nearestCandidates(things, "Delete", ["button"]).map(({ name }) => name);
    expect(names).toEqual(["Delete", "Deleted", "Delet"]);
  });

  it("measures similarity from 0 to 1", () => {
    expect(likeness("Sign in", "sign  IN")).toBe(1);
    expect(likeness("abc", "xyz")).toBe(0);
    expect(likeness("", "")).toBe(1);
  });
});

describe("error texts", () => {
  const timeout = new Error(
    [
      "locator.click: Timeout 3000ms exceeded.",
      "Call log:",
      "  - waiting for getByRole('button')",
      '    - <div class="veil">…</div> from <body>…</body> subtree intercepts pointer events',
    ].join("\n"),
  );

  it("separate Playwright's message from its call log, which gives the reason", () => {
    expect(plainMessage(timeout)).toBe("Timeout 3000ms exceeded.");
    expect(reasonFromCallLog(timeout)).toBe('it is covered by <div class="veil">…</div>');
    expect(reasonFromCallLog(new Error("other"))).toBeNull();
  });

  it("stay below 2 KiB", () => {
    for (const text of ["x".repeat(5000), "ß".repeat(5000), "😀".repeat(5000)]) {
      const short = shorten(text);
      expect(Buffer.byteLength(short)).toBeLessThanOrEqual(2048);
      expect(short).not.toContain("\uFFFD");
    }
    expect(shorten("short")).toBe("short");
  });
});
