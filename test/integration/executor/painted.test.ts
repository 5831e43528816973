import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PooledContext } from "../../../src/workers/executor/browserPool.ts";
import { lookAt } from "../../../src/workers/executor/look.ts";
import { openPool } from "./kit.ts";

/** What is drawn, and the text in it that a person reads or does not. */
type Drawn = readonly [why: string, html: string, text: string];

const WHITE = "position:absolute;inset:0;background:#fff";
const over = (style: string) =>
  `<div style="position:relative"><p>Balance</p><div style="${style}"></div></div>`;

const SEEN: readonly Drawn[] = [
  [
    "letters cut out a gradient",
    `<h1 style="background:linear-gradient(red,blue);background-clip:text;color:transparent">Plans</h1>`,
    "Plans",
  ],
  [
    "a word of such a title",
    `<h1 style="background:linear-gradient(red,blue);-webkit-background-clip:text;-webkit-text-fill-color:transparent">Our <b>Plans</b></h1>`,
    "Plans",
  ],
  [
    "white on a background that styles put in",
    `<style>.b{position:relative;color:#fff;z-index:0}.b::before{content:"";position:absolute;inset:0;background:#06c;z-index:-1}</style><p class="b">Order now</p>`,
    "Order now",
  ],
  [
    "white on a gradient",
    `<p style="background:linear-gradient(#06c,#00f);color:#fff">Order now</p>`,
    "Order now",
  ],
  [
    "white on a picture",
    `<p style="background:#fff url(/a.png);color:#fff">Order now</p>`,
    "Order now",
  ],
  [
    "white with a shadow",
    `<p style="color:#fff;text-shadow:0 0 3px #000">Order now</p>`,
    "Order now",
  ],
  [
    "white on a dark parent",
    `<div style="background:#222"><p><b style="color:#fff">Order now</b></p></div>`,
    "Order now",
  ],
  [
    "white on a box that stands below",
    `<div style="position:relative"><div style="${WHITE};background:#222"></div><p style="position:relative;color:#fff">Order now</p></div>`,
    "Order now",
  ],
  ["an emoji", `<p style="color:#fff">👍</p>`, "👍"],
  [
    "a link that stretches over its card",
    `<style>.s::after{content:"";position:absolute;inset:0}</style><div style="position:relative"><p>Balance</p><a class="s" href="#">Open</a></div>`,
    "Balance",
  ],
  [
    "a shade that lets the text through",
    over("position:absolute;inset:0;background:rgba(0,0,0,.4);pointer-events:none"),
    "Balance",
  ],
  [
    "a gradient that lets it through",
    over("position:absolute;inset:0;background:linear-gradient(transparent,#fff)"),
    "Balance",
  ],
  [
    "an underline drawn as a background",
    `<style>.u{position:relative}.u::after{content:"";position:absolute;left:0;right:0;bottom:0;height:2px;background:#000}</style><p><span class="u">Balance</span></p>`,
    "Balance",
  ],
  [
    "a badge at its corner",
    over("position:absolute;left:0;top:0;width:8px;height:8px;background:red"),
    "Balance",
  ],
  [
    "tight lines with hidden overflow",
    `<h1 style="line-height:1;overflow:hidden;width:300px">Balance of accounts gypq</h1>`,
    "Balance of accounts",
  ],
  [
    "words in front of what an ellipsis cuts off",
    `<p style="width:160px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis">Balance of the year before</p>`,
    "Balance of",
  ],
  [
    "another place of a text that is cut off",
    `<p style="width:90px;overflow:hidden;white-space:nowrap">Ann 42, then much more, Ann 42</p>`,
    "Ann 42",
  ],
  ["a shape around the text", `<p style="clip-path:circle(90%)">Balance</p>`, "Balance"],
  [
    "a text over several lines",
    `<p style="width:60px">Balance of the whole year</p>`,
    "Balance of the whole year",
  ],
  [
    "a number beside a badge with padding",
    `<div style="display:flex"><span>13</span><span style="padding:0 6px">3</span></div>`,
    "3",
  ],
  [
    "a text and what styles put in front",
    `<style>.n::before{content:"New: "}</style><p class="n">Invoice</p>`,
    "New: Invoice",
  ],
  [
    "a name that styles mark as required",
    `<style>.r::after{content:"*"}</style><h2 class="r">Email</h2>`,
    `exactly "Email"`,
  ],
  [
    "under a modal dialog without a backdrop of its own",
    `<p>Balance</p><dialog style="margin-top:200px">Sure?</dialog><script>document.querySelector("dialog").showModal()</script>`,
    "Balance",
  ],
  [
    "a picture that has loaded",
    `<img alt="Logo" width="30" height="30" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==">`,
    `"Logo" image`,
  ],
];

const UNSEEN: readonly Drawn[] = [
  [
    "white on white",
    `<div style="background:#fff"><p style="color:#fefefe">Balance</p></div>`,
    "Balance",
  ],
  ["white on the bare page", `<p style="color:#fff">Balance</p>`, "Balance"],
  ["transparent letters", `<p style="-webkit-text-fill-color:transparent">Balance</p>`, "Balance"],
  [
    "a drawing without ink",
    `<svg width="200" height="50"><text y="20" fill="none">Balance</text></svg>`,
    "Balance",
  ],
  [
    "almost no opacity",
    `<div style="opacity:.2"><p style="opacity:.2">Balance</p></div>`,
    "Balance",
  ],
  ["a filter to nothing", `<p style="filter:opacity(0)">Balance</p>`, "Balance"],
  ["a blur", `<p style="filter:blur(12px)">Balance</p>`, "Balance"],
  [
    "a mask that leaves nothing",
    `<p style="mask-image:linear-gradient(transparent,transparent)">Balance</p>`,
    "Balance",
  ],
  ["a shape without area", `<p style="clip-path:polygon(0 0,0 0,0 0)">Balance</p>`, "Balance"],
  ["a shape beside the text", `<p style="clip-path:inset(0 0 200px 0)">Balance</p>`, "Balance"],
  [
    "the back of a card",
    `<div style="transform-style:preserve-3d"><div style="backface-visibility:hidden;transform:rotateY(180deg)">Balance</div></div>`,
    "Balance",
  ],
  [
    "below a gradient",
    over("position:absolute;inset:0;background:linear-gradient(#fff,#eee)"),
    "Balance",
  ],
  ["below a cover that takes no clicks", over(`${WHITE};pointer-events:none`), "Balance"],
  [
    "below a transparent layer and a cover",
    `${over(WHITE)}<div style="position:fixed;inset:0"></div>`,
    "Balance",
  ],
  [
    "below a part that styles put in",
    `<style>.c{position:relative}.c::after{content:"";${WHITE}}</style><div class="c"><p>Balance</p></div>`,
    "Balance",
  ],
  [
    "below a part of its own",
    `<style>.o{position:relative}.o::after{content:"";${WHITE}}</style><p class="o">Balance</p>`,
    "Balance",
  ],
  [
    "below an opaque backdrop",
    `<style>::backdrop{background:#000}</style><p>Balance</p><dialog style="margin-top:200px">Sure?</dialog><script>document.querySelector("dialog").showModal()</script>`,
    "Balance",
  ],
  [
    "a number that its block cuts off",
    `<div style="width:70px;overflow:hidden;white-space:nowrap">Total $1,000,000</div>`,
    "$1,000,000",
  ],
  [
    "a line of which two pixels are left",
    `<div style="height:20px;overflow:hidden"><p style="margin:18px 0 0">Balance</p></div>`,
    "Balance",
  ],
  [
    "a number that is covered for the most part",
    `<div style="position:relative;font:16px monospace">Total $1,000,000<div style="position:absolute;left:75px;top:0;width:200px;height:30px;background:#fff"></div></div>`,
    "$1,000,000",
  ],
  [
    "a minus that styles put in",
    `<style>.m::before{content:"-"}</style><p>Balance <b class="m">$42.50</b></p>`,
    "$42.50",
  ],
  [
    "a syllable that styles put in",
    `<style>.u::before{content:"un"}</style><p class="u">paid</p>`,
    "paid",
  ],
  [
    "digits in boxes side by side",
    `<div style="display:flex"><span>1</span><span>3</span></div>`,
    "3",
  ],
  [
    "digits in inline boxes",
    `<p><span style="display:inline-block">1</span><span style="display:inline-block">3</span></p>`,
    "3",
  ],
  [
    "a picture that did not load",
    `<img alt="Logo" width="30" height="30" src="data:image/png;base64,AAAA">`,
    `"Logo" image`,
  ],
];

describe("what is painted", () => {
  const pool = openPool();
  let opened: PooledContext;
  beforeAll(async () => {
    opened = await pool.open();
  });
  afterAll(async () => {
    await opened.release();
    await pool.close();
  });
  const isSeen = async (html: string, text: string): Promise<boolean> => {
    const { page } = opened;
    await page.setContent(`<!doctype html><html lang="en"><body>${html}</body></html>`);
    return (await lookAt(page, text, "claim")).kind === "some";
  };

  test.each(SEEN)("is seen: %s", async (_why, html, text) => {
    expect(await isSeen(html, text)).toBe(true);
  });
  test.each(UNSEEN)("is not seen: %s", async (_why, html, text) => {
    expect(await isSeen(html, text)).toBe(false);
  });
});
