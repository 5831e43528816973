import { describe, expect, test } from "vitest";
import { openSite, run, step } from "./kit.ts";

type Steps = readonly Parameters<typeof step>[];
/** A page, the steps on it, and the words of the failure or of the note. */
type Row = readonly [why: string, html: string, steps: Steps, said?: string];

const later = (then: string) => `setTimeout(() => { ${then} }, 150)`;
const GRID = [1, 2, 3].map((n) => `<div role="row" aria-rowindex="${n}">`);
const pinned = (...cells: readonly string[]) =>
  `<div>${GRID.map((row, at) => `${row}<span role="${at === 0 ? "columnheader" : "gridcell"}">${cells[at]}</span></div>`).join("")}</div>`;

const FAILS: readonly Row[] = [
  [
    "a tick is taken back",
    `<label><input type="checkbox" onchange="${later("this.checked = false")}">News</label>`,
    [["check", "News"]],
    "News",
  ],
  [
    "a radio button is taken back",
    `<label><input type="radio" name="a" onchange="${later("other.checked = true")}">Annual</label><label><input type="radio" name="a" id="other" checked>Monthly</label>`,
    [["check", "Annual"]],
    "Annual",
  ],
  [
    "a choice is taken back",
    `<label>Size <select onchange="${later("this.value = 'S'")}"><option>S<option>M</select></label>`,
    [["select", "Size", "M"]],
    "Size",
  ],
  [
    "a text is taken back",
    `<label>Name <input oninput="${later("this.value = ''")}"></label>`,
    [["fill", "Name", "Ann"]],
    "Name",
  ],
  [
    "two options have one label",
    `<label>City <select><option>Pick<optgroup label="IL"><option>Springfield<optgroup label="MA"><option>Springfield</select></label>`,
    [["select", "City", "Springfield"]],
    'in "IL", in "MA"',
  ],
  [
    "the group of an option is disabled",
    `<label>City <select><option>Pick<optgroup disabled label="IL"><option>Springfield</select></label>`,
    [["select", "City", "Springfield"]],
    "is disabled",
  ],
  [
    "an input suggests other options",
    `<label>Country <input list="c"></label><datalist id="c"><option>Norway</datalist>`,
    [["select", "Country", "Sweden"]],
    'suggests one of "Norway"',
  ],
  [
    "a click on an inert button",
    `<div inert><button>Pay</button></div>`,
    [["click", "Pay"]],
    "it is inert",
  ],
  [
    "a text that is covered",
    `<p>Account</p><div style="position:fixed;inset:0;background:#fff"></div>`,
    [["assert_visible", '"Account"']],
    "nobody can read it",
  ],
  [
    "an inert button",
    `<div inert><button>Pay</button></div>`,
    [["assert_enabled", "Pay"]],
    "but it is inert",
  ],
  [
    "a button behind a dialog",
    `<button>Pay</button><dialog>Sure?</dialog><script>document.querySelector("dialog").showModal()</script>`,
    [["assert_enabled", "Pay"]],
    "behind an open dialog",
  ],
  [
    "a button that takes no clicks",
    `<a href="#" style="pointer-events:none">Pay</a>`,
    [["assert_enabled", "Pay"]],
    "takes no clicks",
  ],
  [
    "a mixed box is not unchecked",
    `<label><input type="checkbox">All</label><script>document.querySelector("input").indeterminate = true</script>`,
    [["assert_unchecked", "All"]],
    "partly checked",
  ],
  [
    "a mixed box is not checked",
    `<div role="checkbox" aria-checked="mixed" tabindex="0">All</div>`,
    [["assert_checked", "All"]],
    "partly checked",
  ],
  [
    "a negative claim about a text in a frame",
    `<p>Hi</p><iframe title="Inner" srcdoc="<p>Error 500</p>"></iframe>`,
    [["assert_hidden", '"Error 500"']],
    'visible in the frame "Inner"',
  ],
  [
    "a positive claim about a text in a frame",
    `<iframe title="Inner" srcdoc="<p>Card number</p>"></iframe>`,
    [["assert_visible", '"Card number"']],
    'in the frame "Inner"',
  ],
  [
    "a text is still fading in",
    `<style>@keyframes f{from{opacity:0}}#e{animation:f 300ms 600ms both}</style><p id="e">Error 500</p>`,
    [["assert_hidden", '"Error 500"']],
    "Expected not to see",
  ],
  [
    "the page says that it is loading",
    `<p id="o">Loading…</p><script>setTimeout(() => { o.textContent = "Error 500" }, 700)</script>`,
    [["assert_hidden", '"Error 500"']],
    "Expected not to see",
  ],
  [
    "a date with several readings",
    `<label>Due <input type="date"></label>`,
    [["fill", "Due", "03/01/2024"]],
    'is written as "2026-03-31"',
  ],
  [
    "lines of a value",
    "<label>Bio <textarea>Ann\nLee</textarea></label>",
    [["assert_value", "Bio", "Ann Lee"]],
    "Expected the value",
  ],
];

const PASSES: readonly Row[] = [
  [
    "an option by its value, with a note",
    `<label>Qty <select><option value="3">One</select></label>`,
    [["select", "Qty", "3"]],
    '"3" is the value of the option "One"',
  ],
  [
    "a value that only the page sends, with a note",
    `<label>Size <select><option value="L">Small</select></label>`,
    [["assert_value", "Size", "L"]],
    'it shows "Small"',
  ],
  [
    "a drag without an effect, with a note",
    `<div style="width:90px">Card</div><div style="height:60px">Done</div>`,
    [["drag", '"Card"', '"Done"']],
    "nothing on the page changed",
  ],
  [
    "a suggestion of an input",
    `<label>Country <input list="c"></label><datalist id="c"><option>Norway</datalist>`,
    [
      ["select", "Country", "Norway"],
      ["assert_value", "Country", "Norway"],
    ],
  ],
  [
    "a time as people write it",
    `<label>At <input type="time"></label>`,
    [
      ["fill", "At", "9:30 pm"],
      ["assert_value", "At", "21:30"],
    ],
  ],
  [
    "the value of a slider",
    `<label>Volume <input type="range"></label>`,
    [
      ["fill", "Volume", "70"],
      ["assert_value", '"Volume" field', "70"],
    ],
  ],
  [
    "the value of an editable area",
    `<div contenteditable role="textbox" aria-label="Notes">old</div>`,
    [
      ["fill", "Notes", "new"],
      ["assert_value", "Notes", "new"],
    ],
  ],
  [
    "a drawn box whose label has a link",
    `<label style="display:inline-block"><input type="checkbox" style="position:absolute;opacity:0;width:0;height:0"> I agree to the <a href="/other">terms of the long contract of the service</a></label>`,
    [
      ["check", "I agree to the terms of the long contract of the service"],
      ["assert_checked", "I agree to the terms of the long contract of the service"],
    ],
  ],
  [
    "a dropdown beside a list with the same option",
    `<ul role="listbox" aria-label="Fruit"><li role="option">Apple</ul><button role="combobox" aria-expanded="false" aria-controls="l" aria-label="Brand" onclick="l.hidden=false">Choose</button><ul role="listbox" id="l" hidden><li role="option" onclick="document.querySelector('button').textContent='Apple';l.hidden=true">Apple</ul>`,
    [["select", "Brand", "Apple"]],
  ],
  [
    "rows of a table with a table in a cell",
    `<table aria-label="Orders"><thead><tr><th>Id<th>Lines</thead><tbody><tr><td>1<td><table><tr><td>a<tr><td>b</table><tr><td>2<td>none</table>`,
    [["assert_count", 'rows in the "Orders" table', "2"]],
  ],
  [
    "rows of a grid with pinned columns",
    `<div role="grid" aria-label="Orders" aria-rowcount="3">${pinned("Id", "A1", "A2")}${pinned("Name", "Ann", "Bob")}</div>`,
    [
      ["assert_count", 'rows in the "Orders" table', "2"],
      ["assert_visible", '"Bob" in the second row of the "Orders" table'],
    ],
  ],
  [
    "the upper of two modal dialogs",
    `<dialog id="b">Top <button onclick="document.title='top'">OK</button></dialog><dialog id="a">Under <button>OK</button></dialog><script>a.showModal();b.showModal()</script>`,
    [
      ["click", "OK"],
      ["assert_title", "", "top"],
    ],
  ],
  [
    "a dialog in front of a shade",
    `<button>Delete</button><div style="position:fixed;inset:0;background:rgba(0,0,0,.5)"></div><div role="dialog" style="position:fixed;top:100px;background:#fff"><button onclick="document.title='d'">Delete</button></div>`,
    [
      ["click", "Delete"],
      ["assert_title", "", "d"],
    ],
  ],
];

const all = [...FAILS, ...PASSES];
const { pool, site } = openSite(
  Object.fromEntries(
    all.map(([, html], at) => [
      `/${at}`,
      `<!doctype html><html lang="en"><title>T</title><body>${html}`,
    ]),
  ),
);
const on = (row: Row, limitMs: number) =>
  run(pool, [step("navigate", "", `/${all.indexOf(row)}`), ...row[2].map((one) => step(...one))], {
    baseUrl: site.url,
    timeouts: { actionMs: limitMs, assertionMs: limitMs },
  });

describe("a verdict is that of a person who looks", () => {
  test.each(FAILS.map((row) => [row[0], row] as const))("fails: %s", async (_, row) => {
    const ran = await on(row, 2_000);
    expect(ran.status).toBe("failed");
    expect(ran.error).toContain(row[3]);
  });

  test.each(PASSES.map((row) => [row[0], row] as const))("passes: %s", async (_, row) => {
    const ran = await on(row, 20_000);
    expect(ran.error).toBeNull();
    const notes = ran.of("stepPassed").flatMap(({ notes = [] }) => notes);
    expect(notes.join("; ")).toContain(row[3] ?? "");
  });

  test("has a gap if only optional steps did nothing", async () => {
    const optional = { optional: true };
    const steps = [step("navigate", "", "/0"), step("click", "Accept cookies", "", optional)];
    const ran = await run(pool, steps, { baseUrl: site.url, timeouts: { actionMs: 300 } });
    expect(ran.status).toBe("passed");
    expect(ran.of("stepSkipped")).toMatchObject([{ number: 2, gap: true }]);
    expect(ran.of("stepSkipped")[0]?.reason).toContain("its optional steps found nothing");
  });
});
