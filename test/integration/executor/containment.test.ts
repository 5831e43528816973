import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findOtherBrowser } from "../../../src/workers/executor/browserFinder.ts";
import type { BrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { createBrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { treeOf } from "../../../src/workers/executor/processes.ts";
import { size } from "../../support/thorough.ts";
import { openPool, run, step } from "./kit.ts";

/** What pages do to a browser. */
const PAGES: Readonly<Record<string, string>> = {
  "/fine": "<h1>Fine</h1>",
  "/hangs": "<h1>Hangs</h1><button onclick='for (;;) {}'>Go</button>",
  "/dialogs": "<h1>Dialogs</h1><script>setTimeout(() => { for (;;) alert('again'); }, 50)</script>",
  "/windows": "<h1>Windows</h1><script>setInterval(() => window.open('/windows'), 20)</script>",
  "/memory": `<h1>Memory</h1><script>
    const all = [];
    setInterval(() => all.push(new Uint8Array(32 * 1024 * 1024).fill(all.length + 1)), 20);
  </script>`,
  "/downloads": "<h1>Downloads</h1><a href='/endless' download>Load</a>",
};

const startSite = async () => {
  const endless = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const url = request.url ?? "/";
    if (url !== "/endless") {
      response.setHeader("content-type", "text/html");
      response.end(PAGES[url] ?? "");
      return;
    }
    endless.add(response);
    response.setHeader("content-type", "application/octet-stream");
    response.setHeader("content-disposition", "attachment; filename=endless.bin");
    const block = Buffer.alloc(64 * 1024);
    const more = () => {
      while (response.write(block));
    };
    response.on("drain", more);
    response.on("close", () => endless.delete(response));
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    endless,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};

describe("a runaway page affects only its own test if", () => {
  let pool: BrowserPool;
  let site: Awaited<ReturnType<typeof startSite>>;
  beforeAll(async () => {
    [pool, site] = [openPool(), await startSite()];
  });
  afterAll(async () => {
    await pool.close();
    await site.close();
  });

  const timeouts = { actionMs: 1_000, assertionMs: 1_000, navigationMs: 3_000 };
  /** The others get what they wait for, however busy the wild one keeps the machine. */
  const patient = { actionMs: 20_000, assertionMs: 20_000, navigationMs: 20_000 };
  /** Runs a test on a wild page, with another beside it and one after it, which must not notice. */
  const beside = async (
    path: string,
    steps: Parameters<typeof run>[1] = [],
    more: Parameters<typeof run>[2] = {},
  ) => {
    const opens = (page: string) => [step("navigate", "", page), ...steps];
    const fine = [
      step("navigate", "", "/fine"),
      step("wait", "", "1 s"),
      step("assert_visible", 'heading "Fine"'),
    ];
    const baseUrl = site.url;
    const [wild, other] = await Promise.all([
      run(pool, opens(path), { baseUrl, timeouts, ...more }),
      run(pool, fine, { baseUrl, timeouts: patient }),
    ]);
    const next = await run(pool, [step("navigate", "", "/fine")], { baseUrl, timeouts: patient });
    expect([other.error, next.error]).toEqual([null, null]);
    return wild;
  };

  test("its browser is killed", async () => {
    let killed = 0;
    const wild = await beside("/fine", [step("wait", "", "20 s")], {
      onReport: (report) => {
        if (report.type !== "stepStarted" || report.number !== 2) return;
        // Its own is the last that was given a page.
        const own = pool.processIds()[0];
        if (own) process.kill(own, "SIGKILL");
        killed += 1;
      },
    });
    expect([killed, wild.status]).toEqual([1, "errored"]);
    expect(wild.error).toContain("The browser went away");
  });

  test("it hangs", async () => {
    const steps = [step("click", "Go button"), step("assert_visible", 'heading "Hangs"')];
    const wild = await beside("/hangs", steps);
    expect(wild.status).toBe("failed");
  });

  test("it hangs and its test is stopped, which ends the page", async () => {
    const own = openPool();
    const stop = new AbortController();
    let hung = 0;
    const ran = await run(own, [step("navigate", "", "/hangs"), step("click", "Go button")], {
      baseUrl: site.url,
      timeouts: { actionMs: 30_000 },
      signal: stop.signal,
      onReport: (report) => {
        if (report.type !== "stepStarted" || report.number !== 2) return;
        // The one that turns round and round: it has used more than a second of the processor.
        const look = setInterval(() => {
          const pages = own.processIds().flatMap(treeOf).filter(isPage);
          hung = pages.find((one) => cpuOf(one) > TICKS_OF_A_HUNG_PAGE) ?? 0;
          if (hung === 0) return;
          clearInterval(look);
          stop.abort();
        }, 100);
      },
    });
    expect([ran.status, hung > 0]).toEqual(["errored", true]);
    await expect.poll(() => read(hung)).toBe("");
    const next = await run(own, [step("navigate", "", "/fine")], {
      baseUrl: site.url,
      timeouts: patient,
    });
    expect(next.error).toBeNull();
    await own.close();
  });

  test("it opens endless dialogs", async () => {
    const wild = await beside("/dialogs", [step("assert_visible", 'heading "Nothing"')]);
    expect(wild.status).not.toBe("passed");
  });

  test("it opens endless windows", async () => {
    const wild = await beside("/windows", [step("wait", "", "20 s")]);
    expect([wild.status, wild.error]).toEqual([
      "errored",
      expect.stringContaining("more than 20 windows"),
    ]);
  });

  test("it exhausts its memory", async () => {
    const wild = await beside("/memory", [step("wait", "", "20 s")], {
      mostBytes: 600 * 1024 ** 2,
    });
    expect([wild.status, wild.error]).toEqual([
      "errored",
      expect.stringContaining("more than 600 MiB of memory"),
    ]);
  });

  test("it downloads endlessly, and nothing of it is kept", async () => {
    const wild = await beside("/downloads", [
      step("click", "Load link"),
      step("wait", "", "500 ms"),
    ]);
    expect(wild.status).toBe("passed");
    await expect.poll(() => site.endless.size).toBe(0);
  });
});

describe("a browser", () => {
  test("that is not installed makes the test errored, with installation instructions", async () => {
    const pool = createBrowserPool({
      name: "webkit",
      find: () => findOtherBrowser("webkit", { configuredPath: "/no/webkit" }),
    });
    const ran = await run(pool, [step("navigate", "", "/")], { browserName: "webkit" });
    expect(ran.status).toBe("errored");
    expect(ran.error).toMatch(/^unavailable: .*npx playwright install --with-deps webkit/);
    expect(ran.reports.map(({ type }) => type)).toEqual(["browserFinished"]);
    await pool.close();
  });

  test("holds no page of finished tests", async () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const site = await startSite();
    const pool = openPool();
    const contexts: WeakRef<object>[] = [];
    const watched: BrowserPool = {
      ...pool,
      open: async () => {
        const opened = await pool.open();
        contexts.push(new WeakRef(opened.context));
        return opened;
      },
    };
    for (let n = 0; n < 5; n += 1) {
      const ran = await run(watched, [step("navigate", "", "/fine")], { baseUrl: site.url });
      expect(ran.error).toBeNull();
    }
    const held = (): number => {
      collect();
      return contexts.filter((one) => one.deref() !== undefined).length;
    };
    // What was done last may still be held by what it has returned through.
    await expect.poll(held).toBeLessThanOrEqual(1);
    expect(pool.processIds()).not.toEqual([]);
    await pool.close();
    await site.close();
  });

  const RUNS = size("LEAK_RUNS", 8, 100);
  test(`keeps no page after ${RUNS} tests, and no process after it is closed`, async () => {
    const site = await startSite();
    const pool = openPool();
    const opens = [step("navigate", "", "/fine")];
    const runOne = () => run(pool, opens, { baseUrl: site.url });
    const pages = () => pool.processIds().flatMap(treeOf).filter(isPage).length;
    await Promise.all([runOne(), runOne()]);
    const all = new Set<number>();
    for (let left = RUNS - 2; left > 0; left -= 2) {
      const ran = await Promise.all([runOne(), runOne()]);
      expect(ran.map(({ error }) => error)).toEqual([null, null]);
      for (const processId of pool.processIds()) all.add(processId);
    }
    // Each browser has one page ready for the next test, and Chromium keeps a spare process or two.
    const browsers = pool.processIds().length;
    await expect.poll(pages).toBeLessThanOrEqual(browsers * 3);
    const processes = pool.processIds().flatMap(treeOf);
    expect(all.size).toBeLessThanOrEqual(4);
    await pool.close();
    await expect.poll(() => processes.filter((one) => read(one) !== "")).toEqual([]);
    await site.close();
  });
});

/** Of the processor's, a hundred a second. No other page here comes near it. */
const TICKS_OF_A_HUNG_PAGE = 100;

const isPage = (processId: number): boolean => read(processId).includes("--type=renderer");

/** How much of the processor a process has used, in ticks. */
const cpuOf = (processId: number): number => {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
};

const read = (processId: number): string => {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, "utf8");
  } catch {
    return "";
  }
};
