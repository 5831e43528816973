import { describe, expect, test } from "vitest";
import { openSite, run, step } from "./kit.ts";

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

const { pool, site } = openSite(pages);

const passes = async (steps: Parameters<typeof run>[1]) => {
  const ran = await run(pool, steps, { baseUrl: site.url });
  expect(ran.error).toBeNull();
  expect(ran.status).toBe("passed");
  return ran;
};

describe("mouse and keys", () => {
  test("double-click, right-click, focus, type and clear", async () => {
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

  test("drag an element onto another", async () => {
    await passes([
      step("navigate", "", "/"),
      step("drag", "#card", '"Done column"'),
      step("assert_contains", "#log", "dropped card"),
    ]);
  });

  test("scroll to an end, by pixels, to an element and inside one", async () => {
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
  test("goes back, goes forward and reloads", async () => {
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

  test("fails to go forward without a next page, with the reason", async () => {
    const ran = await run(pool, [step("go_forward")]);
    expect(ran.status).toBe("failed");
    expect(ran.error).toContain("there is no page to go to");
  });

  test("sets the viewport by size and by device", async () => {
    await passes([
      step("navigate", "", "/"),
      step("set_viewport", "", "800 x 600"),
      step("assert_contains", "#log", "800 wide"),
      step("set_viewport", "", "iphone 13"),
      step("assert_contains", "#log", "390 wide"),
    ]);
  });

  test("switches tabs by last, number, title and back", async () => {
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

  test("lists the open tabs if a tab is missing", async () => {
    const ran = await run(pool, [step("navigate", "", "/"), step("switch_tab", "Nope")], {
      baseUrl: site.url,
    });
    expect(ran.status).toBe("failed");
    expect(ran.error).toContain('Open: 1. "Start"');
  });

  test("switches to a frame and back", async () => {
    const ran = await passes([
      step("navigate", "", "/frames"),
      step("switch_frame", 'frame "Payment"'),
      step("fill", 'Card number field in the "Card" section', "4242"),
      step("click", "Pay button"),
      step("assert_visible", "Paid"),
      step("assert_hidden", "Outside"),
      step("switch_frame", ""),
      step("assert_visible", 'heading "Outside"'),
    ]);
    expect(ran.of("screenshotTaken")).toHaveLength(8);
  });

  test("says that an element is in a frame", async () => {
    const steps = [step("navigate", "", "/frames"), step("assert_hidden", "Pay button")];
    const ran = await run(pool, steps, { baseUrl: site.url });
    expect(ran.error).toContain('visible in the frame "Payment"');
  });
});

describe("dialogs", () => {
  test("are answered by the next step", async () => {
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

  test("are answered in advance by the previous step", async () => {
    await passes([
      step("navigate", "", "/dialogs"),
      step("accept_dialog"),
      step("click", "Confirm button"),
      step("assert_text", "#out", "yes"),
    ]);
  });

  test("are dismissed without an answer; an answer without a dialog fails", async () => {
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

describe("a test", () => {
  test("stores a text as a variable of later steps", async () => {
    await passes([
      step("navigate", "", "/"),
      step("store", "#code", "order"),
      step("fill", "Name", "for ${order}"),
      step("assert_value", "Name field", "for Order 4711"),
    ]);
  });

  test("takes a picture for a visual check without baselines and reports that nothing was compared", async () => {
    const ran = await passes([step("navigate", "", "/"), step("visual_check", "", "start")]);
    expect(ran.of("screenshotTaken").find(({ name }) => name === "start")?.format).toBe("png");
    expect(ran.of("stepSkipped").at(-1)?.reason).toContain("nothing to compare the picture with");
  });

  test("is errored with the reason for an upload without project files", async () => {
    const ran = await run(pool, [step("upload", "Name", "cv.pdf")]);
    expect(ran.status).toBe("errored");
    expect(ran.error).toContain('The file "cv.pdf" cannot be chosen');
  });
});
