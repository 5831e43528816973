import { describe, expect, test } from "vitest";
import { openSite, run, step } from "./kit.ts";

const PAGES = {
  "/text": "<p>Kraft&shy;fahr&shy;zeug gefun&shy;den</p>",
  "/part": "<p>Ein <b>Kraft&shy;fahr&shy;zeug gefun&shy;den</b> worden</p>",
  "/widthless": "<p>Kraft&#8203;fahrzeug&#8203; &#8203;gefunden</p>",
  "/title": "<h1>Kraft&shy;fahrzeug gefunden</h1>",
  "/link": "<a href='#'>Kraft&shy;fahrzeug gefunden</a>",
  "/label": "<label>Kraft&shy;fahrzeug gefunden <input></label>",
} as const;

const { pool, site } = openSite(PAGES);

const ends = async (path: string, ...one: Parameters<typeof step>) => {
  const steps = [step("navigate", "", `${site.url}${path}`), step(...one)];
  const timeouts = { actionMs: 3_000, assertionMs: 600 };
  return run(pool, steps, { timeouts });
};
const NAME = '"Kraftfahrzeug gefunden"';

describe("a text with invisible break opportunities", () => {
  test.each(Object.keys(PAGES))("is found: %s", async (path) => {
    expect((await ends(path, "assert_visible", NAME)).error).toBeNull();
    const hidden = await ends(path, "assert_hidden", NAME);
    expect(hidden.status).toBe("failed");
    expect(hidden.error).toContain("Expected not to see");
    expect((await ends(path, "assert_count", NAME, "1")).error).toBeNull();
  });

  test("contains no space where a word may break", async () => {
    expect((await ends("/text", "assert_hidden", '"Kraft fahrzeug gefunden"')).error).toBeNull();
  });

  test("is compared without them", async () => {
    for (const path of ["/text", "/widthless"]) {
      expect((await ends(path, "assert_text", "css=p", "Kraftfahrzeug gefunden")).error).toBeNull();
      expect((await ends(path, "assert_contains", "css=p", "Kraftfahrzeug")).error).toBeNull();
    }
  });

  test("is found by a target that contains them", async () => {
    const written = '"Kraft\u00adfahrzeug gefunden"';
    expect((await ends("/widthless", "assert_visible", written)).error).toBeNull();
  });
});
