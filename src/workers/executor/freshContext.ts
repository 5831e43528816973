import type { Browser, BrowserContext, CDPSession, Page } from "playwright";
import { within } from "../../platform/within.ts";
import { askPage, askThrough } from "./askPage.ts";
import { type Gate, openGate } from "./gate.ts";
import { isOpen, type NetworkPolicy, type Resolve } from "./networkPolicy.ts";

/** How long the browser may take for what normally takes milliseconds, before it is taken for hung and killed. */
const CONTEXT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 2_000;

/** The size of the page unless a step changes it, in CSS pixels. */
export const DEFAULT_VIEWPORT = { width: 1280, height: 720 } as const;

/** Proxy rules of Chromium: pages of this machine go through the gate as well. */
const ALL_GATED = "<-loopback>";
/** Pages of this machine are reached directly; the built-in exception for link-local addresses is removed. */
const LOOPBACK = "<-loopback>,localhost,*.localhost,127.0.0.0/8,[::1]";

/** A context with its one page that no execution has used yet. */
export type FreshContext = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Talks to the page past Playwright; null when the browser allows none. */
  readonly session: CDPSession | null;
  /** Decides on the page's connections; null where everything may be reached. */
  readonly gate: Gate;
  /** Whether its browser and its page still live, as far as is known. */
  isAsNew(): boolean;
};

/** Opens a context behind a gate of its own. Rejects when the browser does not answer in time. */
export const openContext = async (
  browser: Browser,
  network: NetworkPolicy,
  resolve: Resolve | undefined,
): Promise<FreshContext> => {
  const gate = await openGate(network, resolve);
  const context = await contextBehind(browser, gate, network).catch((error: unknown) => {
    gate.close();
    throw error;
  });
  context.once("close", gate.close);
  const page = await within(context.newPage(), CONTEXT_TIMEOUT_MS, orNull).catch(() => null);
  if (!page) {
    void context.close().catch(() => {});
    gate.close();
    throw new Error("The browser did not open a page in time");
  }
  let hasCrashed = false;
  page.once("crash", () => {
    hasCrashed = true;
  });
  const isAsNew = () => !hasCrashed && !page.isClosed() && browser.isConnected();
  const session = await within(
    context.newCDPSession(page).catch(() => null),
    CONTEXT_TIMEOUT_MS,
    orNull,
  );
  askThrough(page, session);
  return { context, page, session, gate, isAsNew };
};

const orNull = (): null => null;

const contextBehind = async (
  browser: Browser,
  gate: Gate,
  network: NetworkPolicy,
): Promise<BrowserContext> => {
  const opening = browser.newContext({
    viewport: DEFAULT_VIEWPORT,
    // No step looks at a file that was loaded down: none is taken, so that none fills the disk.
    acceptDownloads: false,
    proxy: { server: gate.url, bypass: isOpen(network) ? LOOPBACK : ALL_GATED },
  });
  const context = await within(opening, CONTEXT_TIMEOUT_MS, orNull);
  if (!context) throw new Error("The browser did not open a context in time");
  return context;
};

/** Whether the page still answers. A browser that died or hung a moment ago is known by this alone. */
export const answers = async ({ page }: FreshContext): Promise<boolean> =>
  (await within(askPage<boolean>(page, "true"), ANSWER_TIMEOUT_MS, orNull).catch(() => null)) ===
  true;
