import { describe, expect, test } from "vitest";
import { openSite, run, step } from "./kit.ts";

const remove = "parent.document.querySelector('iframe').remove()";
const pages = {
  "/": `<title>Shop</title><h1>Outside</h1><button>Pay</button><iframe name="Payment" src="/payment"></iframe>`,
  "/payment": `<button onclick="${remove}">Cancel</button>
    <button onclick="setTimeout(() => ${remove}, 700)">Cancel soon</button>
    <button onclick="top.location = '/done'">Finish</button>
    <a href="/second">Second page</a><p>Card</p>`,
  "/second": `<p>Second</p>`,
  "/done": `<title>Done</title><h1>Thanks</h1>`,
  "/links": `<h1>Start</h1><a href="http://127.0.0.1:9/">Dead end</a>
    <iframe name="Lost" src="http://127.0.0.1:9/"></iframe>`,
  "/empty": { status: 204 },
  "/file": { status: 200, headers: { "content-disposition": "attachment; filename=a.bin" } },
  "/opener": `<button onclick="window.open('').document.write('<p>Written</p>')">Open</button>`,
} as const;

const { pool, site } = openSite(pages);

const ends = async (...steps: Parameters<typeof step>[]) => {
  const all = steps.map((each) => step(...each));
  const { status, error } = await run(pool, all, { baseUrl: site.url });
  return { status, error };
};

describe("a test without an open page", () => {
  test.each([
    ["assert_hidden", "Error"],
    ["assert_count", "Error", "0"],
    ["wait_for", "Error", "hidden"],
    ["wait_for", "Error", "visible"],
    ["assert_visible", "Error"],
    ["assert_unchecked", "Error"],
    ["assert_text", "Error", ""],
    ["assert_title", "", "*"],
    ["assert_url", "", "about:blank"],
    ["visual_check", "", "start"],
  ])("fails at %s of %j and asks for a step that opens one", async (...first) => {
    const started = performance.now();
    const steps = [step(...(first as Parameters<typeof step>)), step("navigate", "", "/")];
    const timeouts = { actionMs: 120_000, assertionMs: 120_000 };
    const { status, error } = await run(pool, steps, { baseUrl: site.url, timeouts });
    expect(status).toBe("failed");
    expect(error).toBe(
      "Step 1 failed: No page is open yet: there is nothing to look at. A step before this one should open one.",
    );
    // Nothing was waited for.
    expect(performance.now() - started).toBeLessThan(60_000);
  });

  test("accepts a window that its opener has written", async () => {
    const ended = await ends(
      ["navigate", "", "/opener"],
      ["click", "Open"],
      ["switch_tab", "last"],
      ["assert_visible", "Written"],
      ["assert_hidden", "Error"],
    );
    expect(ended).toEqual({ status: "passed", error: null });
  });
});

describe("a removed frame", () => {
  const intoFrame = [
    ["navigate", "", "/"],
    ["switch_frame", 'frame "Payment"'],
  ] as const satisfies Parameters<typeof step>[];
  const gone = /\(frame "Payment"\) is gone.*Switch back to the main page/;

  test.each([
    ["click", "Pay"],
    ["assert_visible", "Outside"],
    ["assert_hidden", "Card"],
    ["assert_count", "Card", "0"],
    ["wait_for", "Card", "hidden"],
    ["press", "", "Enter"],
    ["scroll", "", "bottom"],
    ["switch_frame", 'frame "Payment"'],
  ])("fails %s of %j with the reason", async (...last) => {
    const ended = await ends(...intoFrame, ["click", "Cancel"], last as never);
    expect(ended.status).toBe("failed");
    expect(ended.error).toMatch(gone);
  });

  test.each([
    ["assert_hidden", "Card"],
    ["assert_count", "Nothing", "1"],
    ["click", "Nothing"],
  ])("fails %s of %j with the reason if it is removed meanwhile", async (...last) => {
    const ended = await ends(...intoFrame, ["click", "Cancel soon"], last as never);
    expect(ended.status).toBe("failed");
    expect(ended.error).toMatch(gone);
  });

  test("leaves the address readable, and the page after switching back", async () => {
    const finished: Parameters<typeof step>[] = [
      ...intoFrame,
      ["click", "Finish"],
      ["assert_url", "", "/done"],
    ];
    const lost = await ends(...finished, ["assert_visible", "Thanks"]);
    expect(lost.status).toBe("failed");
    expect(lost.error).toMatch(gone);
    const back = await ends(...finished, ["switch_frame"], ["assert_visible", "Thanks"]);
    expect(back).toEqual({ status: "passed", error: null });
  });

  test.each([["navigate", "", "/"], ["navigate", "", "/#here"], ["reload"]])(
    "is replaced by the whole page after the step %s",
    async (...away) => {
      const ended = await ends(...intoFrame, away as never, ["assert_visible", "Outside"]);
      expect(ended).toEqual({ status: "passed", error: null });
    },
  );

  test("is not a frame that navigates", async () => {
    const ended = await ends(...intoFrame, ["click", "Second page"], ["assert_visible", "Second"]);
    expect(ended).toEqual({ status: "passed", error: null });
  });
});

describe("a page that the browser cannot open", () => {
  const nothing = /The browser shows an error page of its own/;

  test.each([
    ["assert_hidden", "Start"],
    ["assert_count", "Start", "0"],
    ["wait_for", "Start", "hidden"],
    ["assert_visible", "Start"],
  ])("fails %s of %j after a click that leads to it", async (...last) => {
    const ended = await ends(["navigate", "", "/links"], ["click", "Dead end"], last as never);
    expect(ended.status).toBe("failed");
    expect(ended.error).toMatch(nothing);
  });

  test("fails a negative assertion in its frame", async () => {
    const inFrame = [
      ["navigate", "", "/links"],
      ["switch_frame", 'frame "Lost"'],
    ] as Parameters<typeof step>[];
    const ended = await ends(...inFrame, ["assert_hidden", "Card"]);
    expect(ended.status).toBe("failed");
    expect(ended.error).toMatch(nothing);
  });

  test.each([
    ["/empty", "there is no page at that address"],
    ["/file", "the address is a download"],
  ])("fails the navigation to %s with the reason", async (path, why) => {
    const ended = await ends(["navigate", "", path]);
    expect(ended.status).toBe("failed");
    expect(ended.error).toContain(`${path}": ${why}`);
  });

  test("does not affect the next page", async () => {
    const ended = await ends(
      ["navigate", "", "/links"],
      ["click", "Dead end"],
      ["navigate", "", "/done"],
      ["assert_hidden", "Start"],
    );
    expect(ended).toEqual({ status: "passed", error: null });
  });
});
