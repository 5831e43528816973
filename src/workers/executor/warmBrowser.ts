import type { Browser, BrowserContext, CDPSession, Page } from "playwright";
import { askPage, askThrough } from "./askPage.ts";
import type { FoundBrowser } from "./browserFinder.ts";
import { type Gate, openGate } from "./gate.ts";
import { type BrowserName, launch, processIdOf } from "./launch.ts";
import { isOpen, type NetworkPolicy, type Resolve } from "./networkPolicy.ts";
import { killTree } from "./processes.ts";

/** How long the browser may take for what normally takes milliseconds, before it is taken for hung and killed. */
const CONTEXT_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 2_000;

/** The size of the page unless a step changes it, in CSS pixels. */
export const DEFAULT_VIEWPORT = { width: 1280, height: 720 } as const;

/** A fresh context in a warm browser with its one page, for one execution. */
export type PooledContext = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Talks to the page past Playwright; null when the browser allows none. */
  readonly session: CDPSession | null;
  /** What decides on the page's connections; null where everything may be reached. */
  readonly gate: Gate;
  readonly browserVersion: string;
  /** The browser's process; null when it is not known. */
  readonly processId: number | null;
  /** Calls when the browser under this context has gone away, at once where it has; answers what takes that back. */
  readonly onBrowserGone: (listener: () => void) => () => void;
  /** Closes the context, at most a few seconds; the browser stays warm. Never rejects. */
  release(): Promise<void>;
};

export type WarmBrowser = {
  /** Starts the browser if it is not running. Rejects when it does not start. */
  warm(): Promise<{ version: string }>;
  /** Rejects when the browser does not start, or when it is closed. */
  open(): Promise<PooledContext>;
  /** The browser's process, while it runs. */
  processId(): number | null;
  /** Closes the browser and leaves no process behind. Never rejects. */
  close(): Promise<void>;
};

export type WarmBrowserOptions = {
  readonly name: BrowserName;
  /** Asked again at each start of the browser, so that one installed later is found. */
  readonly find: () => Promise<FoundBrowser>;
  /** Shows the browser's windows. */
  readonly headed: boolean;
  /** The addresses that pages may reach. Their connections go through a gate; with an open policy, loopback does not. */
  readonly network: NetworkPolicy;
  readonly resolve?: Resolve | undefined;
  readonly onLog: (message: string) => void;
};

/** Proxy rules of Chromium: pages of this machine go through the gate as well. */
const ALL_GATED = "<-loopback>";
/** Pages of this machine are reached directly; the built-in exception for link-local addresses is removed. */
const LOOPBACK = "<-loopback>,localhost,*.localhost,127.0.0.0/8,[::1]";

/** A context that nobody has used yet. */
type Fresh = Pick<PooledContext, "context" | "page" | "session" | "gate"> & {
  readonly from: Running;
  /** Whether its browser and its page still live, as far as is known. */
  isAsNew(): boolean;
};

/** What is made ready for the next execution while nobody waits for it. */
type Ready = {
  readonly from: Running;
  /** null when it could not be made. */
  readonly fresh: Promise<Fresh | null>;
};

type Running = {
  readonly browser: Browser;
  readonly processId: number | null;
  readonly gone: Promise<void>;
  /** Contexts that have not been released. */
  inUse: number;
};

/**
 * One warm browser. It is started at the first need, started again after a crash, and gives each
 * execution a context of its own: no cookie, storage or cache is shared between two. When one is given
 * back the next is made ready, so that an execution need not wait for its page; it is given out once.
 */
export const createWarmBrowser = (options: WarmBrowserOptions): WarmBrowser => {
  const log = options.onLog;
  const closing = new Set<Promise<void>>();
  const retired = new Set<Running>();
  let running: Promise<Running> | null = null;
  let current: Running | null = null;
  let ready: Ready | null = null;
  let closed = false;

  const start = async (): Promise<Running> => {
    const found = await options.find();
    const browser = await launch({ ...options, executablePath: found.executablePath });
    const gone = new Promise<void>((resolve) => browser.once("disconnected", () => resolve()));
    const started: Running = { browser, processId: await processIdOf(browser), gone, inUse: 0 };
    if (closed) {
      await stop(started);
      throw new Error("The browser is closed");
    }
    current = started;
    void gone.then(() => {
      if (current !== started) return;
      current = null;
      running = null;
      if (!closed) log("The browser went away; the next execution starts another.");
    });
    return started;
  };

  const ensure = (): Promise<Running> => {
    if (closed) return Promise.reject(new Error("The browser is closed"));
    if (!running) {
      const starting = start();
      running = starting;
      starting.catch(() => {
        if (running === starting) running = null;
      });
    }
    return running;
  };

  /** A browser that does not answer is killed; whoever else uses it learns that it is gone. */
  const discard = async (hung: Running): Promise<void> => {
    log("The browser does not answer; it is killed and started again.");
    if (current === hung) {
      current = null;
      running = null;
    }
    await stop(hung);
  };

  /** A browser that has a page which cannot be closed takes no more tests; it is ended once those in it are over. */
  const retire = async (worn: Running): Promise<void> => {
    if (current === worn) {
      log("A page could not be closed; the next execution starts another browser.");
      current = null;
      running = null;
      retired.add(worn);
    }
    if (worn.inUse > 0) return;
    retired.delete(worn);
    await stop(worn);
  };

  const makeFresh = async (from: Running): Promise<Fresh> => {
    const gate = await openGate(options.network, options.resolve);
    const opening = from.browser.newContext({
      viewport: DEFAULT_VIEWPORT,
      // No step looks at a file that was loaded down: none is taken, so that none fills the disk.
      acceptDownloads: false,
      proxy: { server: gate.url, bypass: isOpen(options.network) ? LOOPBACK : ALL_GATED },
    });
    const context = await within(opening, CONTEXT_TIMEOUT_MS).catch((error: unknown) => {
      gate.close();
      throw error;
    });
    if (!context) {
      gate.close();
      throw new Error("The browser did not open a context in time");
    }
    context.once("close", gate.close);
    const page = await within(context.newPage(), CONTEXT_TIMEOUT_MS).catch(() => null);
    if (!page) {
      void context.close().catch(() => {});
      gate.close();
      throw new Error("The browser did not open a page in time");
    }
    let hasCrashed = false;
    page.once("crash", () => {
      hasCrashed = true;
    });
    const isAsNew = () => !hasCrashed && !page.isClosed() && from.browser.isConnected();
    const session = await within(
      context.newCDPSession(page).catch(() => null),
      CONTEXT_TIMEOUT_MS,
    );
    askThrough(page, session);
    return { context, page, session, gate, from, isAsNew };
  };

  /** Makes the next execution's context beside whatever else happens. One that fails is made again when it is needed. */
  const prepareNext = (): void => {
    if (closed || current === null || ready?.from === current) return;
    const fresh = makeFresh(current).catch(() => null);
    ready = { from: current, fresh };
  };

  /** A browser that died or hung a moment ago is known by this alone. */
  const answers = async ({ page }: Fresh): Promise<boolean> =>
    (await within(askPage<boolean>(page, "true"), ANSWER_TIMEOUT_MS).catch(() => null)) === true;

  /** The context that was made ready, if it is of this kind and still as new: it is nobody else's from now on. */
  const takeReady = async (): Promise<Fresh | null> => {
    const taken = ready;
    ready = null;
    const fresh = (await taken?.fresh) ?? null;
    if (!taken || !fresh) return null;
    const fits = fresh.from === current;
    if (fits && fresh.isAsNew() && (await answers(fresh))) return fresh;
    void fresh.context.close().catch(() => {});
    return null;
  };

  const openFresh = async (): Promise<Fresh> => {
    if (closed) throw new Error("The browser is closed");
    const prepared = await takeReady();
    if (prepared) return prepared;
    const from = await ensure();
    try {
      return await makeFresh(from);
    } catch {
      // It crashed or hung between two executions: once more, with a new one.
      await discard(from);
      return makeFresh(await ensure());
    }
  };

  return {
    warm: async () => ({ version: (await ensure()).browser.version() }),

    open: async () => {
      const { context, page, session, gate, from } = await openFresh();
      from.inUse += 1;
      let released: Promise<void> | null = null;
      const release = (): Promise<void> => {
        released ??= within(
          context.close().catch(() => {}),
          CLOSE_TIMEOUT_MS,
        ).then(async (ended) => {
          gate.close();
          from.inUse -= 1;
          const isStuck = ended === null && from.browser.isConnected();
          if (isStuck || retired.has(from)) await retire(from);
          prepareNext();
        });
        const closingThis = released;
        closing.add(closingThis);
        void closingThis.then(() => closing.delete(closingThis));
        return closingThis;
      };
      const browserVersion = from.browser.version();
      const { processId, browser } = from;
      // No promise: what waits for one is kept for as long as the browser lives, and the test with it.
      const onBrowserGone = (listener: () => void): (() => void) => {
        if (browser.isConnected()) browser.once("disconnected", listener);
        else listener();
        return () => void browser.off("disconnected", listener);
      };
      return { context, page, session, gate, browserVersion, processId, onBrowserGone, release };
    },

    processId: () => current?.processId ?? null,

    close: async () => {
      closed = true;
      ready = null;
      const starting = running;
      running = null;
      await Promise.all(closing);
      const last = await starting?.catch(() => null);
      current = null;
      await Promise.all([...retired, ...(last ? [last] : [])].map(stop));
    },
  };
};

const stop = async (running: Running): Promise<void> => {
  const ended = await within(
    running.browser.close().catch(() => {}),
    CLOSE_TIMEOUT_MS,
  );
  if (ended === null && running.processId !== null) killTree(running.processId);
};

/** The promise's value, or null when the time is over. A late rejection is nobody's concern. */
const within = async <Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value | null> => {
  promise.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};
