import { describe, expect, test } from "vitest";
import { openSite, run, step } from "./kit.ts";

const drawnList = (id: string, caption: string, more: string, onChoose: string) =>
  `<button id="${id}" aria-label="${caption}" ${more} onclick="this.nextElementSibling.hidden=false">${caption}</button>
  <div role="listbox" hidden>${["Red", "Blue"].map((one) => `<div role="option" onclick="${onChoose.replaceAll("$", one)};this.parentElement.hidden=true">${one}</div>`).join("")}</div>`;
const rows = Array.from({ length: 30 }, (_, at) => `<tr><td>${at + 1}</td></tr>`).join("");
const dropped = `ondragover="event.preventDefault()" ondrop="event.preventDefault(); event.dataTransfer.files[0].text().then((text) => { said.textContent = event.dataTransfer.files[0].name + ' ' + text })"`;

const PAGES = {
  "/drawn": `<p id="said"></p>
    <style>.real{position:absolute;opacity:0;width:1px;height:1px}</style>
    <input type="checkbox" class="real" id="terms"><label for="terms">Terms</label>
    <input type="checkbox" hidden id="gone"><label for="gone" hidden>Gone</label>
    <span hidden><input type="checkbox" id="copy"><label for="copy">Terms</label></span>
    ${drawnList("shows", "Colour", 'role="combobox"', "shows.textContent='$'")}
    ${drawnList("keeps", "Paint", 'role="combobox"', "said.textContent='$'")}
    ${drawnList("sorts", "Sort by", 'aria-haspopup="menu"', "said.textContent='sorted $'")}`,
  "/cover": `<p>Account</p><button>Save</button><div style="position:fixed;inset:0;background:#fff">Loading</div>`,
  "/sticky": `<style>thead th{position:sticky;top:0;height:60px;background:#fff}</style>
    <div style="height:300px;overflow:auto" id="box"><table><caption>Log</caption><thead><tr><th>Line</th></tr></thead><tbody>${rows}</tbody></table></div>
    <script>box.scrollTop = 60</script>`,
  "/drop": `<p id="said"></p><div style="height:60px" ${dropped}>Drop files here</div>
    <div style="height:60px" ondragover="event.preventDefault()">Drop nothing here</div>
    <div><span>Or attach it</span><input type="file" hidden onchange="said.textContent='attached ' + this.files[0].name"></div>
    <label>Fixed <input type="file" onchange="const other = new DataTransfer(); other.items.add(new File(['x'], 'other.csv')); this.files = other.files"></label>`,
  "/dialog": `<button>Delete project</button><dialog aria-label="Edit"><button>Delete it</button><button data-testid="close"></button></dialog><script>document.querySelector("dialog").showModal()</script>`,
  "/names": `<a href="#">red-widget</a><button class="btn icon-trash"><svg width="9" height="9"></svg></button><button><svg width="9" height="9"></svg></button>`,
} as const;

const { pool, site } = openSite(PAGES);

const files = async () => ({ bytes: Buffer.from("a,b"), contentType: "text/csv" });
const on = (path: keyof typeof PAGES, limitMs: number, ...steps: Parameters<typeof step>[]) =>
  run(pool, [step("navigate", "", path), ...steps.map((each) => step(...each))], {
    baseUrl: site.url,
    files,
    timeouts: { actionMs: limitMs, assertionMs: limitMs },
  });
/** For what comes about: on a busy machine it may take its time. */
const passes = async (path: keyof typeof PAGES, ...steps: Parameters<typeof step>[]) => {
  const ran = await on(path, 20_000, ...steps);
  expect(ran.error).toBeNull();
  return ran;
};
const failsWithin = async (
  limitMs: number,
  path: keyof typeof PAGES,
  steps: Parameters<typeof step>[],
) => {
  const ran = await on(path, limitMs, ...steps);
  expect(ran.status).toBe("failed");
  return ran.error;
};
/** For what never comes about, and is waited for as long. */
const fails = (path: keyof typeof PAGES, ...steps: Parameters<typeof step>[]) =>
  failsWithin(600, path, steps);
/** For what is done, and has another effect. */
const hasNoEffect = (path: keyof typeof PAGES, ...steps: Parameters<typeof step>[]) =>
  failsWithin(20_000, path, steps);

describe("a custom checkbox", () => {
  test("is ticked by its label; a hidden copy does not count", async () => {
    await passes("/drawn", ["check", '"Terms" checkbox'], ["assert_checked", '"Terms" checkbox']);
  });

  test("is not found when its label is hidden, too", async () => {
    expect(await fails("/drawn", ["check", '"Gone" checkbox'])).toContain(
      "There is one, but it is hidden",
    );
    await fails("/drawn", ["assert_unchecked", '"Gone" checkbox']);
  });
});

describe("a custom dropdown", () => {
  test("shows the chosen option; a menu is noted", async () => {
    const ran = await passes(
      "/drawn",
      ["select", '"Colour" dropdown', "Blue"],
      ["select", "Sort by", "Red"],
      ["assert_text", "css=#said", "sorted Red"],
    );
    const notes = ran.of("stepPassed").map(({ notes = [] }) => notes.join());
    expect(notes[1]).toBe("");
    expect(notes[2]).toContain('does not show "Red" as chosen');
  });

  test("fails if it still shows another value", async () => {
    expect(await hasNoEffect("/drawn", ["select", '"Paint" dropdown', "Blue"])).toContain(
      'should have "Blue" chosen, but it shows "Paint"',
    );
  });
});

describe("visibility", () => {
  test("is lost below an opaque layer", async () => {
    await fails("/cover", ["assert_visible", "Account"]);
    await fails("/cover", ["assert_visible", '"Save" button']);
    await passes("/cover", ["assert_visible", "Loading"], ["assert_hidden", '"Save" button']);
  });

  test("is kept below a sticky header, because a person scrolls", async () => {
    await passes(
      "/sticky",
      ["assert_count", 'rows in the "Log" table', "30"],
      ["assert_visible", '"1" in the "Log" table'],
    );
  });
});

describe("a file", () => {
  test("is dropped on a drop area or put into its only file field", async () => {
    await passes(
      "/drop",
      ["upload", '"Drop files here" area', "prices.csv"],
      ["assert_text", "css=#said", "prices.csv a,b"],
      ["upload", "css=div:has(> input)", "prices.csv"],
      ["assert_text", "css=#said", "attached prices.csv"],
    );
  });

  test("is refused by elements that take no drop, and differs from a file the page already holds", async () => {
    expect(await hasNoEffect("/drop", ["upload", "Drop nothing here", "prices.csv"])).toContain(
      "did not take the file",
    );
    expect(await hasNoEffect("/drop", ["upload", "Fixed", "prices.csv"])).toContain(
      'should have the file "prices.csv", but it has "other.csv"',
    );
  });
});

describe("the message for a missing target", () => {
  test("begins with the open dialog", async () => {
    const error = await fails("/dialog", ["click", "Remove"]);
    expect(error).toContain('A dialog is open ("Edit").');
    expect(error).toContain('Visible buttons and links: "Delete it", "Delete project"');
    expect(error).toContain("Without a name: button: testid=close.");
  });

  test("names an element of the same name and another kind, without calling it hidden", async () => {
    const error = await fails("/names", ["click", '"red-widget" tab']);
    expect(error).toContain('Of that name there is: link "red-widget". Write that if you mean it.');
    expect(error).not.toContain("hidden");
  });

  test("explains how to address controls without a name", async () => {
    expect(await fails("/names", ["click", "Remove"])).toContain(
      'Without a name: button: "trash" icon; button: 2nd button.',
    );
    await passes("/names", ["click", '"trash" icon'], ["click", "2nd button"]);
  });
});
