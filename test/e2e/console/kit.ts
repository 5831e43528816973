import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright";
import { expect } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { findBrowser } from "../../../src/workers/executor/browserFinder.ts";
import { type Account, call, eventually } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtpServer.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** The service with the console of the current sources, a browser to look at it, a site to test and a mailbox. */
export type Kit = {
  readonly service: TestService;
  readonly site: DemoSite;
  readonly smtp: TestSmtpServer;
  readonly browser: Browser;
  /** Problems that a page reported on its console: errors of scripts and violations of the content policy. */
  readonly problems: string[];
  stop(): Promise<void>;
};

export const startKit = async (): Promise<Kit> => {
  await buildConsole();
  const smtp = await startSmtpServer();
  const [service, site, browser] = await Promise.all([
    startTestService({ SMTP_URL: smtp.url, MAIL_FROM: "Runledger <mail@service.test>" }),
    serveDemoSite(),
    findBrowser({ allowInstall: false }).then(({ executablePath }) =>
      chromium.launch({ executablePath, chromiumSandbox: false }),
    ),
  ]);
  const stop = async (): Promise<void> => {
    await browser.close();
    await service.stop();
    await Promise.all([site.close(), smtp.stop()]);
  };
  return { service, site, smtp, browser, problems: [], stop };
};

/** Builds the console if a source is newer than the last build. */
const buildConsole = async (): Promise<void> => {
  const built = await changedAt(path.join(ROOT, "dist/web/index.html")).catch(() => 0);
  const sources = await readdir(path.join(ROOT, "web"), { recursive: true });
  const changes = await Promise.all(sources.map((file) => changedAt(path.join(ROOT, "web", file))));
  if (changes.every((change) => change <= built)) return;
  // The NODE_ENV of the tests would build the development version of React.
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)("npm", ["run", "build:web"], { cwd: ROOT, env });
};

const changedAt = async (file: string): Promise<number> => (await stat(file)).mtimeMs;

type Look = { readonly width?: number; readonly theme?: "light" | "dark" };

/** A page of a browser context of its own; with an account, signed in as it. */
export const openPage = async (kit: Kit, account: Account | null, look: Look = {}) => {
  const { width = 1280, theme = "light" } = look;
  const context = await kit.browser.newContext({
    baseURL: kit.service.url,
    viewport: { width, height: 800 },
    colorScheme: theme,
  });
  if (account) await signIn(kit, context, account);
  const page = await context.newPage();
  page.on("pageerror", (error) => kit.problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      kit.problems.push(message.text());
    }
  });
  return page;
};

const signIn = async (kit: Kit, context: BrowserContext, account: Account): Promise<void> => {
  const [name = "", value = ""] = account.cookie.split("=");
  await context.addCookies([{ name, value, url: kit.service.url, httpOnly: true }]);
};

/** The account with a session of its own: a page replaces the cookie that it was opened with. */
export const newSession = async (kit: Kit, account: Account): Promise<Account> => {
  const { email, password } = account;
  const reply = await call(kit.service.url, "POST", "/api/v1/auth/login", {
    body: { email, password },
  });
  expect(reply.status).toBe(200);
  const cookie = (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { ...account, accessToken: reply.body.access_token, cookie };
};

const axeSource = await readFile(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** Expects no violation of WCAG 2.2 AA, and a page that is no wider than the window. */
export const expectAccessible = async (page: Page): Promise<void> => {
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe is loaded into the page.
    const { axe } = globalThis as any;
    const found = await axe.run();
    return found.violations.map(
      // biome-ignore lint/suspicious/noExplicitAny: the report of axe.
      (each: any) => `${each.id}: ${each.nodes.map((node: any) => node.html).join(" ")}`,
    );
  });
  expect(violations, page.url()).toEqual([]);
  const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  expect(overflow, page.url()).toBeLessThanOrEqual(0);
};

/** The path of the link in the last mail to an address with a subject. */
export const mailedPath = async (kit: Kit, to: string, subject: RegExp): Promise<string> => {
  const mails = await eventually(
    async () =>
      kit.smtp.received.filter(
        (mail) => mail.to?.[0]?.address === to && subject.test(mail.subject ?? ""),
      ),
    (found) => found.length > 0,
  );
  const link = new RegExp(`${kit.service.url}(/\\S+)`).exec(mails.at(-1)?.text ?? "")?.[1];
  if (link === undefined) throw new Error(`the mail has no link: ${mails.at(-1)?.text}`);
  return link;
};

/** Creates a test and returns its id. */
export const createTest = async (
  kit: Kit,
  account: Account,
  test: { readonly name: string; readonly text: string },
): Promise<string> => {
  const options = { bearer: account.accessToken, organizationId: account.organizationId };
  const reply = await call(kit.service.url, "POST", "/api/v1/tests", { ...options, body: test });
  expect(reply.status).toBe(201);
  return reply.body.id;
};

/** Queues tests on the site and returns the id of the run. */
export const queueRun = async (
  kit: Kit,
  account: Account,
  testIds: readonly string[],
): Promise<string> => {
  const reply = await call(kit.service.url, "POST", "/api/v1/runner/runs", {
    bearer: account.accessToken,
    organizationId: account.organizationId,
    body: { test_ids: testIds, base_url: kit.site.url },
  });
  expect(reply.status).toBe(202);
  return reply.body.run_ids[0];
};
