import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StepError } from "../../../../src/workers/executor/errors.ts";
import { createSecrets } from "../../../../src/workers/executor/secrets.ts";
import { substitute } from "../../../../src/workers/executor/variables.ts";

const of = async (values: Readonly<Record<string, string>>) => {
  const secrets = createSecrets(
    async (names) => new Map(names.map((name) => [name, values[name] ?? ""])),
  );
  await secrets.variablesFor(
    Object.keys(values)
      .map((name) => `\${secret.${name}}`)
      .join(),
  );
  return secrets;
};

describe("redaction of secrets", () => {
  it("removes any secret from any text, also quoted, URL-encoded or in capitals", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .string({ unit: "grapheme", minLength: 4, maxLength: 40 })
          .filter((text) => text.trim().length > 3),
        fc.string(),
        fc.string(),
        async (value, before, behind) => {
          const secrets = await of({ value });
          for (const form of [value, JSON.stringify(value), encodeURIComponent(value)]) {
            const told = secrets.blot(`${before}${form}${behind}`);
            // Unless what stands around it makes it anew.
            expect(told.replaceAll("[secret]", "\u0000")).not.toContain(value);
          }
        },
      ),
    );
  });

  it("removes the beginning of a truncated secret", async () => {
    const secrets = await of({ password: "correct horse battery staple" });
    expect(secrets.blot('It is "the correct hor…".')).toBe('It is "the [secret]…".');
    expect(secrets.blot("<p>correct horse bat")).toBe("<p>[secret]");
    expect(secrets.blot("CORRECT HORSE BATTERY STAPLE")).toBe("[secret]");
    expect(secrets.blot("incorrect…")).toBe("in[secret]…");
    expect(secrets.blot("a correction")).toBe("a correction");
  });

  it("keeps texts unchanged without secrets", () => {
    const secrets = createSecrets(async () => new Map());
    fc.assert(fc.property(fc.string(), (text) => secrets.blot(text) === text));
  });

  it("recognises a value written in groups", async () => {
    const secrets = await of({ card: "4111111111111111" });
    expect(secrets.isIn("4111 1111-1111.1111")).toBe(true);
    expect(secrets.isIn("4111 1111")).toBe(false);
  });

  it("separates variables and secrets", () => {
    const known = { user: "ada", "secret.user": "not this" };
    expect(substitute("${user}:${secret.user}", known, { "secret.user": "hush" })).toBe("ada:hush");
    expect(() => substitute("${secret.user}", known)).toThrow(StepError);
  });
});
