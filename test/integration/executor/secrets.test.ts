import { describe, expect, test } from "vitest";
import { decodePng } from "../../../src/platform/pictures/png.ts";
import type { ExecutorReport } from "../../../src/workers/executor/report.ts";
import { openSite, type Ran, run, step } from "./kit.ts";

const PASSWORD = 'Tr0ub4dor & <3> "quoted"';
const CARD = "4111111111111111";

const html = (title: string, body: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><style>* { animation: none } body { margin: 0; background: white }
   input { position: absolute; left: 20px; width: 200px; height: 40px; border: 0; background: #0000ff }</style><body>${body}</body></html>`;

const pages = {
  "/": html(
    "Sign in",
    `<label>User <input style="top: 20px" name="user"></label>
     <label>Password <input style="top: 100px" name="password" type="password"></label>
     <label>Card <input style="top: 180px" name="card"
       oninput="this.value = this.value.replace(/\\D/g, '').replace(/(.{4})(?=.)/g, '$1 ')"></label>
     <p style="position: absolute; top: 240px" id="said"></p>
     <button style="position: absolute; top: 300px" onclick="said.textContent = 'Wrong: ' + document.getElementsByName('password')[0].value">Sign in</button>`,
  ),
  "/echo": `<!doctype html><title>Echo</title><h1 id="h"></h1><script>h.textContent = decodeURIComponent(location.search.slice(1)).toUpperCase()</script>`,
  "/redrawn": html(
    "Redrawn",
    `<div id="form"><label>Token <input style="top: 20px" name="token" oninput="redraw(this.value)"></label></div>
     <script>function redraw(value) { form.innerHTML = form.innerHTML; form.querySelector('input').value = value }</script>`,
  ),
};

const secrets: Record<string, string> = { password: PASSWORD, card: CARD, token: "s3cr3t-t0ken" };
const read = async (names: readonly string[]) =>
  new Map(names.flatMap((name) => (secrets[name] === undefined ? [] : [[name, secrets[name]]])));

const { pool, site } = openSite(pages);

const withSecrets = (steps: Parameters<typeof run>[1], more: Parameters<typeof run>[2] = {}) =>
  run(pool, steps, { baseUrl: site.url, secrets: read, ...more });

/** Everything that was reported, but for pictures. */
const said = (ran: Ran): string =>
  JSON.stringify([ran.error, ran.reports.map(({ ...report }) => ({ ...report, bytes: null }))]);

const pictureOf = async (ran: Ran, number: number) => {
  const shot = ran.of("screenshotTaken").find((one) => one.number === number);
  const png = await decodePng(
    (shot as Extract<ExecutorReport, { bytes: Buffer | null }>).bytes as Buffer,
  );
  return (x: number, y: number): string =>
    `#${png.data.subarray((y * png.width + x) * 4, (y * png.width + x) * 4 + 3).toString("hex")}`;
};

describe("secrets in a browser", () => {
  test("leave the pictures of earlier steps unchanged", async () => {
    for (const before of [
      [step("navigate", "", "/"), step("fill", "User", "ada")],
      [step("navigate", "", "/"), step("assert_title", "", "Sign in")],
    ]) {
      const ran = await withSecrets([...before, step("fill", "Password", "${secret.password}")]);
      expect(ran.status).toBe("passed");
      expect(ran.of("screenshotTaken").map(({ number }) => number)).toEqual([1, 2, 3]);
    }
  });

  test("are painted over in later pictures, in every form that the page shows, without affecting other fields", async () => {
    const ran = await withSecrets([
      step("navigate", "", "/"),
      step("fill", "User", "ada"),
      step("screenshot", "", "before"),
      step("fill", "Password", "${secret.password}"),
      step("fill", "Card", "${secret.card}"),
      step("assert_value", "Card", "4111 1111 1111 1111"),
      step("screenshot", "", "after"),
    ]);
    expect([ran.status, ran.error]).toEqual(["passed", null]);
    const [earlier, later] = [await pictureOf(ran, 3), await pictureOf(ran, 7)];
    expect([earlier(200, 40), earlier(200, 120), earlier(200, 200)]).toEqual(
      Array(3).fill("#0000ff"),
    );
    expect([later(200, 40), later(200, 120), later(200, 200)]).toEqual([
      "#0000ff",
      "#ff00ff",
      "#ff00ff",
    ]);
    expect(later(600, 400)).toBe("#ffffff");
    // A picture for each step all the same.
    expect(
      ran
        .of("screenshotTaken")
        .map(({ number }) => number)
        .sort(),
    ).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("are painted over in a redrawn field", async () => {
    const ran = await withSecrets([
      step("navigate", "", "/redrawn"),
      step("fill", "Token", "${secret.token}"),
      step("screenshot", "", "after"),
    ]);
    expect((await pictureOf(ran, 3))(200, 40)).toBe("#ff00ff");
  });

  test("stay visible if the organisation keeps pictures unchanged", async () => {
    const ran = await withSecrets(
      [
        step("navigate", "", "/"),
        step("fill", "Password", "${secret.password}"),
        step("screenshot", "", "after"),
      ],
      { showsSecrets: true },
    );
    const pixel = await pictureOf(ran, 3);
    // Above the row of dots, of which a font has one here and another none.
    expect([pixel(30, 106), pixel(110, 106), pixel(200, 106)]).toEqual(Array(3).fill("#0000ff"));
  });

  test("are removed from the error of an assertion", async () => {
    const ran = await withSecrets([
      step("navigate", "", "/"),
      step("fill", "Password", "${secret.password}"),
      step("click", "Sign in"),
      step("assert_text", "css=#said", "Welcome", { optional: true }),
      step("assert_value", "Password", "${secret.password}?", { optional: true }),
      step("click", "${secret.password}", "", { optional: true }),
      step("store", "css=#said", "seen"),
      step("assert_title", "", "${seen}"),
    ]);
    expect(ran.status).toBe("failed");
    const all = said(ran);
    expect(all).toContain("[secret]");
    for (const part of [PASSWORD, "Tr0ub4dor", "ub4do", encodeURIComponent(PASSWORD), "quoted\\"]) {
      expect(all, part).not.toContain(part);
    }
  });

  test("are removed from addresses and errors of navigation", async () => {
    const ran = await withSecrets([
      step("navigate", "", "/echo?${secret.token}"),
      step("assert_visible", 'heading "${secret.token}"'),
      step("assert_url", "", "*/nowhere", { optional: true }),
      step("assert_text", "css=#h", "nothing", { optional: true }),
      step("navigate", "", "http://127.0.0.1:1/${secret.password}"),
    ]);
    expect(ran.status).toBe("failed");
    const all = said(ran).toLowerCase();
    expect(all).toContain("[secret]");
    for (const part of ["s3cr3t-t0ken", "tr0ub4dor"]) expect(all).not.toContain(part);
  });

  test("are reported by name if unknown, unavailable or without an environment", async () => {
    const steps = [step("navigate", "", "/"), step("fill", "Password", "${secret.nothing}")];
    const missing = await withSecrets(steps);
    expect([missing.status, missing.error]).toEqual([
      "failed",
      "Step 2 failed: There is no secret ${secret.nothing} in the environment of the run.",
    ]);
    expect((await run(pool, steps, { baseUrl: site.url })).error).toContain("no secret");
    const away = await withSecrets(steps, {
      secrets: () => Promise.reject(new Error(`connect failed: ${PASSWORD}`)),
    });
    expect([away.status, away.error]).toEqual([
      "errored",
      "Step 2: The secrets cannot be read just now.",
    ]);
  });
});
