import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sizeOfPng } from "../../../src/platform/pictures/png.ts";
import type { BrowserPool } from "../../../src/workers/executor/index.ts";
import { NOT_APPROVED, type Visuals } from "../../../src/workers/executor/visual.ts";
import { openPool, run, step } from "./kit.ts";
import { type Pages, servePages } from "./pages.ts";

const still = `<!doctype html><body><h1>Still</h1><input autofocus value="caret here">
<style>@keyframes move { from { transform: translateX(0) } to { transform: translateX(300px) } }
h1 { animation: move 5s linear infinite }</style></body>`;
const settling = `<!doctype html><body><h1 id="n">0</h1><script>
let n = 0; const turn = () => { n += 1; document.getElementById("n").textContent = n;
if (n < 30) requestAnimationFrame(turn); }; requestAnimationFrame(turn)</script></body>`;
const restless = `<!doctype html><body><h1 id="n">0</h1><script>
setInterval(() => { document.getElementById("n").textContent = performance.now(); }, 5)</script></body>`;

describe("a visual check", () => {
  let pool: BrowserPool;
  let site: Pages;
  beforeAll(async () => {
    pool = openPool();
    site = await servePages({ "/still": still, "/settling": settling, "/restless": restless });
  });
  afterAll(async () => {
    await pool.close();
    await site.close();
  });

  const limits = { threshold: 0.2, allowed: 0 };
  const nothing = { pixels: 0, ratio: 0, sizeDiffers: false, diff: null, ...limits };
  /** Takes every picture for new, and keeps them. */
  const proposing = () => {
    const pictures: Buffer[] = [];
    const visuals: Visuals = async () => ({
      kind: "compare",
      sha256: null,
      compare: async (png) => {
        pictures.push(png);
        return { outcome: "proposed", baseline: null, ...nothing };
      },
    });
    return { visuals, pictures };
  };
  const check = (path: string, visuals: Visuals, target = "", more = {}) =>
    run(
      pool,
      [
        step("navigate", "", path),
        step("visual_check", target, "start", more),
        step("assert_visible", "heading"),
      ],
      { baseUrl: site.url, visuals },
    );

  test("sees the same picture twice despite an animation and a caret", async () => {
    const { visuals, pictures } = proposing();
    for (const _ of [1, 2]) expect((await check("/still", visuals)).status).toBe("passed");
    expect(pictures[0]?.equals(pictures[1] ?? Buffer.alloc(0))).toBe(true);
  });

  test("proposes the picture once two consecutive ones are equal: a gap", async () => {
    const { visuals, pictures } = proposing();
    const ran = await check("/settling", visuals);
    expect(ran.status).toBe("passed");
    expect(pictures).toHaveLength(1);
    const [skipped] = ran.of("stepSkipped");
    expect(skipped).toMatchObject({ number: 2, gap: true, reason: NOT_APPROVED });
    const [report] = ran.of("visualCompared");
    const hash = createHash("sha256")
      .update(pictures[0] ?? "")
      .digest("hex");
    expect(report?.actual).toEqual({ sha256: hash, ...sizeOfPng(pictures[0] ?? Buffer.alloc(0)) });
    const { visuals: later, pictures: settled } = proposing();
    await check("/settling", later);
    expect(settled[0]?.equals(pictures[0] ?? Buffer.alloc(0))).toBe(true);
  });

  test("fails with the reason on a page that never settles", async () => {
    const ran = await check("/restless", proposing().visuals);
    expect([ran.status, ran.error]).toEqual(["failed", expect.stringContaining("hold still")]);
  });

  test("photographs only the given element", async () => {
    const { visuals, pictures } = proposing();
    const ran = await check("/still", visuals, "css=input");
    expect(ran.status).toBe("passed");
    expect(sizeOfPng(pictures[0] ?? Buffer.alloc(0)).height).toBeLessThan(60);
  });

  test("compares one picture if it equals the baseline", async () => {
    const { visuals, pictures } = proposing();
    await check("/still", visuals);
    const [baseline = Buffer.alloc(0)] = pictures;
    const sha256 = createHash("sha256").update(baseline).digest("hex");
    let compared = 0;
    const ran = await check("/still", async () => ({
      kind: "compare",
      sha256,
      compare: async () => {
        compared += 1;
        const picture = { key: "k", sha256, ...sizeOfPng(baseline) };
        return { outcome: "same", baseline: picture, ...nothing };
      },
    }));
    expect([ran.status, compared, ran.of("stepSkipped")]).toEqual(["passed", 1, []]);
  });

  const differing: Visuals = async () => ({
    kind: "compare",
    sha256: "another",
    compare: async () => {
      const baseline = { key: "k", sha256: "another", width: 1, height: 1 };
      return { ...nothing, outcome: "different", pixels: 3, baseline };
    },
  });

  test("fails the step on a difference, continues, and reports only pictures as wrong", async () => {
    const ran = await check("/still", differing);
    expect([ran.status, ran.error]).toEqual(["failed", expect.stringContaining("in 3 pixels")]);
    expect(ran.of("stepFailed").map(({ number }) => number)).toEqual([2]);
    expect(ran.of("stepPassed").map(({ number }) => number)).toEqual([1, 3]);
    expect(ran.of("browserFinished")[0]?.onlyPictures).toBe(true);
  });

  test("passes the test on a difference in an optional step", async () => {
    const ran = await check("/still", differing, "", { optional: true });
    expect(ran.status).toBe("passed");
    expect(ran.of("visualCompared")[0]?.passedOver).toBe(true);
  });

  test("makes the test errored if the comparison fails", async () => {
    const ran = await check("/still", async () => {
      throw new Error("the disk is gone");
    });
    expect([ran.status, ran.error]).toEqual(["errored", expect.stringContaining("disk is gone")]);
  });
});
