import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseTarget } from "../../../src/domain/catalogue/target.ts";
import type { BrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { look } from "../../../src/workers/executor/look.ts";
import { seenPlainly } from "../../../src/workers/executor/seenPlainly.ts";
import { textOf } from "../../../src/workers/executor/targetText.ts";
import { openPool, run, step } from "./kit.ts";
import { type Pages, servePages } from "./pages.ts";

const PAGES = {
  "/plain": `<h1>Thank you</h1><p>Your order is on its way.</p><h2 aria-hidden="true">Unheard</h2>
    <p>Odd <b>bold words</b> within</p><p>  Spaced \n  out </p><p role="status">1 in your basket</p>
    <button>Add to basket</button><p style="text-transform:uppercase">shouted</p><i>Twice</i><i>Twice</i>
    <p>A (b) [c] $d ^e .* f\\g</p><p>“Quoted” – it's</p><p>Straße</p><main role="main"><span>In main</span></main>`,
  "/hidden": `<p hidden>Gone one</p><p style="visibility:hidden">Gone two</p><p style="display:none">Gone three</p>
    <details><summary>More</summary><p>Folded</p></details><p style="height:0;overflow:hidden">Flat</p>
    <div style="display:contents">Contents</div><p style="position:absolute;left:-999px">Far off</p>
    <h2 style="display:none">Gone title</h2><h2 hidden>Shown below</h2><p>Shown below</p><script>Gone four</script>
    <noscript>Gone five</noscript><p style="opacity:0">Clear</p><p style="content-visibility:hidden"><b>Skipped</b></p>`,
  "/named": `<label>Size <select><option>Small</option><option>Large</option></select></label>
    <input placeholder="Your name"><p>Your name</p><img alt="A logo"><p>A logo</p><p title="A tip">A tip</p>
    <div aria-label="Cart">Cart</div><input value="Typed"><p>Typed</p><input type="submit" value="Send"><p>Send</p>
    <table><caption>Prices</caption><tr><th>Net</th><td>12 €</td></tr></table><a href="#">Home</a><p>Home</p>
    <ul><li>First item</li></ul><fieldset><legend>Pay by</legend></fieldset><p role="button">Press me</p>
    <p role="heading">Said title</p><h3><span>Inner title</span></h3><h3 class="more">Styled</h3><h3 role="presentation">No title</h3>
    <style>.more::after{content:" more"}</style><svg><title>Drawn</title></svg><p>Drawn</p><textarea>Written</textarea><p>Written</p>`,
  "/shadow": `<p>Beside it</p><div id="host"></div><script>document.getElementById("host").attachShadow({ mode: "open" }).innerHTML = "<button>Beside it</button>"</script>`,
  "/lying": `<p id="gone" style="display:none">Never shown</p><script>
    Element.prototype.checkVisibility = () => true; Element.prototype.getBoundingClientRect = () => ({ width: 9, height: 9 });
    window.getComputedStyle = () => ({ display: "block", visibility: "visible", content: "none" }); RegExp.prototype.test = () => true;</script>`,
  "/frames": `<p>Outside</p>${Array.from({ length: 12 }, (_, n) => `<iframe srcdoc="<p>Within ${n}</p>"></iframe>`).join("")}`,
} as const;

let pool: BrowserPool;
let site: Pages;

beforeAll(async () => {
  [pool, site] = [openPool(), await servePages(PAGES)];
});

afterAll(async () => {
  await pool.close();
  await site.close();
});

const NAMES = `[...new Set([...document.querySelectorAll("*")].flatMap((each) => [
  each.getAttribute("alt"), each.getAttribute("title"), each.getAttribute("placeholder"), each.getAttribute("aria-label"), each.value,
  ...(each.childElementCount < 3 ? [each.textContent] : []),
  ...[...each.childNodes].flatMap((node) => node.nodeType === 3 ? [node.nodeValue] : []),
]).flatMap((text) => typeof text === "string" && text.trim() !== "" && text.length < 60 ? [text.replace(/\\s+/g, " ").trim()] : []))]`;

describe("a text that is seen at one look", () => {
  test("given pages of all kinds, then it is only what every way of looking says, found in the same way", async () => {
    let plainly = 0;
    const { page, release } = await pool.open();
    for (const path of Object.keys(PAGES)) {
      await page.goto(`${site.url}${path}`);
      const names = (await page.evaluate(NAMES)) as string[];
      for (const name of [...names, "thank  YOU", "nowhere", "order", "Gone", "1 in"]) {
        const target = parseTarget(`"${name.replaceAll('"', "")}"`);
        const plain = await seenPlainly(page, target);
        if (plain === null) continue;
        plainly += 1;
        const seen = await look(page, target, "look", page, true);
        expect(seen, `${name} on ${path}`).toMatchObject({ kind: "some" });
        if (seen.kind === "some") expect(plain).toBe(textOf(seen.way, target));
      }
    }
    await release();
    expect(plainly).toBeGreaterThan(8);
  });

  test("when the page changes, goes elsewhere and comes back, then what is seen is what is there", async () => {
    const ran = await run(
      pool,
      [
        step("navigate", "", "/plain"),
        step("assert_visible", "Thank you"),
        step("navigate", "", "/hidden"),
        step("assert_visible", "Shown below"),
        step("assert_visible", "Thank you", "", { optional: true }),
        step("go_back"),
        step("assert_visible", "Thank you"),
        step("assert_visible", "1 in your basket"),
      ],
      { baseUrl: site.url },
    );
    expect(ran).toMatchObject({ status: "passed", error: null });
    expect(ran.of("stepPassed").map(({ locator }) => locator)).toEqual([
      ...[null, 'name="Thank you"', null, "text=Shown below"],
      ...[null, 'name="Thank you"', "text=1 in your basket"],
    ]);
    expect(ran.of("stepFailed")).toMatchObject([{ number: 5, passedOver: true }]);
  });

  test("when it goes to another site, then what frames show there is not on the page", async () => {
    const { page, release } = await pool.open();
    await page.goto(`${site.url}/plain`);
    expect(await seenPlainly(page, parseTarget('"Thank you"'))).not.toBeNull();
    await page.goto(`${site.url.replace("127.0.0.1", "localhost")}/frames`);
    await page.frameLocator("iframe >> nth=11").getByText("Within 11").waitFor();
    for (let n = 0; n < 12; n += 1) {
      expect(await seenPlainly(page, parseTarget(`"Within ${n}"`))).toBeNull();
    }
    expect(await seenPlainly(page, parseTarget('"Outside"'))).toBe("text=Outside");
    await release();
  });
});
