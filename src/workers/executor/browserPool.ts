import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { FoundBrowser } from "./browserFinder.ts";
import type { NetworkPolicy, Resolve } from "./networkPolicy.ts";
import { createWarmBrowser, type PooledContext, type WarmBrowser } from "./warmBrowser.ts";

export type { PooledContext } from "./warmBrowser.ts";

export type BrowserPool = {
  /** Starts a browser if none is running. Rejects when it does not start. */
  warm(): Promise<{ version: string }>;
  /** A fresh context in a browser that no other test is in. Rejects when it does not start, or when the pool is closed. */
  open(): Promise<PooledContext>;
  /** The processes of the browsers that run. */
  processIds(): readonly number[];
  /** Closes the browsers and leaves no process behind. Never rejects. */
  close(): Promise<void>;
};

export type BrowserPoolOptions = {
  /** `chromium` unless it is said. */
  readonly name?: BrowserName;
  /** Asked again at each start of a browser, so that one installed later is found. */
  readonly find: () => Promise<FoundBrowser>;
  /** Shows the browser's windows. */
  readonly headed?: boolean | undefined;
  /** Addresses that pages may reach; all by default. */
  readonly network?: NetworkPolicy;
  /** How names are looked up for the network policy; by the system unless it is said. */
  readonly resolve?: Resolve | undefined;
  readonly onLog?: (message: string) => void;
};

/**
 * Warm browsers, one for each test that runs at the same time: what a page does to its browser costs no
 * other test. As many stay warm as were ever needed at once.
 */
export const createBrowserPool = (options: BrowserPoolOptions): BrowserPool => {
  const { name = "chromium", headed = false, network = "open", onLog = () => {} } = options;
  const browsers: WarmBrowser[] = [];
  const taken = new Set<WarmBrowser>();
  let closed = false;

  /** The one that has been warm longest, of those that no test is in. */
  const free = (): WarmBrowser => {
    const found = browsers.find((one) => !taken.has(one));
    if (found) return found;
    const made = createWarmBrowser({ ...options, name, headed, network, onLog });
    browsers.push(made);
    return made;
  };

  return {
    warm: () => free().warm(),
    open: async () => {
      if (closed) throw new Error("The browser pool is closed");
      const browser = free();
      taken.add(browser);
      try {
        const opened = await browser.open();
        const release = async (): Promise<void> => {
          await opened.release();
          taken.delete(browser);
        };
        return { ...opened, release };
      } catch (error) {
        taken.delete(browser);
        throw error;
      }
    },
    processIds: () => browsers.flatMap((one) => one.processId() ?? []),
    close: async () => {
      closed = true;
      await Promise.all(browsers.map((one) => one.close()));
    },
  };
};
