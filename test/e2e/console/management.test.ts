import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, call, signUp } from "../../support/client.ts";
import { addMember, grant } from "../../support/members.ts";
import {
  createTest,
  expectAccessible,
  type Kit,
  newSession,
  openPage,
  queueRun,
  startKit,
} from "./kit.ts";

const PASSING = 'Go to /todo\nType "Buy milk" into "What needs to be done?" and press Enter';

/** The screens that manage an organisation, in a real browser, served by the whole service. */
describe("management in the web console", () => {
  let kit: Kit;
  let ann: Account;

  beforeAll(async () => {
    kit = await startKit();
    ann = await signUp(kit.service.url);
    await grant(kit.service, ann.organizationId, "team");
  });
  afterAll(async () => {
    await kit?.stop();
  });

  it("creates an API key, shows it once, and revokes it", async () => {
    const page = await openPage(kit, await newSession(kit, ann));
    await page.goto("/settings/api-keys");
    await page.getByRole("button", { name: "New API key" }).click();
    await page.getByLabel("Name").fill("ci");
    await page.getByLabel("Expires").selectOption("30");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create" }).click();
    const secret = (await page.getByTestId("secret").textContent()) ?? "";
    const runs = () => call(kit.service.url, "GET", "/api/v1/runs", { bearer: secret });
    expect((await runs()).status).toBe(200);

    await page.keyboard.press("Escape");
    await page.getByText("expires in 30 days").waitFor();
    await page.reload();
    await page.getByText("used just now").waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole("button", { name: "Revoke ci" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No API keys yet").waitFor();
    expect((await runs()).status).toBe(401);
    await page.context().close();
  });

  it("invites a person, and changes and removes a member", async () => {
    const bob = await addMember(kit.service, ann.organizationId, "viewer");
    const page = await openPage(kit, await newSession(kit, ann));
    await page.goto("/settings/members");
    await page.getByLabel("E-mail address").fill("carl@example.test");
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByRole("button", { name: "Send the invite of carl@example.test again" }).click();
    await page.getByText("on its way to carl@example.test again").waitFor();
    await page.getByRole("button", { name: "Revoke the invite of carl@example.test" }).click();
    await page.getByText("The invite of carl@example.test is revoked").waitFor();

    const row = page.getByRole("listitem").filter({ hasText: bob.email });
    await row.getByRole("combobox").selectOption("editor");
    await page.getByText("has the role Editor now").waitFor();
    await page.reload();
    expect(await row.getByRole("combobox").inputValue()).toBe("editor");
    await row.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("is no longer a member").waitFor();
    await expect.poll(() => row.count()).toBe(0);
    await page.context().close();
  });

  it("leads a person who may not read results to the plan", async () => {
    const bill = await addMember(kit.service, ann.organizationId, "billing");
    const page = await openPage(kit, bill);
    await page.goto("/");
    await page.getByRole("heading", { name: "Plans" }).waitFor();
    const places = page.getByRole("navigation", { name: "Main" }).getByRole("link");
    expect(await places.allTextContents()).toEqual([" Settings"]);
    await page.context().close();
  });

  it("stores settings and notifications, and tells others why they may not", async () => {
    const page = await openPage(kit, await newSession(kit, ann));
    await page.goto("/settings");
    await page.getByLabel("Time zone").selectOption("Europe/Berlin");
    await page.getByLabel("Step, in seconds").fill("20");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The settings are saved").waitFor();
    await page.reload();
    expect(await page.getByLabel("Time zone").inputValue()).toBe("Europe/Berlin");
    expect(await page.getByLabel("Step, in seconds").inputValue()).toBe("20");
    await page.goto("/settings/notifications");
    await page.getByLabel("Send a mail").selectOption("failures");
    await page.getByText("The notifications are saved").waitFor();
    await page.getByLabel("E-mail address").fill("qa@example.test");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("Not confirmed yet").waitFor();
    await page.context().close();

    const viewer = await addMember(kit.service, ann.organizationId, "viewer");
    const other = await openPage(kit, viewer, { width: 390, theme: "dark" });
    await other.addInitScript(
      `localStorage.setItem("runledger.organization", "${ann.organizationId}")`,
    );
    await other.goto("/settings/api-keys");
    await other.getByText("The role viewer may not manage API keys").waitFor();
    await other.getByRole("link", { name: "Organisation", exact: true }).click();
    expect(await other.getByLabel("Name").isDisabled()).toBe(true);
    expect(await other.getByRole("button", { name: "Save" }).count()).toBe(0);
    await expectAccessible(other);
    await other.context().close();
  });

  it("creates, pauses and changes a schedule", async () => {
    await createTest(kit, ann, { name: "Todos", text: PASSING });
    const page = await openPage(kit, await newSession(kit, ann));
    await page.goto("/schedules");
    await page.getByText("No schedules yet").waitFor();
    await page.getByRole("link", { name: "New schedule" }).first().click();
    await page.getByLabel("Name").fill("Every morning");
    await page.getByLabel("Time as a cron expression").fill("30 6 * * 1-5");
    await page.getByText("At 06:30 from Monday to Friday").waitFor();
    await page.getByLabel("Time zone").selectOption("Europe/Berlin");
    await page.getByLabel("Todos").check();
    await page.getByLabel("Address of the site").fill(kit.site.url);
    await page.getByRole("button", { name: "Create the schedule" }).click();

    await page.getByRole("heading", { level: 1, name: "Every morning" }).waitFor();
    expect(await page.getByText(/^Mon.*06:30$/).count()).toBeGreaterThan(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("it starts no runs").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page
      .getByText(/^Mon.*06:30$/)
      .first()
      .waitFor();
    await page.getByLabel("Time as a cron expression").fill("nonsense");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("has five fields").waitFor();
    await page.getByRole("link", { name: "Schedules" }).first().click();
    await page.getByText("At 06:30 from Monday to Friday").waitFor();
    await page.context().close();
  });

  it("shows the history of a test, and starts and ends its quarantine", async () => {
    const testId = await createTest(kit, ann, { name: "Lists", text: PASSING });
    const page = await openPage(kit, await newSession(kit, ann), { width: 390, theme: "dark" });
    await page.goto(`/tests/${testId}/history`);
    await page.getByText("The test has not run yet").waitFor();
    const runId = await queueRun(kit, ann, [testId]);
    await page.goto(`/runs/${runId}`);
    await page.getByRole("heading", { name: /Passed$/ }).waitFor({ timeout: 120_000 });
    await page.goto(`/tests/${testId}/history`);
    await page.getByText("1 execution").first().waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Quarantine the test" }).click();
    await page.getByLabel("Reason").fill("The shop is being moved");
    await page.getByRole("button", { name: "Start the quarantine" }).click();
    await page.getByText("Reason: The shop is being moved").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "End the quarantine" }).click();
    await page.getByRole("button", { name: "Quarantine the test" }).waitFor();
    await page
      .getByRole("link", { name: /^Passed/ })
      .first()
      .click();
    await page.waitForURL(/\/executions\//);
    await page.context().close();
  });

  it("previews a change of the plan, cancels it, and shows the plan of a day", async () => {
    const eve = await signUp(kit.service.url);
    const page = await openPage(kit, eve);
    await page.goto("/settings/plan");
    await page.getByRole("button", { name: "Preview the change to Team" }).click();
    await page.getByRole("heading", { name: "From Free to Team" }).waitFor();
    await page.getByText("You gain").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "From Free to Team" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Preview the change to Starter" }).waitFor();
    await page.getByText("Plan change cancelled").waitFor();
    await page.getByLabel("As of the end of").fill("2020-01-01");
    await page.getByText("The plan had not changed yet.").waitFor();
    expect(page.url()).toContain("as_of=2020-01-01");
    await page.context().close();
  });

  it("is accessible in both themes at a desk and on a phone", async () => {
    const addresses = [
      ...["/settings", "/settings/members", "/settings/api-keys", "/settings/notifications"],
      ...["/settings/plan", "/settings/audit", "/schedules", "/schedules/new"],
    ];
    for (const [theme, width] of [
      ["light", 390],
      ["dark", 1280],
    ] as const) {
      const page = await openPage(kit, await newSession(kit, ann), { theme, width });
      for (const address of addresses) {
        await page.goto(address);
        await page.getByRole("heading", { name: /^(Settings|Schedules|New schedule)$/ }).waitFor();
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
