import { describe, expect, it } from "vitest";
import {
  BrowserNotFoundError,
  findBrowser,
  findOtherBrowser,
} from "../../../src/workers/executor/browserFinder.ts";
import type { BrowserProbe } from "../../../src/workers/executor/browserProbe.ts";

type Machine = {
  /** Files that start, by path or command. */
  readonly works?: readonly string[];
  /** Files that are there and do not start. */
  readonly broken?: readonly string[];
  readonly onDownload?: string;
  readonly onPackage?: string;
};

/** A machine that has these browsers, and keeps what was asked of it. */
const machine = ({ works = [], broken = [], onDownload, onPackage }: Machine) => {
  const present = new Set(works);
  const asked: string[] = [];
  const probe: BrowserProbe = {
    playwrightPaths: () => ["/pw/headless_shell", "/pw/chrome"],
    playwrightPathOf: async (name) => `/pw/${name}`,
    locate: (command) => (present.has(command) || broken.includes(command) ? command : null),
    version: async (path) => (broken.includes(path) ? null : "150.0.1"),
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
  ] as const)(
    "given what is left after the first %i, then %s is found",
    async (from, path, source) => {
      const { probe, asked } = machine({ works: everything.slice(from) });
      const configuredPath = from === 0 ? "/own/chrome" : undefined;
      const found = await findBrowser({ configuredPath, allowInstall: true, probe });
      expect(found).toEqual({ executablePath: path, source, version: "150.0.1" });
      expect(asked).toEqual([]);
    },
  );

  it("given one that does not start, when looking, then it is passed over", async () => {
    const { probe } = machine({ works: ["chromium"], broken: ["/pw/headless_shell"] });
    const found = await findBrowser({ allowInstall: false, probe });
    expect(found.executablePath).toBe("chromium");
  });

  it("given a configured path that does not work, then nothing else is taken in its place", async () => {
    const { probe } = machine({ works: ["chromium"] });
    const looking = findBrowser({ configuredPath: "/gone", allowInstall: true, probe });
    await expect(looking).rejects.toThrow(/BROWSER_PATH_CHROMIUM is \/gone/);
  });

  it("given none, when it may install, then Playwright's download comes before the package manager", async () => {
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

  it("given none to be had, then one message says what to install and what was tried", async () => {
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

  it("given none, when it may not install, then nothing is fetched", async () => {
    const { probe, asked } = machine({});
    await expect(findBrowser({ allowInstall: false, probe })).rejects.toThrow(BrowserNotFoundError);
    expect(asked).toEqual([]);
  });
});

describe("the other browsers", () => {
  it.each(["firefox", "webkit"] as const)(
    "given no %s, when it is asked for, then it says what to install and how to name another",
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

  it("given Playwright's own or a configured one, then it is that; a configured one that is not there is an error", async () => {
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
});
