import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Pages, servePages } from "../../integration/executor/pages.ts";
import { type Account, call, eventually, signUp } from "../../support/client.ts";
import { addMember, grant } from "../../support/members.ts";
import { expectAccessible, type Kit, newSession, openPage, startKit } from "./kit.ts";

const shop = (price: string) => `<!doctype html><title>Shop</title>
<body style="margin:0;font:20px sans-serif"><h1>Shop</h1>
<p style="position:absolute;left:40px;top:200px;width:200px;height:40px;margin:0">${price}</p></body>`;

/** The review of pictures in a real browser, served by the whole service. */
describe("picture review in the web console", () => {
  let kit: Kit;
  let ann: Account;
  let site: Pages;
  const pages: Record<string, string> = { "/": shop("3.20") };

  beforeAll(async () => {
    [kit, site] = await Promise.all([startKit(), servePages(pages)]);
    ann = await signUp(kit.service.url);
    await grant(kit.service, ann.organizationId, "team");
  });
  afterAll(async () => {
    await site?.close();
    await kit?.stop();
  });

  const api = async (method: string, path: string, body?: unknown) => {
    const { accessToken: bearer, organizationId } = ann;
    const reply = await call(kit.service.url, method, `/api/v1${path}`, {
      ...{ bearer, organizationId },
      ...(body !== undefined && { body }),
    });
    return reply.body;
  };

  const createTest = async (name: string): Promise<string> => {
    const steps = [
      { action: "navigate", value: "/" },
      { action: "visual_check", value: "start" },
    ];
    return (await api("POST", "/tests", { name, steps })).id;
  };

  /** Runs tests to the end, and returns the id of the run. */
  const run = async (testIds: readonly string[]): Promise<string> => {
    const queued = await api("POST", "/runner/runs", { test_ids: testIds, base_url: site.url });
    const [id] = queued.run_ids;
    await eventually(
      () => api("GET", `/runs/${id}`),
      ({ finished_at }) => finished_at !== null,
      60_000,
    );
    return id;
  };

  it("approves and rejects pictures by keyboard, and shows a difference in five ways", async () => {
    const tests = [await createTest("Start page"), await createTest("Start page again")];
    const first = await run(tests);
    const page = await openPage(kit, await newSession(kit, ann));
    await page.goto(`/runs/${first}`);
    await page.getByRole("link", { name: "Review the pictures" }).click();
    await page.getByText("New: the step has no baseline").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("a");
    const list = page.getByRole("list", { name: "Pictures" });
    await list.getByText("Approved:").waitFor();
    await expect.poll(() => list.locator("[aria-current]").textContent()).toContain("again");
    const approve = page.getByRole("button", { name: "Approve A", exact: true });
    let releaseRejection = (): void => {};
    const released = new Promise<void>((resolve) => {
      releaseRejection = resolve;
    });
    await page.route("**/baselines/reject", async (route) => {
      await released;
      await route.continue();
    });
    await page.keyboard.press("r");
    await expect.poll(() => approve.isDisabled()).toBe(true);
    await page.keyboard.press("a");
    releaseRejection();
    await list.getByText("Closed:").waitFor();
    // A decision is refused until the one before it is done.
    await expect.poll(() => approve.isEnabled()).toBe(true);
    expect(await list.getByText("Approved:").count()).toBe(1);
    expect(
      await page.getByRole("button", { name: "Reject", exact: false }).last().isDisabled(),
    ).toBe(true);
    await page.keyboard.press("a");
    await expect.poll(() => list.getByText("Approved:").count()).toBe(2);

    pages["/"] = shop("4.70");
    const second = await run(tests);
    await page.goto(`/runs/${second}/pictures`);
    await page.getByText(/pixels differ/).waitFor();
    for (const [key, shown] of [
      ["1", "figure"],
      ["2", "input[type=range]"],
      ["3", "input[type=range]"],
      ["4", "text=Turn"],
      ["5", "img[alt=Difference]"],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(shown).first().waitFor();
      await expectAccessible(page);
    }
    await page.reload();
    await page.getByAltText("Difference").waitFor();
    await page.getByRole("button", { name: "Approve all" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Approve all" }).click();
    await page.getByText("The pictures are approved").waitFor();
    await expect.poll(() => list.getByText("Approved:").count()).toBe(2);
    await page.context().close();
  });

  it("masks a region by mouse, and judges the run again without a browser", async () => {
    const id = await createTest("Masked page");
    const first = await run([id]);
    await api("POST", `/runs/${first}/baselines/approve`);
    pages["/"] = shop("5.10");
    const second = await run([id]);
    const page = await openPage(kit, await newSession(kit, ann));
    await page.goto(`/runs/${second}/pictures`);
    await page.getByRole("button", { name: "Masks and limits" }).click();
    const drawing = page.getByRole("img", { name: "Masks" });
    const box = await drawing.boundingBox();
    if (!box) throw new Error("There is no picture to draw on");
    const at = (x: number, y: number) =>
      [box.x + (x / 1280) * box.width, box.y + (y / 720) * box.height] as const;
    await page.mouse.move(...at(20, 180));
    await page.mouse.down();
    await page.mouse.move(...at(300, 260), { steps: 4 });
    await page.mouse.up();
    await page.getByRole("button", { name: "Remove mask 1" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save and judge again" }).click();
    await page.getByText("Judged again: the test passed").waitFor();
    await page.getByText("There is nothing to review").waitFor();
    const { settings } = await api("GET", `/tests/${id}/baselines`);
    expect(settings.masks).toMatchObject([{ viewport: "1280x720" }]);
    expect((await api("GET", `/runs/${second}`)).status).toBe("passed");
    await page.context().close();
  });

  it("shows a viewer the pictures without a way to decide", async () => {
    const id = await createTest("Seen by a viewer");
    const first = await run([id]);
    const bob = await addMember(kit.service, ann.organizationId, "viewer");
    const page = await openPage(kit, bob, { width: 390, theme: "dark" });
    await page.goto(`/runs/${first}/pictures`);
    await page.getByAltText("This run").waitFor();
    await expectAccessible(page);
    for (const name of [/^Approve/, /^Reject/]) {
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    }
    await page.context().close();
  });

  it("runs no script that breaks the content policy", () => {
    expect(kit.problems).toEqual([]);
  });
});
