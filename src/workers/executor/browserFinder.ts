import { type BrowserProbe, probeMachine } from "./browserProbe.ts";

/** Where a browser was found, in the order in which it is looked for. */
export type BrowserSource =
  | "configured"
  | "playwright"
  | "system"
  | "downloaded"
  | "package-manager";

export type FoundBrowser = {
  readonly executablePath: string;
  readonly source: BrowserSource;
  /** As the browser itself says it, e.g. `120.0.6099.224`. */
  readonly version?: string;
};

export type FindBrowserOptions = {
  /** BROWSER_PATH_CHROMIUM. */
  readonly configuredPath?: string | undefined;
  /** Whether a browser may be fetched when there is none. */
  readonly allowInstall: boolean;
  /** Told in one line what takes long. */
  readonly onProgress?: (message: string) => void;
  /** Only a browser that has windows: no headless shell. */
  readonly headed?: boolean;
  readonly probe?: BrowserProbe;
};

/** There is no browser, and none could be had. The message says what to install. */
export class BrowserNotFoundError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BrowserNotFoundError";
  }
}

/** How browsers of each family call themselves: any program may end well when it is asked for its version. */
const CALLED = {
  chromium: /chrom(?:e|ium)|edge|brave|opera|vivaldi/i,
  firefox: /firefox|nightly/i,
  webkit: /webkit|wpe/i,
} as const;

const versionIn = (said: string): string | null => /\d+(?:\.\d+)+/.exec(said)?.[0] ?? null;

/** The output of a program that was taken for a browser. */
const saysOnly = (said: string): string =>
  `asked for its version, it says ${JSON.stringify(said.split("\n")[0]?.slice(0, 200) ?? "")}`;

/** Browsers that only Playwright's own builds of can be driven. */
const OTHERS = {
  firefox: { title: "Firefox", setting: "BROWSER_PATH_FIREFOX" },
  webkit: { title: "WebKit", setting: "BROWSER_PATH_WEBKIT" },
} as const;

/**
 * Finds Playwright's Firefox or WebKit: the configured one, or the one that it keeps itself. None is fetched.
 * With `isAsked` a configured one is asked what it is, which takes a while; one that says nothing in time is let be.
 * Throws BrowserNotFoundError.
 */
export const findOtherBrowser = async (
  name: keyof typeof OTHERS,
  options: {
    readonly configuredPath?: string | undefined;
    readonly isAsked?: boolean;
    readonly probe?: BrowserProbe;
  },
): Promise<FoundBrowser> => {
  const probe = options.probe ?? probeMachine();
  const { title, setting } = OTHERS[name];
  const path = options.configuredPath ?? (await probe.playwrightPathOf(name));
  const executablePath = probe.locate(path);
  const said =
    executablePath && options.configuredPath && options.isAsked
      ? await probe.says(executablePath)
      : null;
  const isAnother = said !== null && !CALLED[name].test(said);
  if (executablePath && !isAnother) {
    const version = versionIn(said ?? "");
    const source = options.configuredPath ? "configured" : "playwright";
    return { executablePath, source, ...(version && { version }) };
  }
  const other = isAnother
    ? `which is no ${title}: ${saysOnly(said)}.`
    : "which cannot be executed.";
  const gone = options.configuredPath
    ? `${setting} is ${options.configuredPath}, ${other}`
    : `${title} is not installed on the machine that runs tests.`;
  throw new BrowserNotFoundError(
    `${gone} Install it there with \`npx playwright install --with-deps ${name}\`, or set ${setting} to a ${title} that Playwright has built.`,
  );
};

/** The system's browsers, the quickest first: a headless shell starts in a quarter of the time of a full Chromium. */
const SYSTEM_BROWSERS = [
  "chromium-headless-shell",
  "/usr/lib/chromium/chromium-headless-shell",
  "/usr/lib/chromium/headless_shell",
  "/usr/lib64/chromium-browser/headless_shell",
  "chromium",
  "/usr/lib/chromium/chromium",
  "chromium-browser",
  "/snap/bin/chromium",
  "google-chrome-stable",
  "google-chrome",
  "/opt/google/chrome/chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "microsoft-edge",
] as const;

/** A search for Chromium, and what it met on the way. */
type Search = {
  readonly options: FindBrowserOptions;
  readonly probe: BrowserProbe;
  /** Why programs were passed over, one line each. */
  readonly passedOver: string[];
  /** The problem of the last program that starts and is no Chromium. */
  notIt: string | null;
};

/**
 * Finds a Chromium that starts: the configured one, Playwright's own, the system's headless shell,
 * Chromium or Chrome; then, if it may, Playwright's download and the system's package manager.
 *
 * A configured path that does not work is an error and not passed over: somebody meant that browser.
 * Throws BrowserNotFoundError.
 */
export const findBrowser = async (options: FindBrowserOptions): Promise<FoundBrowser> => {
  const probe = options.probe ?? probeMachine();
  const search: Search = { options, probe, passedOver: [], notIt: null };
  if (options.configuredPath) {
    const found = await tryPath(search, options.configuredPath, "configured");
    if (found) return found;
    throw new BrowserNotFoundError(
      `BROWSER_PATH_CHROMIUM is ${options.configuredPath}, which ${search.notIt ?? "is no browser that starts"}. ` +
        "Set it to a Chromium or Chrome executable, or unset it to let one be found.",
    );
  }

  const withWindows = (paths: readonly string[]): readonly string[] =>
    options.headed ? paths.filter((path) => !/headless[-_]shell/.test(path)) : paths;
  const present =
    (await tryPaths(search, withWindows(await probe.playwrightPaths()), "playwright")) ??
    (await tryPaths(search, withWindows(SYSTEM_BROWSERS), "system"));
  if (present) return present;

  if (options.headed) {
    throw new BrowserNotFoundError(
      "No browser with windows found. Install Chromium or Chrome, or set BROWSER_PATH_CHROMIUM to one.",
    );
  }
  const installed = options.allowInstall ? await install(search) : null;
  if (installed) return installed;
  throw new BrowserNotFoundError(noBrowser(search.passedOver));
};

const tryPath = async (
  search: Search,
  path: string,
  source: BrowserSource,
): Promise<FoundBrowser | null> => {
  const { probe, passedOver } = search;
  const executablePath = probe.locate(path);
  if (!executablePath) return null;
  const said = await probe.says(executablePath);
  if (said === null) {
    passedOver.push(`${executablePath} is there but does not start`);
    return null;
  }
  if (!CALLED.chromium.test(said)) {
    search.notIt = `is no Chromium: ${saysOnly(said)}`;
    passedOver.push(`${executablePath} ${search.notIt}`);
    return null;
  }
  const version = versionIn(said);
  return { executablePath, source, ...(version && { version }) };
};

const tryPaths = async (
  search: Search,
  paths: readonly string[],
  source: BrowserSource,
): Promise<FoundBrowser | null> => {
  for (const path of paths) {
    const found = await tryPath(search, path, source);
    if (found) return found;
  }
  return null;
};

/** Playwright's download, then the system's package manager; null when neither gives a browser that starts. */
const install = async (search: Search): Promise<FoundBrowser | null> => {
  const { options, probe, passedOver } = search;
  const progress = options.onProgress ?? (() => {});
  progress("No browser found. Downloading one (Playwright's headless Chromium, about 110 MB)…");
  const downloadProblem = await probe.download();
  if (downloadProblem) passedOver.push(`Playwright's download: ${downloadProblem}`);
  const downloaded = await tryPaths(search, await probe.playwrightPaths(), "downloaded");
  if (downloaded) return downloaded;

  progress("The download gave no browser that starts. Asking the system's package manager…");
  const packageProblem = await probe.installPackage();
  if (packageProblem) passedOver.push(`the package manager: ${packageProblem}`);
  return tryPaths(search, SYSTEM_BROWSERS, "package-manager");
};

const noBrowser = (passedOver: readonly string[]): string =>
  [
    "No browser found. Install one of these and start again:",
    "  apt-get install chromium-headless-shell    (Debian; or chromium)",
    "  npx playwright install --with-deps chromium-headless-shell",
    "or set BROWSER_PATH_CHROMIUM to a Chromium or Chrome executable.",
    ...(passedOver.length > 0 ? ["Tried without success:"] : []),
    ...passedOver.map((reason) => `  ${reason}`),
  ].join("\n");
