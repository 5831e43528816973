import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { openPool, type Ran, run, step } from "./kit.ts";

const RED = [255, 0, 0];
const GREEN = [0, 128, 0];

/** A page on which a box fills the window; what changes it, and says so, is begun by a click. */
const pageOf = (box: string, script: string): string => `<!doctype html>
<style>body{margin:0}#box{position:fixed;inset:100px 0 0 0;background:red;border:0}canvas,iframe{width:100%;height:100%;border:0}</style>
<button>Begin</button> <button id="still">Nothing</button> <span id="said"></span><div id="box">${box}</div>
<script>
const box = document.getElementById("box");
const say = (text) => { document.getElementById("said").textContent = text; };
document.querySelector("button").onclick = async () => { say("begun"); await fetch("/gate" + location.pathname); ${script} };
</script>`;

/** What paints without the page's own elements being touched, or later than they are: each has turned green when it says "done". */
const PAINTED = {
  style: pageOf("", `box.style.background = "green"; say("done")`),
  animation: pageOf(
    "",
    `const turn = box.animate([{ background: "red" }, { background: "green" }], { duration: 100, fill: "forwards" });
     turn.finished.then(() => say("done"))`,
  ),
  composited: pageOf(
    `<div id="over" style="position:absolute;inset:0;background:green;opacity:0"></div>`,
    `const turn = document.getElementById("over").animate([{ opacity: 0 }, { opacity: 1 }], { duration: 100, fill: "forwards" });
     turn.finished.then(() => say("done"))`,
  ),
  canvas: pageOf(
    "<canvas></canvas>",
    `const canvas = document.querySelector("canvas").getContext("2d");
       canvas.fillStyle = "green";
       canvas.fillRect(0, 0, 9999, 9999);
       say("done")`,
  ),
  worker: pageOf(
    "<canvas></canvas>",
    `const canvas = document.querySelector("canvas").transferControlToOffscreen();
     const text = "onmessage = ({ data }) => { const on = data.getContext('2d'); on.fillStyle = 'green'; on.fillRect(0, 0, 9999, 9999); requestAnimationFrame(() => requestAnimationFrame(() => postMessage(1))); }";
     const worker = new Worker(URL.createObjectURL(new Blob([text])));
     worker.onmessage = () => requestAnimationFrame(() => say("done"));
     worker.postMessage(canvas, [canvas])`,
  ),
  frame: pageOf(
    `<iframe srcdoc="<body style='background:red'></body>"></iframe>`,
    `document.querySelector("iframe").contentDocument.body.style.background = "green"; say("done")`,
  ),
  nextFrame: pageOf("", `say("done"); box.style.background = "green"`),
  caret: pageOf(
    `<input style="width:100%;height:100%;background:transparent">`,
    `document.querySelector("input").focus(); box.style.background = "green"; say("done")`,
  ),
} as const;

let pool: BrowserPool;
/** Serves the pages; what asks at the gate of one is answered once that is opened. */
let site: { readonly url: string; open(name: string): void; close(): void };

beforeAll(async () => {
  pool = openPool();
  const waiting = new Map<string, () => void>();
  const isOpen = new Set<string>();
  const server = createServer((request, response) => {
    const [, name = "", asked] = (request.url ?? "").split("/");
    if (name !== "gate") {
      const page = PAINTED[name as keyof typeof PAINTED] ?? "";
      response.setHeader("content-type", "text/html").end(page);
    } else if (isOpen.has(asked ?? "")) response.end();
    else waiting.set(asked ?? "", () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  site = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: (name) => {
      isOpen.add(name);
      waiting.get(name)?.();
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
});

afterAll(async () => {
  await pool.close();
  site.close();
});

/** The picture of a step, and the step's whose picture it is too. */
const pictureOf = (ran: Ran, number: number) => {
  const found = ran.of("screenshotTaken").filter((each) => each.number === number);
  expect(found, `pictures of step ${number}`).toHaveLength(1);
  return found[0] ?? expect.fail("There is no picture");
};

/** The colour in the middle of each picture, as a browser reads it. */
const coloursOf = async (pictures: readonly Buffer[]): Promise<number[][]> => {
  const { page, release } = await pool.open();
  const base64s = pictures.map((one) => one.toString("base64"));
  const colours = (await page.evaluate(`(async (all) => {
    const colours = [];
    for (const one of all) {
      const answer = await fetch("data:image/jpeg;base64," + one);
      const picture = await createImageBitmap(await answer.blob());
      const drawn = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
      drawn.drawImage(picture, 0, 0);
      const { data } = drawn.getImageData(picture.width / 2, picture.height / 2, 1, 1);
      colours.push([...data].slice(0, 3));
    }
    return colours;
  })(${JSON.stringify(base64s)})`)) as number[][];
  await release();
  return colours;
};

const isLike = (one: readonly number[] = [], other: readonly number[]): boolean =>
  other.every((value, index) => Math.abs(value - (one[index] ?? -255)) <= 12);

describe("pictures of assertions", () => {
  test.for(Object.keys(PAINTED))(
    "show the page with the found element (%s), and the page before in the previous picture",
    async (name) => {
      const ran = await run(
        pool,
        [
          step("navigate", "", `/${name}`),
          step("click", '"Begin" button'),
          step("assert_text", "css=#said", "done"),
          step("assert_visible", '"Begin" button'),
          step("click", '"Nothing" button'),
        ],
        {
          baseUrl: site.url,
          timeouts: { actionMs: 20_000, assertionMs: 20_000 },
          onReport: (each) => {
            if (each.type === "screenshotTaken" && each.number === 2) site.open(name);
          },
        },
      );
      expect(ran).toMatchObject({ status: "passed", error: null });
      const pictures = [2, 3, 4, 5].map((number) => pictureOf(ran, number));
      const [clicked = [], ...later] = await coloursOf(pictures.map(({ bytes }) => bytes));
      for (const colour of later) expect(isLike(colour, GREEN), String(colour)).toBe(true);
      expect(isLike(clicked, RED), String(clicked)).toBe(true);
      expect(pictures[0]).not.toHaveProperty("sameAs");
      expect(pictures[1]).not.toHaveProperty("sameAs");
    },
  );

  test("are one shared picture if consecutive assertions pass at once", async () => {
    const ran = await run(
      pool,
      [
        step("navigate", "", "/style"),
        step("click", '"Nothing" button'),
        step("assert_url", "", "/style"),
        step("assert_url", "", "*/style"),
        step("fill", "css=#nowhere", "x", { optional: true, disabled: true }),
        step("assert_url", "", "*style"),
        step("press", "", "Tab"),
        step("assert_url", "", "*/elsewhere"),
      ],
      { baseUrl: site.url },
    );
    expect(ran).toMatchObject({ status: "failed" });
    const taken = ran.of("screenshotTaken");
    expect(taken.map(({ number }) => number)).toEqual([1, 2, 3, 4, 6, 7, 8]);
    const endOf = (number: number) =>
      ran.reports.findIndex(({ type, ...each }) => {
        const isEnd = type === "stepPassed" || type === "stepFailed";
        return isEnd && "number" in each && each.number === number;
      });
    for (const each of taken.slice(0, -1)) {
      expect(ran.reports.indexOf(each)).toBeGreaterThan(endOf(each.number));
      if (each.sameAs === undefined) continue;
      expect(each.bytes).toBe(pictureOf(ran, each.sameAs).bytes);
      // What it is shared with are the steps since the page was last changed, and no others.
      expect(each.sameAs).toBeGreaterThanOrEqual(2);
      expect(each.number).toBeLessThan(7);
    }
    expect(taken.filter(({ sameAs }) => sameAs !== undefined).length).toBeGreaterThan(0);
  });
});
