import { describe, expect, it } from "vitest";
import {
  BrowserNotFoundError,
  findBrowser,
  findOtherBrowser,
} from "../../../../src/workers/executor/browserFinder.ts";
import type { BrowserProbe } from "../../../../src/workers/executor/browserProbe.ts";

type Machine = {
  /** Files that start, by path or command. */
  readonly works?: readonly string[];
  /** Files that are there and do not start. */
  readonly broken?: readonly string[];
  /** What others than Chromium say of themselves. */
  readonly says?: Readonly<Record<string, string>>;
  readonly onDownload?: string;
  readonly onPackage?: string;
};

/** A machine that has these browsers, and keeps what was asked of it. */
const machine = ({ works = [], broken = [], says = {}, onDownload, onPackage }: Machine) => {
  const present = new Set(works);
  const asked: string[] = [];
  const probe: BrowserProbe = {
    playwrightPaths: () => ["/pw/headless_shell", "/pw/chrome"],
    playwrightPathOf: async (name) => `/pw/${name}`,
    locate: (command) => (present.has(command) || broken.includes(command) ? command : null),
    says: async (path) => (broken.includes(path) ? null : (says[path] ?? "Chromium 150.0.1")),
    download: async () => {
      asked.push("download");
      if (onDownload) present.add(onDownload);
      return onDownload ? null : "no network";
    },
    installPackage: async () => {
      asked.push("package");
      if (onPackage) present.add(onPackage);
      return onPackage ? null : "apt-get needs root";
    },
  };
  return { probe, asked };
};

const everything = [
  "/own/chrome",
  "/pw/headless_shell",
  "/pw/chrome",
  "chromium-headless-shell",
  "chromium",
  "google-chrome",
];

describe("findBrowser", () => {
  it.each([
    [0, "/own/chrome", "configured"],
    [1, "/pw/headless_shell", "playwright"],
    [2, "/pw/chrome", "playwright"],
    [3, "chromium-headless-shell", "system"],
    [4, "chromium", "system"],
    [5, "google-chrome", "system"],
  ] as const)("without the first %i candidates finds %s", async (from, path, source) => {
    const { probe, asked } = machine({ works: everything.slice(from) });
    const configuredPath = from === 0 ? "/own/chrome" : undefined;
    const found = await findBrowser({ configuredPath, allowInstall: true, probe });
    expect(found).toEqual({ executablePath: path, source, version: "150.0.1" });
    expect(asked).toEqual([]);
  });

  it("skips a browser that does not start", async () => {
    const { probe } = machine({ works: ["chromium"], broken: ["/pw/headless_shell"] });
    const found = await findBrowser({ allowInstall: false, probe });
    expect(found.executablePath).toBe("chromium");
  });

  it("uses no replacement for a configured path that does not work", async () => {
    const { probe } = machine({ works: ["chromium"] });
    const looking = findBrowser({ configuredPath: "/gone", allowInstall: true, probe });
    await expect(looking).rejects.toThrow(/BROWSER_PATH_CHROMIUM is \/gone/);
  });

  it.each(["", "cat (GNU coreutils) 9.1", "v20.20.2", "Mozilla Firefox 140.0"])(
    "rejects a program that reports %j",
    async (said) => {
      const says = { "/bin/other": said, "/pw/headless_shell": said };
      const { probe } = machine({ works: ["/bin/other", "/pw/headless_shell", "chromium"], says });
      const configured = { configuredPath: "/bin/other", allowInstall: false, probe };
      await expect(findBrowser(configured)).rejects.toThrow(
        `BROWSER_PATH_CHROMIUM is /bin/other, which is no Chromium: asked for its version, it says ${JSON.stringify(said)}.`,
      );
      expect((await findBrowser({ allowInstall: false, probe })).executablePath).toBe("chromium");
    },
  );

  it.each([
    "Chromium 156.0.8078.79 built on Debian GNU/Linux 13 (trixie)",
    "Google Chrome for Testing 141.0.7390.37 ",
    "Google Chrome 140.0.7339.80",
    "HeadlessChrome 120.0.1",
    "Microsoft Edge 140.0.3485.54",
  ])("accepts a browser that reports %j", async (said) => {
    const { probe } = machine({ works: ["/own/it"], says: { "/own/it": said } });
    const configured = { configuredPath: "/own/it", allowInstall: false, probe };
    expect(await findBrowser(configured)).toMatchObject({ executablePath: "/own/it" });
  });

  it("prefers Playwright's download to the package manager for an installation", async () => {
    const downloading = machine({ onDownload: "/pw/headless_shell" });
    expect(await findBrowser({ allowInstall: true, probe: downloading.probe })).toMatchObject({
      source: "downloaded",
    });
    expect(downloading.asked).toEqual(["download"]);

    const offline = machine({ onPackage: "chromium" });
    expect(await findBrowser({ allowInstall: true, probe: offline.probe })).toMatchObject({
      executablePath: "chromium",
      source: "package-manager",
    });
    expect(offline.asked).toEqual(["download", "package"]);
  });

  it("explains the installation and lists the failed attempts if there is no browser", async () => {
    const { probe, asked } = machine({ broken: ["/pw/chrome"] });
    const error = await findBrowser({ allowInstall: true, probe }).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(BrowserNotFoundError);
    const { message } = error as Error;
    expect(message).toContain("apt-get install chromium-headless-shell");
    expect(message).toContain("/pw/chrome is there but does not start");
    expect(message).toContain("no network");
    expect(message).toContain("apt-get needs root");
    expect(asked).toEqual(["download", "package"]);
  });

  it("downloads nothing without permission to install", async () => {
    const { probe, asked } = machine({});
    await expect(findBrowser({ allowInstall: false, probe })).rejects.toThrow(BrowserNotFoundError);
    expect(asked).toEqual([]);
  });
});

describe("Firefox and WebKit", () => {
  it.each(["firefox", "webkit"] as const)(
    "a missing %s is reported with the installation and the setting",
    async (name) => {
      const { probe, asked } = machine({ works: ["chromium", name] });
      const looking = findOtherBrowser(name, { probe });
      await expect(looking).rejects.toThrow(BrowserNotFoundError);
      await expect(looking).rejects.toThrow(
        new RegExp(
          `npx playwright install --with-deps ${name}.*BROWSER_PATH_${name.toUpperCase()}`,
        ),
      );
      expect(asked).toEqual([]);
    },
  );

  it("Playwright's own or the configured program is used; a missing configured one is an error", async () => {
    const { probe } = machine({ works: ["/pw/firefox", "/my/firefox"] });
    expect(await findOtherBrowser("firefox", { probe })).toEqual({
      executablePath: "/pw/firefox",
      source: "playwright",
    });
    const mine = { probe, configuredPath: "/my/firefox" };
    expect(await findOtherBrowser("firefox", mine)).toMatchObject({ source: "configured" });
    const gone = findOtherBrowser("firefox", { probe, configuredPath: "/gone" });
    await expect(gone).rejects.toThrow(/BROWSER_PATH_FIREFOX is \/gone/);
  });

  it.each([
    ["firefox", "Mozilla Firefox 142.0.1", "142.0.1"],
    ["firefox", "Mozilla Nightly 142.0.1", "142.0.1"],
    ["webkit", "WebKitGTK 2.49.90", "2.49.90"],
    ["webkit", "WPE WebKit 2.49.90 (tip)", "2.49.90"],
  ] as const)("a configured %s that reports %j is accepted", async (name, said, version) => {
    const { probe } = machine({ works: ["/my/one"], says: { "/my/one": said } });
    const looking = { probe, configuredPath: "/my/one", isAsked: true };
    expect(await findOtherBrowser(name, looking)).toMatchObject({ version });
  });

  it.each(["", "true (GNU coreutils) 9.1", "Chromium 150.0.1"])(
    "a configured program that reports %j is rejected",
    async (said) => {
      const { probe } = machine({ works: ["/my/one"], says: { "/my/one": said } });
      const looking = { probe, configuredPath: "/my/one", isAsked: true };
      await expect(findOtherBrowser("firefox", looking)).rejects.toThrow(
        /BROWSER_PATH_FIREFOX is \/my\/one, which is no Firefox: /,
      );
      await expect(findOtherBrowser("webkit", looking)).rejects.toThrow(/which is no WebKit: /);
    },
  );

  it("a configured program without a version is accepted", async () => {
    const { probe } = machine({ works: ["/my/one"], broken: ["/my/one"] });
    const looking = { probe, configuredPath: "/my/one", isAsked: true };
    expect(await findOtherBrowser("webkit", looking)).toMatchObject({ source: "configured" });
  });
});
