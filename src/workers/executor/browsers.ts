import { type BrowserName, browserName } from "../../domain/runs/verdict.ts";
import { findBrowser, findOtherBrowser } from "./browserFinder.ts";
import { type BrowserPool, createBrowserPool } from "./browserPool.ts";
import type { NetworkPolicy } from "./networkPolicy.ts";

/** The browsers that tests run in. */
export type Browsers = {
  of(name: BrowserName): BrowserPool;
  /** Closes them all and leaves no process behind. Never rejects. */
  close(): Promise<void>;
};

/** A pool for each browser that there is a name for; one that is not installed says so when a test asks for it. */
export const createBrowsers = (options: {
  /** BROWSER_PATH_…; null: found. */
  readonly paths: Readonly<Record<BrowserName, string | null>>;
  readonly network: NetworkPolicy;
  readonly onLog: (message: string) => void;
}): Browsers => {
  const { paths, network, onLog } = options;
  const find = (name: BrowserName) => () => {
    const configuredPath = paths[name] ?? undefined;
    return name === "chromium"
      ? findBrowser({ configuredPath, allowInstall: false })
      : findOtherBrowser(name, { configuredPath });
  };
  const pools = new Map(
    browserName.options.map((name) => [
      name,
      createBrowserPool({ name, find: find(name), network, onLog }),
    ]),
  );
  return {
    of: (name) => {
      const pool = pools.get(name);
      if (!pool) throw new Error(`There is no browser ${name}`);
      return pool;
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
};
