import { type Browser, chromium, type Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBrowser } from "../../../src/workers/executor/index.ts";
import { oauthSettings, startOidcServer, type TestOidcServer } from "../../support/oidcServer.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** In a real browser, which has its own mind about cookies and redirects between sites. */
describe("signing in with a provider in a browser", () => {
  let oidc: TestOidcServer;
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    oidc = await startOidcServer();
    // With the strictest cookies, a redirect from another site carries none.
    const settings = { ...oauthSettings(oidc), COOKIE_SAMESITE: "strict" };
    service = await startTestService(settings, ["api", "projections"]);
    const { executablePath } = await findBrowser({ allowInstall: false });
    browser = await chromium.launch({ executablePath });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await oidc?.stop();
  });

  /** The first request of each page of the web app. */
  const whoAmI = (page: Page) =>
    page.evaluate(async () => {
      const headers = { "x-requested-with": "fetch" };
      const reply = await fetch("/api/v1/auth/refresh", { method: "POST", headers });
      // biome-ignore lint/suspicious/noExplicitAny: whatever the service answered.
      return { status: reply.status, body: (await reply.json()) as any };
    });

  it("returns to the intended page with a session and leaves no credential behind", async () => {
    const email = "ann@example.test";
    const sub = oidc.add({ email, emailVerified: true, name: "Ann Example" });
    const page = await (await browser.newContext()).newPage();
    const visited: string[] = [];
    page.on("response", (response) => visited.push(response.url()));
    await page.goto(`${service.url}/api/v1/auth/oauth/google/start?return_to=/api/v1/health/live`);
    expect(new URL(page.url()).origin).toBe(oidc.issuer);
    await page.getByRole("button", { name: sub }).click();
    await page.waitForURL(`${service.url}/api/v1/health/live`);

    const { status, body } = await whoAmI(page);
    expect([status, body.user]).toEqual([
      200,
      expect.objectContaining({ email, email_verified: true }),
    ]);
    expect(await page.evaluate("document.cookie")).toBe("");
    const cookies = await page.context().cookies(`${service.url}/api/v1`);
    expect(cookies.find(({ name }) => name === "refresh_token")).toMatchObject({
      httpOnly: true,
      sameSite: "Strict",
      path: "/api/v1",
    });
    expect(visited.some((url) => url.includes(body.access_token))).toBe(false);

    // The address with the code stands in the history of the browser: it is good for nothing.
    const callback = visited.find((url) => url.includes("/callback?")) ?? "";
    expect(callback).toContain("code=");
    const again = await page.goto(callback);
    expect(again?.status()).toBe(400);
    const elsewhere = await (await browser.newContext()).newPage();
    expect((await elsewhere.goto(callback))?.status()).toBe(400);
    await elsewhere.goto(`${service.url}/api/v1/health/live`);
    expect((await whoAmI(elsewhere)).status).toBe(401);
  });

  it("explains a refused consent and signs nobody in", async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${service.url}/api/v1/auth/oauth/microsoft/start`);
    await page.getByRole("button", { name: "nobody" }).click();
    await page.waitForURL(/\/callback\?/);
    expect(await page.textContent("body")).toContain("access_denied");
    await page.goto(`${service.url}/api/v1/health/live`);
    expect((await whoAmI(page)).status).toBe(401);
  });
});
