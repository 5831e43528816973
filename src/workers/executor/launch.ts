import type { Browser } from "playwright";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import { registerEngine } from "./matching/ask.ts";
import { isOpen, type NetworkPolicy } from "./networkPolicy.ts";
import { outliveLostObjects } from "./outlive.ts";

export type { BrowserName };

const LAUNCH_TIMEOUT_MS = 30_000;

const CHROMIUM_ARGUMENTS = [
  "--disable-quic",
  "--disable-background-networking",
  "--disable-domain-reliability",
  "--disable-dev-shm-usage",
  "--dns-prefetch-disable",
  "--no-pings",
  // Connections over WebRTC would pass by every check of addresses.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
];

/** With a gate in front nothing of a page is looked up or reached by the browser itself, whatever passes the gate by. */
const GATED_ARGUMENTS = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];

/** Starts a browser; Chromium with its sandbox where the user and the system allow it. Signals are the process's own affair. */
export const launch = async (options: {
  readonly name: BrowserName;
  readonly executablePath: string;
  readonly headed: boolean;
  readonly network: NetworkPolicy;
  readonly onLog: (message: string) => void;
}): Promise<Browser> => {
  // Half a second of loading, which nobody should wait for who starts the service.
  const playwright = await import("playwright");
  await registerEngine(playwright.selectors);
  outliveLostObjects(playwright[options.name], options.onLog);
  const shared = {
    executablePath: options.executablePath,
    headless: !options.headed,
    timeout: LAUNCH_TIMEOUT_MS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  };
  if (options.name !== "chromium") return playwright[options.name].launch(shared);
  const args = [...CHROMIUM_ARGUMENTS, ...(isOpen(options.network) ? [] : GATED_ARGUMENTS)];
  const attempt = (chromiumSandbox: boolean) =>
    playwright.chromium.launch({ ...shared, args, chromiumSandbox });
  // As root there is no sandbox.
  if (process.getuid?.() === 0) return attempt(false);
  try {
    return await attempt(true);
  } catch (error) {
    const browser = await attempt(false).catch(() => {
      throw error;
    });
    options.onLog("The browser's sandbox is not available here; running without it.");
    return browser;
  }
};

/** The process of a browser; null where the browser does not tell. */
export const processIdOf = async (browser: Browser): Promise<number | null> => {
  try {
    const session = await browser.newBrowserCDPSession();
    const answer = await session.send("SystemInfo.getProcessInfo");
    await session.detach();
    return answer.processInfo.find((process) => process.type === "browser")?.id ?? null;
  } catch {
    return null;
  }
};
