import type { Browser } from "playwright";
import { within } from "../../platform/within.ts";
import type { FoundBrowser } from "./browserFinder.ts";
import { answers, type FreshContext, openContext } from "./freshContext.ts";
import { type BrowserName, launch, processIdOf } from "./launch.ts";
import type { NetworkPolicy, Resolve } from "./networkPolicy.ts";
import { killTree } from "./processes.ts";

/** How long the browser may take to close, before it is taken for hung and killed. */
const CLOSE_TIMEOUT_MS = 5_000;

/** A fresh context in a warm browser with its one page, for one execution. */
export type PooledContext = Omit<FreshContext, "isAsNew"> & {
  readonly browserVersion: string;
  /** The browser's process; null when it is not known. */
  readonly processId: number | null;
  /** Calls when the browser under this context has gone away, at once where it has; returns a function that takes the listener back. */
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

/** A context that no execution has used yet, and its browser. */
type Fresh = FreshContext & { readonly from: Running };

/** The context that is prepared for the next execution. */
type Ready = {
  readonly from: Running;
  /** null when it could not be opened. */
  readonly fresh: Promise<Fresh | null>;
};

type Running = {
  readonly browser: Browser;
  readonly processId: number | null;
  readonly gone: Promise<void>;
  /** Contexts that have not been released. */
  inUse: number;
};

/** The state of a warm browser. */
type Warm = {
  readonly options: WarmBrowserOptions;
  readonly closing: Set<Promise<void>>;
  /** Browsers that take no more tests and are not ended yet. */
  readonly retired: Set<Running>;
  running: Promise<Running> | null;
  current: Running | null;
  ready: Ready | null;
  closed: boolean;
};

/**
 * One warm browser. It is started at the first need, started again after a crash, and gives each
 * execution a context of its own: no cookie, storage or cache is shared between two. When one is given
 * back the next is made ready, so that an execution need not wait for its page; it is given out once.
 */
export const createWarmBrowser = (options: WarmBrowserOptions): WarmBrowser => {
  const warm: Warm = {
    ...{ options, closing: new Set(), retired: new Set() },
    ...{ running: null, current: null, ready: null, closed: false },
  };
  return {
    warm: async () => ({ version: (await ensure(warm)).browser.version() }),
    open: async () => pool(warm, await openFresh(warm)),
    processId: () => warm.current?.processId ?? null,
    close: async () => {
      warm.closed = true;
      warm.ready = null;
      const starting = warm.running;
      warm.running = null;
      await Promise.all(warm.closing);
      const last = await starting?.catch(() => null);
      warm.current = null;
      await Promise.all([...warm.retired, ...(last ? [last] : [])].map(stop));
    },
  };
};

const start = async (warm: Warm): Promise<Running> => {
  const { options } = warm;
  const found = await options.find();
  const browser = await launch({ ...options, executablePath: found.executablePath });
  const gone = new Promise<void>((resolve) => browser.once("disconnected", () => resolve()));
  const started: Running = { browser, processId: await processIdOf(browser), gone, inUse: 0 };
  if (warm.closed) {
    await stop(started);
    throw new Error("The browser is closed");
  }
  warm.current = started;
  void gone.then(() => {
    if (!forget(warm, started) || warm.closed) return;
    options.onLog("The browser went away; the next execution starts another.");
  });
  return started;
};

/** Gives the browser no more tests. False if it is not the current one. */
const forget = (warm: Warm, browser: Running): boolean => {
  if (warm.current !== browser) return false;
  warm.current = null;
  warm.running = null;
  return true;
};

/** The running browser, started if none runs. */
const ensure = (warm: Warm): Promise<Running> => {
  if (warm.closed) return Promise.reject(new Error("The browser is closed"));
  if (!warm.running) {
    const starting = start(warm);
    warm.running = starting;
    starting.catch(() => {
      if (warm.running === starting) warm.running = null;
    });
  }
  return warm.running;
};

/** Kills a browser that does not answer; its other users learn that it is gone. */
const discard = async (warm: Warm, hung: Running): Promise<void> => {
  warm.options.onLog("The browser does not answer; it is killed and started again.");
  forget(warm, hung);
  await stop(hung);
};

/** A browser that has a page which cannot be closed takes no more tests; it is ended once those in it are over. */
const retire = async (warm: Warm, worn: Running): Promise<void> => {
  if (forget(warm, worn)) {
    warm.options.onLog("A page could not be closed; the next execution starts another browser.");
    warm.retired.add(worn);
  }
  if (worn.inUse > 0) return;
  warm.retired.delete(worn);
  await stop(worn);
};

const makeFresh = async ({ options }: Warm, from: Running): Promise<Fresh> => ({
  ...(await openContext(from.browser, options.network, options.resolve)),
  from,
});

/** Opens the next execution's context in the background. One that fails is opened again when it is needed. */
const prepareNext = (warm: Warm): void => {
  const { current } = warm;
  if (warm.closed || current === null || warm.ready?.from === current) return;
  warm.ready = { from: current, fresh: makeFresh(warm, current).catch(() => null) };
};

/** The prepared context, if it is of the current browser and still as new. It is given out once. */
const takeReady = async (warm: Warm): Promise<Fresh | null> => {
  const taken = warm.ready;
  warm.ready = null;
  const fresh = (await taken?.fresh) ?? null;
  if (!taken || !fresh) return null;
  const fits = fresh.from === warm.current;
  if (fits && fresh.isAsNew() && (await answers(fresh))) return fresh;
  void fresh.context.close().catch(() => {});
  return null;
};

const openFresh = async (warm: Warm): Promise<Fresh> => {
  if (warm.closed) throw new Error("The browser is closed");
  const prepared = await takeReady(warm);
  if (prepared) return prepared;
  const from = await ensure(warm);
  try {
    return await makeFresh(warm, from);
  } catch {
    // It crashed or hung between two executions: once more, with a new one.
    await discard(warm, from);
    return makeFresh(warm, await ensure(warm));
  }
};

/** Gives a fresh context to an execution. */
const pool = (warm: Warm, { context, page, session, gate, from }: Fresh): PooledContext => {
  from.inUse += 1;
  let released: Promise<void> | null = null;
  const release = (): Promise<void> => {
    released ??= close(warm, { context, gate, from });
    const closingThis = released;
    warm.closing.add(closingThis);
    void closingThis.then(() => warm.closing.delete(closingThis));
    return closingThis;
  };
  const { processId, browser } = from;
  const browserVersion = browser.version();
  // No promise: what waits for one is kept for as long as the browser lives, and the test with it.
  const onBrowserGone = (listener: () => void): (() => void) => {
    if (browser.isConnected()) browser.once("disconnected", listener);
    else listener();
    return () => void browser.off("disconnected", listener);
  };
  return { context, page, session, gate, browserVersion, processId, onBrowserGone, release };
};

/** Closes a context and prepares the next. Retires the browser if the context cannot be closed in time. */
const close = async (
  warm: Warm,
  { context, gate, from }: Pick<Fresh, "context" | "gate" | "from">,
): Promise<void> => {
  const ended = await within(
    context.close().catch(() => {}),
    CLOSE_TIMEOUT_MS,
    () => null,
  );
  gate.close();
  from.inUse -= 1;
  const isStuck = ended === null && from.browser.isConnected();
  if (isStuck || warm.retired.has(from)) await retire(warm, from);
  prepareNext(warm);
};

const stop = async (running: Running): Promise<void> => {
  const ended = await within(
    running.browser.close().catch(() => {}),
    CLOSE_TIMEOUT_MS,
    () => null,
  );
  if (ended === null && running.processId !== null) killTree(running.processId);
};
