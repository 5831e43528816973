import { describe, expect, test } from "vitest";
import { openSite, run, step } from "./kit.ts";

const { pool, site } = openSite({
  "/": `<p>Fine</p><button>Go</button><input aria-label="Code">`,
  "/quotes": `<button>Say ""hello""</button><button>Give "" here</button><p>It's '"so"'</p>`,
});

const ends = async (path: string, ...one: Parameters<typeof step>) => {
  const steps = [step("navigate", "", `${site.url}${path}`), step(...one)];
  const timeouts = { actionMs: 1_000, assertionMs: 600 };
  return run(pool, steps, {
    timeouts,
    variables: { empty: "", blank: "  ", name: "Fine", quoted: '"so"' },
  });
};

describe("a target emptied by a variable", () => {
  test.each([
    ["assert_visible", "${empty}"],
    ["assert_visible", "${blank}"],
    ["assert_visible", "text=${empty}"],
    ["assert_visible", '"${empty}"'],
    ["assert_hidden", '"${empty}"'],
    ["assert_hidden", '"${empty}" button'],
    ["assert_hidden", '"${blank}" button'],
    ["click", '"${empty}" button'],
    ["scroll", "${empty}"],
  ])("fails %s of %s with the reason", async (action, target) => {
    const ended = await ends("/", action, target);
    expect(ended.status).toBe("failed");
    expect(ended.error).toBe(
      `Step 2 failed: ${target} names nothing: what is put into it is empty.`,
    );
  });

  test.each([
    ["assert_contains", "Go button"],
    ["drag", "Go button"],
  ])("fails as the value of %s, too", async (action, target) => {
    const ended = await ends("/", action, target, "${empty}");
    expect(ended.error).toBe(
      "Step 2 failed: ${empty} names nothing: what is put into it is empty.",
    );
  });

  test("does not affect filled variables and empty values", async () => {
    expect((await ends("/", "assert_visible", '"${name}"')).error).toBeNull();
    expect((await ends("/quotes", "assert_visible", '"${quoted}"')).error).toBeNull();
    expect((await ends("/", "assert_value", "Code", "${empty}")).error).toBeNull();
    expect((await ends("/", "scroll", "", "top")).error).toBeNull();
  });
});

describe("a name that contains quotes", () => {
  test.each(['Say ""hello""', 'Give "" here', `It's '"so"'`])("is found: %s", async (name) => {
    expect((await ends("/quotes", "assert_visible", name)).error).toBeNull();
    expect((await ends("/quotes", "assert_hidden", name)).error).toContain("Expected not to see");
  });
});
