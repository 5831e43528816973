import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { openPool, run, step } from "./kit.ts";
import { type Pages, servePages } from "./pages.ts";

const html = (title: string, body: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><body>${body}</body></html>`;

const pages = {
  "/": html(
    "Start",
    `<button ondblclick="log('double')" oncontextmenu="log('right');event.preventDefault()">Row</button>
     <label>Name <input id="name" value="Mr " onfocus="log('focused')" onkeydown="log('key ' + event.key)"></label>
     <p id="log"></p><p id="code">  Order   4711 </p>
     <div id="card" draggable="true" ondragstart="event.dataTransfer.setData('text', 'card')">Card</div>
     <div id="done" ondragover="event.preventDefault()" ondrop="log('dropped ' + event.dataTransfer.getData('text'))">Done column</div>
     <a href="/other">Other page</a> <a href="/tab" target="_blank">In a tab</a>
     <div id="box" style="height:50px;overflow:auto" onscroll="log('box ' + (this.scrollTop > 100))"><div style="height:900px">Long</div></div>
     <div style="height:3000px"></div><button onclick="log('at ' + (scrollY > 1000))">Far down</button>
     <script>function log(text) { document.getElementById('log').textContent += text + '; ' }
     addEventListener('resize', () => log(innerWidth + ' wide'))</script>`,
  ),
  "/other": html("Other", "<h1>Other page</h1>"),
  "/tab": html("A tab", "<h1>In the tab</h1>"),
  "/frames": html("Frames", `<h1>Outside</h1><iframe name="Payment" src="/payment"></iframe>`),
  "/payment": html(
    "Payment",
    `<section><h2>Card</h2><label>Card number <input></label><button onclick="this.textContent='Paid'">Pay</button></section>`,
  ),
  "/dialogs": html(
    "Dialogs",
    `<button onclick="out.textContent = 'alert'; alert('Hi'); out.textContent += ' over'">Alert</button>
     <button onclick="out.textContent = confirm('Sure?') ? 'yes' : 'no'">Confirm</button>
     <button onclick="out.textContent = 'hello ' + prompt('Name?')">Prompt</button>
     <button onclick="setTimeout(() => { out.textContent = confirm('Late?') ? 'late yes' : 'late no' }, 300)">Later</button>
     <p id="out"></p>`,
  ),
} as const;

let pool: BrowserPool;
let site: Pages;

beforeAll(async () => {
  [pool, site] = [openPool(), await servePages(pages)];
});

afterAll(async () => {
  await pool.close();
  await site.close();
});

const passes = async (steps: Parameters<typeof run>[1]) => {
  const ran = await run(pool, steps, { baseUrl: site.url });
  expect(ran.error).toBeNull();
  expect(ran.status).toBe("passed");
  return ran;
};

describe("mouse and keys", () => {
  test("when double-clicked, right-clicked, focused, typed into and cleared, then the page sees each", async () => {
    await passes([
      step("navigate", "", "/"),
      step("double_click", "Row button"),
      step("right_click", "Row button"),
      step("focus", "Name"),
      step("type", "Name field", "ab"),
      step("assert_value", "Name field", "Mr ab"),
      step("clear", "Name field"),
      step("assert_value", "Name field", ""),
      step("assert_contains", "#log", "double; right; focused;"),
      step("assert_contains", "#log", "key a; key b;"),
    ]);
  });

  test("when dragged onto another element, then it is dropped there", async () => {
    await passes([
      step("navigate", "", "/"),
      step("drag", "#card", '"Done column"'),
      step("assert_contains", "#log", "dropped card"),
    ]);
  });

  test("when scrolled to an end, by pixels, to an element and inside of one, then the page is there", async () => {
    await passes([
      step("navigate", "", "/"),
      step("scroll", "", "bottom"),
      step("click", "Far down"),
      step("assert_contains", "#log", "at true"),
      step("scroll", "", "top"),
      step("scroll", "", "200 px"),
      step("scroll", "Far down button", ""),
      step("scroll", "#box", "bottom"),
      step("assert_contains", "#log", "box true"),
    ]);
  });
});

describe("the browser", () => {
  test("when it goes back, forward and reloads, then each page is there again", async () => {
    await passes([
      step("navigate", "", "/"),
      step("click", "Other page link"),
      step("assert_title", "", "Other"),
      step("go_back"),
      step("assert_title", "", "Start"),
      step("go_forward"),
      step("assert_title", "", "Other"),
      step("reload"),
      step("assert_visible", "Other page"),
    ]);
  });

  test("given nothing to go back to, when it goes back, then the step fails and says so", async () => {
    const ran = await run(pool, [step("go_forward")]);
    expect(ran.status).toBe("failed");
    expect(ran.error).toContain("there is no page to go to");
  });

  test("when the viewport is set by size and by device, then the page has that width", async () => {
    await passes([
      step("navigate", "", "/"),
      step("set_viewport", "", "800 x 600"),
      step("assert_contains", "#log", "800 wide"),
      step("set_viewport", "", "iphone 13"),
      step("assert_contains", "#log", "390 wide"),
    ]);
  });

  test("when it switches tabs by last, number, title and back, then steps go on there", async () => {
    await passes([
      step("navigate", "", "/"),
      step("click", `"In a tab" link`),
      step("switch_tab", "last"),
      step("assert_visible", 'heading "In the tab"'),
      step("switch_tab", ""),
      step("assert_title", "", "Start"),
      step("switch_tab", "a tab"),
      step("assert_title", "", "A tab"),
      step("switch_tab", "1"),
      step("assert_title", "", "Start"),
    ]);
  });

  test("given no such tab, then the open ones are listed", async () => {
    const ran = await run(pool, [step("navigate", "", "/"), step("switch_tab", "Nope")], {
      baseUrl: site.url,
    });
    expect(ran.status).toBe("failed");
    expect(ran.error).toContain('Open: 1. "Start"');
  });

  test("when it switches to a frame and back, then elements are found there and here", async () => {
    const ran = await passes([
      step("navigate", "", "/frames"),
      step("assert_hidden", "Pay button"),
      step("switch_frame", 'frame "Payment"'),
      step("fill", 'Card number field in the "Card" section', "4242"),
      step("click", "Pay button"),
      step("assert_visible", "Paid"),
      step("assert_hidden", "Outside"),
      step("switch_frame", ""),
      step("assert_visible", 'heading "Outside"'),
    ]);
    expect(ran.of("screenshotTaken")).toHaveLength(9);
  });
});

describe("dialogs", () => {
  test("when the step after answers, then the page goes on with that answer", async () => {
    await passes([
      step("navigate", "", "/dialogs"),
      step("click", "Alert button"),
      step("accept_dialog"),
      step("assert_text", "#out", "alert over"),
      step("click", "Confirm button"),
      step("dismiss_dialog"),
      step("assert_text", "#out", "no"),
      step("click", "Prompt button"),
      step("accept_dialog", "", "Ann"),
      step("assert_text", "#out", "hello Ann"),
      step("click", "Later button"),
      step("accept_dialog"),
      step("assert_text", "#out", "late yes"),
    ]);
  });

  test("when the answer is given before, then the next dialog gets it", async () => {
    await passes([
      step("navigate", "", "/dialogs"),
      step("accept_dialog"),
      step("click", "Confirm button"),
      step("assert_text", "#out", "yes"),
    ]);
  });

  test("given nobody answers, then it is dismissed; and an answer to none fails", async () => {
    const ran = await run(
      pool,
      [
        step("navigate", "", "/dialogs"),
        step("click", "Confirm button"),
        step("assert_text", "#out", "no"),
        step("accept_dialog"),
      ],
      { baseUrl: site.url },
    );
    expect(ran.status).toBe("failed");
    expect(ran.error).toContain("No dialog opened");
  });
});

describe("what a test keeps", () => {
  test("when a text is stored, then later steps have it as a variable", async () => {
    await passes([
      step("navigate", "", "/"),
      step("store", "#code", "order"),
      step("fill", "Name", "for ${order}"),
      step("assert_value", "Name field", "for Order 4711"),
    ]);
  });

  test("when a visual check is done where there are no baselines, then there is a picture, and it says that nothing was compared", async () => {
    const ran = await passes([step("navigate", "", "/"), step("visual_check", "", "start")]);
    expect(ran.of("screenshotTaken").find(({ name }) => name === "start")?.format).toBe("png");
    expect(ran.of("stepSkipped").at(-1)?.reason).toContain("nothing to compare the picture with");
  });

  test("when a file is to be uploaded, then the test cannot be judged and says what is missing", async () => {
    const ran = await run(pool, [step("upload", "Name", "cv.pdf")]);
    expect(ran.status).toBe("errored");
    expect(ran.error).toContain('The file "cv.pdf" cannot be chosen');
  });
});
