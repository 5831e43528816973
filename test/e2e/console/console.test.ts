import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, call, signUp } from "../../support/client.ts";
import { addMember } from "../../support/members.ts";
import {
  createTest,
  expectAccessible,
  type Kit,
  mailedPath,
  openPage,
  queueRun,
  startKit,
} from "./kit.ts";

const TODO = 'Go to /todo\nType "Buy milk" into "What needs to be done?" and press Enter';
const PASSING = `${TODO}\nI should see "Buy milk"`;
const MARKUP = '<img src=x onerror="document.title=1"><b>bold</b>';

/** The web console in a real browser, served by the whole service. */
describe("web console", () => {
  let kit: Kit;
  let ann: Account;

  beforeAll(async () => {
    kit = await startKit();
    ann = await signUp(kit.service.url);
  });
  afterAll(async () => {
    await kit?.stop();
  });

  it("leads from the sign-up to the first passed run, and survives a reload in mid-run", async () => {
    const page = await openPage(kit, null);
    await page.goto("/");
    await page.getByRole("link", { name: "Sign up" }).click();
    await page.getByLabel("Your name").fill("Bea");
    await page.getByLabel("E-mail address").fill("bea@example.test");
    await page.getByLabel("Password").fill("correct horse");
    await page.getByRole("button", { name: "Sign up" }).click();

    await page.getByRole("heading", { name: "Run your first test" }).waitFor();
    await page.getByLabel("Address of the site").fill(kit.site.url);
    const sentences = page.getByLabel("Sentences of the test");
    await sentences.fill(`${TODO}\nFrobnicate`);
    await page.getByText("Line 3").waitFor();
    const run = page.getByRole("button", { name: "Run the test" });
    expect(await run.isDisabled()).toBe(true);
    await expectAccessible(page);
    await sentences.fill(`${TODO}\nWait 2 s\nI should see "Buy milk"`);
    await run.click();

    await page.waitForURL(/\/runs\//);
    await page.getByRole("button", { name: /^Passed 1 / }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: /Passed$/ }).waitFor({ timeout: 120_000 });
    await page.getByRole("img", { name: /after step/ }).waitFor();
    await page.getByRole("button", { name: /^Passed 2 / }).click();
    expect(page.url()).toContain("step=2");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.url()).toContain("step=3");
    await expectAccessible(page);

    await page.getByRole("link", { name: "Home" }).click();
    await page.getByText("Every test passed when it last ran.").waitFor();
    await page.context().close();
  });

  it("returns after an expired session to the page that was open", async () => {
    const dan = await signUp(kit.service.url);
    const page = await openPage(kit, dan);
    await page.goto("/tests?q=basket");
    await page.getByText("No test matches").waitFor();
    await call(kit.service.url, "POST", "/api/v1/auth/logout", { bearer: dan.accessToken });
    await page.getByRole("link", { name: "Show all tests" }).click();
    await page.getByText("Your session has ended.").waitFor();
    await page.getByLabel("E-mail address").fill(dan.email);
    await page.getByLabel("Password").fill(dan.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Tests" }).waitFor();
    await page.context().close();
  });

  it("shows a viewer no button that the service would refuse", async () => {
    const testId = await createTest(kit, ann, { name: "Todos", text: PASSING });
    const runId = await queueRun(kit, ann, [testId]);
    const viewer = await addMember(kit.service, ann.organizationId, "viewer");
    const page = await openPage(kit, viewer);
    await page.goto(`/runs/${runId}`);
    // The run belongs to the second organisation of the viewer: the page offers it.
    await page.getByRole("button", { name: "Example" }).click();
    await page.getByRole("heading", { name: /^Todos/ }).waitFor();
    await page.getByText("runs left").waitFor();
    expect(await page.getByRole("button", { name: /Cancel|again/ }).count()).toBe(0);
    await page.goto(`/tests/${testId}`);
    await page.getByText("Buy milk").last().waitFor();
    expect(await page.getByRole("button", { name: /Run|Save|More/ }).count()).toBe(0);
    await page.goto("/tests");
    await page.getByRole("link", { name: "Todos" }).waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await page.getByRole("link", { name: "New test" }).count()).toBe(0);
    await page.context().close();
  });

  it("shows markup as text in every field", async () => {
    const name = MARKUP;
    const text = `I should see "${MARKUP.replaceAll('"', "'")}"\n${MARKUP}`;
    const testId = await createTest(kit, ann, { name, text });
    const page = await openPage(kit, ann);
    for (const address of [`/tests/${testId}`, "/tests"]) {
      await page.goto(address);
      await page.getByText("<b>bold</b>").first().waitFor();
      expect(await page.locator("img[src=x]").count(), address).toBe(0);
      expect(await page.title()).not.toBe("1");
    }
    await page.goto(`/tests?q=${encodeURIComponent(MARKUP)}`);
    await page.getByLabel("Search tests").waitFor();
    expect(await page.getByLabel("Search tests").inputValue()).toBe(MARKUP);
    expect(await page.locator("img[src=x]").count()).toBe(0);
    await page.context().close();
  });

  it("opens a screen for each link in a mail", async () => {
    const eve = await signUp(kit.service.url);
    const page = await openPage(kit, eve);
    await page.goto(await mailedPath(kit, eve.email, /Confirm your e-mail/));
    await page.getByRole("button", { name: "Confirm the address" }).click();
    await page.getByText("Your address is confirmed.").waitFor();

    const host = await signUp(kit.service.url);
    const invited = await call(kit.service.url, "POST", "/api/v1/invites", {
      bearer: host.accessToken,
      body: { email: eve.email, role: "editor" },
    });
    expect(invited.status).toBe(201);
    await page.goto(await mailedPath(kit, eve.email, /You are invited/));
    const accept = page.getByRole("button", { name: "Accept the invite" });
    await accept.waitFor();
    await expectAccessible(page);
    await accept.click();
    await page.getByRole("heading", { name: /^(Home|Run your first test)$/ }).waitFor();

    await page.goto("/forgot-password");
    await page.getByLabel("E-mail address").fill(eve.email);
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByText("is on its way").waitFor();
    await page.goto(await mailedPath(kit, eve.email, /Set a new password/));
    await page.getByLabel("New password").fill("another password");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByRole("heading", { name: "Your password is set" }).waitFor();
    await page.context().close();
  });

  it("is accessible in both themes at a desk and on a phone", async () => {
    const visitor = await signUp(kit.service.url);
    await createTest(kit, visitor, { name: "Todos", text: PASSING });
    const addresses = ["/", "/tests", "/tests/new", "/runs", "/account"];
    for (const [theme, width] of [
      ["light", 390],
      ["dark", 1280],
    ] as const) {
      const page = await openPage(kit, visitor, { theme, width });
      for (const address of addresses) {
        await page.goto(address);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await expect.poll(() => page.getByRole("main").locator(".spinner").count()).toBe(0);
        await expectAccessible(page);
      }
      await page.context().close();
    }
  });

  it("violates no content policy and throws no error on any page", () => {
    expect(kit.problems).toEqual([]);
  });
});
