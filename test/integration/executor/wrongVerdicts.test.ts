import { afterEach, describe, expect, test, vi } from "vitest";
import { heal, takeFingerprint } from "../../../src/workers/executor/healing/heal.ts";
import { openSite, run, step } from "./kit.ts";

const row = (name: string) =>
  `<li><span>${name}</span> <input name="qty" aria-label="Quantity">
    <button data-testid="delete">Delete</button> <button data-testid="remove-${name}">Remove</button></li>`;
const rowOf = (name: string, said: string) =>
  `<li><span>${name}</span> <button onclick="document.querySelector('#said').textContent = '${said} deleted'">Delete</button></li>`;
const PAGES = {
  "/styled": `<style>.del::before{content:"Delete"}</style><button class="del"></button>
    <form><p><input type="submit"></p></form>`,
  "/sections": `<section aria-label="Billing"><p>Error</p></section><section aria-label="Billing"><p>Fine</p></section>`,
  "/frame": `<iframe title="Inner" srcdoc="<select aria-label=Size><option>Small</option><option>Large</option></select>"></iframe>`,
  "/opener": `<title>Opener</title><a href="/popup" target="_blank">Open Popup</a> <a href="/hasty" target="_blank">Open Hasty</a>`,
  "/popup": `<title>Popup</title><p>Error</p><button onclick="window.close()">Close</button>`,
  "/hasty": `<title>Hasty</title><button onmousedown="window.close()">Close</button>`,
  "/rows": `<ul>${row("Apple")}${row("Banana")}</ul>`,
  "/anns": `<header><nav>Ann</nav></header><ul>${rowOf("Ann", "first")}${rowOf("Bob", "second")}${rowOf("Ann", "third")}</ul><p id="said"></p>`,
  "/ann": `<header><nav>Ann</nav></header><ul>${rowOf("Bob", "first")}${rowOf("Ann", "second")}</ul><p id="said"></p>`,
  "/titles": `<div><h2>Billing</h2><p>Fine</p></div><div><h2>Billing</h2><p>Error</p></div>`,
  "/fewer": `<ul>${row("Banana")}</ul>`,
  "/other": `<ul>${row("Apple").replaceAll("Remove<", "Take out<")}</ul>`,
} as const;

const { pool, site } = openSite(PAGES);

afterEach(() => {
  vi.unstubAllEnvs();
});

const endsWithin = async (
  assertionMs: number,
  path: string,
  ...steps: Parameters<typeof step>[]
) => {
  const all = [step("navigate", "", `${site.url}${path}`), ...steps.map((one) => step(...one))];
  const timeouts = { actionMs: 10_000, assertionMs };
  const { status, error } = await run(pool, all, { timeouts });
  return { status, error };
};
/** For what comes about: on a busy machine it may take its time. */
const comesTo = (path: string, ...steps: Parameters<typeof step>[]) =>
  endsWithin(10_000, path, ...steps);
/** For what never comes about, and is waited for as long. */
const ends = (path: string, ...steps: Parameters<typeof step>[]) => endsWithin(600, path, ...steps);

describe("a negative assertion", () => {
  test.each(["Delete", "Submit"])(
    "sees %s, which styles or the browser put into a button",
    async (name) => {
      expect((await ends("/styled", ["assert_hidden", name])).error).toContain(
        "Expected not to see",
      );
      expect((await ends("/styled", ["assert_count", name, "0"])).error).toContain("there is 1");
      expect((await comesTo("/styled", ["assert_count", name, "1"])).status).toBe("passed");
    },
  );

  test("fails for two sections of the same name", async () => {
    const error = '"Error" in the "Billing" section';
    for (const [action, value] of [
      ["assert_hidden", ""],
      ["assert_count", "0"],
    ] as const) {
      const ended = await ends("/sections", [action, error, value]);
      expect(ended.status).toBe("failed");
      expect(ended.error).toContain("there are 2 to look in that could be section");
      expect(ended.error).toContain("Say which of them: first, last");
    }
    expect((await ends("/sections", ["assert_visible", error])).error).toContain("there are 2");
    const first = '"Error" in the first "Billing" section';
    expect((await comesTo("/sections", ["assert_visible", first])).status).toBe("passed");
    const second = '"Error" in the second "Billing" section';
    expect((await comesTo("/sections", ["assert_hidden", second])).status).toBe("passed");
  });

  test.each([
    ["assert_hidden", ""],
    ["assert_count", "0"],
  ])("is errored in a window that has closed itself: %s", async (action, value) => {
    const ended = await comesTo(
      "/opener",
      ["click", "Open Popup"],
      ["switch_tab", "Popup"],
      ["click", "Close"],
      ["wait", "", "300 ms"],
      [action, "Error", value],
    );
    expect(ended).toEqual({
      status: "errored",
      error: "Step 6: The page was closed while the step was running.",
    });
  });
});

describe("a click that closes its own window", () => {
  test.each(["Popup", "Hasty"])(
    "passes in %s, however soon it closes, and the test continues",
    async (title) => {
      for (let n = 0; n < 12; n += 1) {
        const ended = await comesTo(
          "/opener",
          ["click", `Open ${title}`],
          ["switch_tab", title],
          ["click", "Close"],
          ["switch_tab", "Opener"],
          ["assert_visible", `"Open ${title}"`],
        );
        expect(ended).toEqual({ status: "passed", error: null });
      }
    },
  );

  test("is errored if the window was closed before", async () => {
    const ended = await comesTo(
      "/opener",
      ["click", "Open Popup"],
      ["switch_tab", "Popup"],
      ["click", "Close"],
      ["wait", "", "300 ms"],
      ["click", "Close"],
    );
    expect(ended).toEqual({
      status: "errored",
      error: expect.stringContaining("Step 6: The page"),
    });
  });
});

describe("a frame", () => {
  test("shows the chosen option", async () => {
    expect(
      await comesTo(
        "/frame",
        ["switch_frame", 'frame "Inner"'],
        ["select", "Size", "Large"],
        ["assert_value", "Size", "Large"],
      ),
    ).toEqual({ status: "passed", error: null });
  });
});

describe("healing in similar rows", () => {
  const healedFrom = async (css: string, purpose: "fill" | "action", to: string) => {
    const { page, release } = await pool.open();
    try {
      await page.goto(`${site.url}/rows`);
      const was = await takeFingerprint(page.locator(css));
      await page.goto(`${site.url}${to}`);
      const healed = was && (await heal(page, purpose, was, []));
      return typeof healed === "string" ? healed : healed?.target;
    } finally {
      await release();
    }
  };

  test("does not replace an element of a removed row by one in another row", async () => {
    expect(await healedFrom("li:first-child input", "fill", "/fewer")).toContain("nothing shows");
    expect(await healedFrom("li:first-child [data-testid=delete]", "action", "/fewer")).toContain(
      "nothing shows",
    );
  });

  test("finds an element by its test id alone", async () => {
    expect(await healedFrom("[data-testid=remove-Apple]", "action", "/other")).toBe(
      "testid=remove-Apple",
    );
  });
});

describe("evidence", () => {
  test("is absent on a full disk, and the test still has its verdict and releases its browser", async () => {
    const before = pool.processIds();
    vi.stubEnv("TMPDIR", "/nowhere/at/all");
    const steps = [step("navigate", "", `${site.url}/rows`)];
    const ran = await run(pool, steps, { evidence: { trace: true, har: true, video: false } });
    expect(ran.status).toBe("passed");
    expect(ran.of("evidenceTaken").map(({ name, bytes, absent }) => [name, bytes, absent])).toEqual(
      [
        ["trace.zip", null, "There is no place on the disk of the machine that ran the test."],
        ["network.har", null, "There is no place on the disk of the machine that ran the test."],
      ],
    );
    vi.unstubAllEnvs();
    expect((await run(pool, steps)).status).toBe("passed");
    expect(pool.processIds()).toEqual(before);
  });
});

describe("several elements of one name beside a text", () => {
  test("are ambiguous in two rows of one name until the target says which row", async () => {
    const button = '"Delete" button next to "Ann"';
    const ended = await ends("/anns", ["click", button]);
    expect(ended.status).toBe("failed");
    expect(ended.error).toContain("2 ");
    const last = ["click", '"Delete" button next to the last "Ann"'] as const;
    const deleted = ["assert_visible", "third deleted"] as const;
    expect(await comesTo("/anns", [...last], [...deleted])).toMatchObject({ status: "passed" });
  });

  test("prefer the row to the same name elsewhere", async () => {
    const steps = [
      ["click", '"Delete" button next to "Ann"'],
      ["assert_visible", "second deleted"],
    ] as const;
    const ended = await comesTo(
      "/ann",
      ...steps.map(([action, target]) => [action, target] as never),
    );
    expect(ended).toMatchObject({ status: "passed" });
  });

  test("under two headings of one name fail a negative assertion", async () => {
    const error = '"Error" in the "Billing" section';
    expect((await ends("/titles", ["assert_hidden", error])).error).toContain("there are 2 to");
  });
});
