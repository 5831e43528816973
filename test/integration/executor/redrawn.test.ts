import { describe, expect, test } from "vitest";
import { openSite, run, step } from "./kit.ts";

type Row = readonly [name: string, price: string];

const rows = (list: readonly Row[], more = ""): string =>
  list
    .map(
      ([name, price]) =>
        `<tr><td>${name}</td><td><input aria-label="Price" value="${price}" ${more}><input type="checkbox" aria-label="Wanted" ${more} onclick="said.textContent='${name} wanted'">
         <button ${more} onclick="said.textContent='${name} deleted'" onmouseover="seen.textContent='${name} hovered'">Delete</button></td></tr>`,
    )
    .join("");
const BEFORE: readonly Row[] = [
  ["Apple", "1"],
  ["Banana", "2"],
];
const AFTER: readonly Row[] = [
  ["Banana", "7"],
  ["Apple", "5"],
];
const page = (before: string, change: string): string =>
  `<table id="all">${before}</table><p id="said"></p><p id="seen"></p><script>setTimeout(() => { ${change} }, 1200)</script>`;
const redrawn = `all.innerHTML = ${JSON.stringify(rows(AFTER))};`;
const COVER = `<tr><td><div id="cover" style="position:fixed;inset:0;z-index:9;background:#fffc">Loading</div></td></tr>`;

const PAGES = {
  "/redrawn": page(rows(BEFORE), redrawn),
  "/waiting": page(rows(BEFORE, "disabled"), redrawn),
  "/covered": page(rows(BEFORE) + COVER, redrawn),
  "/grown": page(
    rows(BEFORE, "disabled"),
    `all.insertAdjacentHTML("afterbegin", ${JSON.stringify(rows([["Cherry", "9"]]))});
     for (const each of all.querySelectorAll("[disabled]")) each.disabled = false;`,
  ),
  "/exchanged": page(
    rows(BEFORE, "disabled"),
    `all.innerHTML = ${JSON.stringify(rows(AFTER.slice(0, 1), "disabled") + rows(AFTER.slice(1)))};`,
  ),
  "/still": page(rows(BEFORE, "disabled"), ""),
} as const;

const { pool, site } = openSite(PAGES);

const ends = async (path: keyof typeof PAGES, ...steps: Parameters<typeof step>[]) => {
  const all = [step("navigate", "", `${site.url}${path}`), ...steps.map((one) => step(...one))];
  const timeouts = { actionMs: 6_000, assertionMs: 3_000 };
  const { status, error } = await run(pool, all, { timeouts });
  return { status, error };
};
const PASSED = { status: "passed", error: null };

describe("rows that are reordered during a step", () => {
  test("compare the value of the row, not of its place", async () => {
    const price = '"Price" field next to "Banana"';
    expect(await ends("/redrawn", ["assert_value", price, "7"])).toEqual(PASSED);
    const wrong = await ends("/redrawn", ["assert_value", price, "5"]);
    expect(wrong.status).toBe("failed");
    expect(wrong.error).toContain('but it is "7"');
  });

  test.each(["/waiting", "/covered", "/grown"] as const)(
    "keep an action in its row: %s",
    async (path) => {
      const button = '"Delete" button next to "Banana"';
      const seen = ["assert_visible", "Banana deleted"] as const;
      expect(await ends(path, ["click", button], [...seen])).toEqual(PASSED);
    },
  );

  test.each([
    ["check", '"Wanted" checkbox next to "Banana"', "Banana wanted"],
    ["hover", '"Delete" button next to "Banana"', "Banana hovered"],
  ])("%s in the intended row", async (action, target, said) => {
    expect(await ends("/covered", [action, target], ["assert_visible", said])).toEqual(PASSED);
  });

  test("are filled in the intended row", async () => {
    const price = '"Price" field next to "Banana"';
    const other = '"Price" field next to "Apple"';
    expect(
      await ends(
        "/waiting",
        ["fill", price, "11"],
        ["assert_value", price, "11"],
        ["assert_value", other, "5"],
      ),
    ).toEqual(PASSED);
  });

  test("do not confuse an awaited row with another in its place", async () => {
    const enabled = await ends("/exchanged", [
      "wait_for",
      '"Delete" button next to "Banana"',
      "enabled",
    ]);
    expect(enabled.status).toBe("failed");
    expect(enabled.error).toContain("but it is disabled");
    const other = '"Delete" button next to "Apple"';
    expect(await ends("/exchanged", ["wait_for", other, "enabled"])).toEqual(PASSED);
  });
});

describe("unchanged rows", () => {
  test("report a button that stays disabled", async () => {
    const ended = await ends("/still", ["click", '"Delete" button next to "Banana"']);
    expect(ended.error).toContain('"Delete" button next to "Banana"');
    expect(ended.error).toContain("it is disabled");
  });
});
