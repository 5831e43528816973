import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import type { Step } from "../../../src/domain/catalogue/step.ts";
import { type BrowserPool, createBrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { openPool, run, step } from "./kit.ts";

let pool: BrowserPool;
let site: DemoSite;

beforeAll(async () => {
  [pool, site] = [openPool(), await serveDemoSite()];
});

afterAll(async () => {
  await pool.close();
  await site.close();
});

const TODO = "What needs to be done?";

describe("a test of a real application", () => {
  test("passes with a locator and a picture per step", async () => {
    const ran = await run(
      pool,
      [
        step("navigate", "", "/todo"),
        step("assert_title", "", "Cypress.io: *"),
        step("fill", TODO, "${task}"),
        step("press", TODO, "enter"),
        step("fill", `"${TODO}" field`, "Read the log"),
        step("press", "", "Enter"),
        step("assert_visible", `"4 items left"`),
        step("assert_count", "css=.todo-list li", "4"),
        step("check", 'first checkbox in the "Buy milk" item'),
        step("assert_checked", 'checkbox in the "Buy milk" item'),
        step("assert_unchecked", 'checkbox in the "Read the log" item'),
        step("click", "Active link"),
        step("assert_url", "", "*#/active"),
        step("assert_hidden", "Buy milk"),
        step("assert_contains", "css=.todo-count", "3 items"),
        step("click", `"Clear completed" button`),
        step("hover", "Completed"),
        step("screenshot", "", "the end"),
        step("click", "Utilities link"),
        step("assert_url", "", "/utilities"),
        step("wait_for", 'heading "Utilities"'),
        step("navigate", "", `${site.url}/commands/actions`),
        step("fill", "Email address", "ann@example.test"),
        step("assert_value", "Email address", "ann@example.test"),
        step("assert_disabled", "css=textarea.action-disabled"),
        step("assert_enabled", "Full Name"),
        step("fill", "Coupon Code", "HALFOFF"),
        step("click", "Submit button"),
        step("assert_visible", "Your form has been submitted!"),
        step("select", "css=.action-select", "apples"),
        step("assert_attribute", "Full Name", "placeholder=Enter your name"),
        step("wait", "", "20 ms"),
      ],
      { baseUrl: site.url, variables: { task: "Buy milk" } },
    );
    expect(ran.error).toBeNull();
    expect(ran.status).toBe("passed");
    expect(ran.reports.at(0)).toMatchObject({ type: "browserStarted", browser: "chromium" });
    expect(ran.reports.at(-1)).toMatchObject({ type: "browserFinished", status: "passed" });
    const passed = ran.of("stepPassed");
    expect(passed.map(({ number }) => number)).toEqual(ran.steps.map((_, index) => index + 1));
    expect(passed[2]?.locator).toBe(`placeholder=${TODO}`);
    expect(passed[11]?.locator).toBe('role=link[name="Active"]');
    const pictures = ran.of("screenshotTaken");
    // They are taken beside the steps: each comes when it is ready.
    const numbers = pictures.map(({ number }) => number).sort((one, other) => one - other);
    expect(numbers).toEqual(passed.map(({ number }) => number));
    const [named] = pictures.filter(({ format }) => format === "png");
    expect(named).toMatchObject({ number: 18, name: "the end" });
    expect(named?.bytes.subarray(1, 4).toString()).toBe("PNG");
    for (const { format, bytes } of pictures) {
      if (format === "jpeg") expect(bytes.subarray(0, 2).toString("hex")).toBe("ffd8");
    }
    for (const { at } of ran.reports) expect(at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
  });

  test("fails with the actual content and a picture, and skips the rest", async () => {
    const ran = await run(
      pool,
      [
        step("navigate", "", "/commands/actions"),
        step("click", '"Sumbit" button'),
        step("assert_visible", "Your form has been submitted!"),
      ],
      { baseUrl: site.url },
    );
    expect(ran.status).toBe("failed");
    const [failed] = ran.of("stepFailed");
    expect(failed?.error).toMatch(
      /^No visible element "Sumbit" button within 3 s\. Visible buttons and links: "Submit"/,
    );
    expect(failed?.error.length).toBeLessThanOrEqual(2048);
    expect(ran.error).toBe(`Step 2 failed: ${failed?.error}`);
    expect(ran.of("screenshotTaken").map(({ number }) => number)).toEqual([1, 2]);
    expect(ran.of("stepSkipped")).toMatchObject([
      { number: 3, reason: "A step before it did not pass." },
    ]);
  });

  test("continues after a failed optional step and skips a disabled one", async () => {
    const ran = await run(
      pool,
      [
        step("navigate", "", "/todo"),
        step("assert_text", "css=.todo-count", "9 items left", { optional: true }),
        step("click", "nothing at all", "", { disabled: true }),
        step("assert_title", "", "/kitchen sink/i"),
      ],
      { baseUrl: site.url },
    );
    expect(ran.status).toBe("passed");
    expect(ran.of("stepFailed")).toMatchObject([
      {
        number: 2,
        passedOver: true,
        error:
          'Expected the text of css=.todo-count to be "9 items left", but it is "2 items left" (css=.todo-count; waited 1.5 s).',
      },
    ]);
    expect(ran.of("stepSkipped")).toMatchObject([{ number: 3, reason: "The step is disabled." }]);
    expect(ran.of("stepPassed").map(({ number }) => number)).toEqual([1, 4]);
  });

  const wrongSteps: readonly (readonly [Step, RegExp])[] = [
    [
      step("assert_url", "", "/somewhere"),
      /^Expected the address of the page to be "\/somewhere", but it is "http.*\/commands\/actions"/,
    ],
    [
      step("assert_title", "", "Shop*"),
      /^Expected the title of the page to match "Shop\*", but it is "Cypress\.io: Kitchen Sink"/,
    ],
    [
      step("assert_count", "css=.action-select option", "9"),
      /^Expected 9 css=.action-select option, but there are 0/,
    ],
    [
      step("assert_hidden", '"Submit" button'),
      /^Expected not to see "Submit" button, but it is visible/,
    ],
    [
      step("assert_value", "Email address", "x"),
      /^Expected the value of Email address to be "x", but it is ""/,
    ],
    [
      step("assert_checked", "css=#optionsRadios2"),
      /^Expected css=#optionsRadios2 to be checked, but it is not checked/,
    ],
    [step("assert_attribute", "Email address", "placeholder=x"), /to be "x", but it is "Email"/],
    [step("assert_enabled", "css=.action-disabled"), /to be enabled, but it is disabled/],
    [
      step("fill", "css=.action-disabled", "x"),
      /^Could not fill css=.action-disabled .* within 3 s: it is disabled\./,
    ],
    [
      step("select", "css=.action-select", "pears"),
      /it is not among its options\. Options: .*"apples", "oranges", "bananas"/,
    ],
    [step("click", "css=[[["), /^The selector cannot be read/],
    [
      step("fill", "Email address", "${nobody}"),
      /^There is no variable \$\{nobody\}\. The run has: task\./,
    ],
    [step("dance"), /^Unknown action "dance"\. Known: navigate, click/],
    [
      step("navigate", "", "http://127.0.0.1:9/"),
      /^Could not open "http:\/\/127\.0\.0\.1:9\/": .*/,
    ],
  ];
  const cases = wrongSteps.map(([wrong, error]) => ({
    wrong,
    error,
    what: `${wrong.action} ${wrong.target} ${wrong.value}`.trim(),
  }));

  test.each(cases)("reports the actual content if $what fails", async ({ wrong, error }) => {
    const steps = [step("navigate", "", "/commands/actions"), wrong];
    const ran = await run(pool, steps, { baseUrl: site.url, variables: { task: "t" } });
    expect(ran.status).toBe("failed");
    expect(ran.of("stepFailed").map((each) => each.error)).toEqual([expect.stringMatching(error)]);
  });
});

describe("the early verdict of a test", () => {
  const steps = [step("navigate", "", "/todo"), step("click", "Active link")];

  test.each([
    ["passed", steps],
    ["failed", [...steps, step("assert_visible", "What is not there")]],
  ] as const)("is %s before the browser is released", async (status, all) => {
    const said: string[] = [];
    const ran = await run(pool, all, {
      baseUrl: site.url,
      stepsOver: (verdict) => said.push(verdict),
      onReport: ({ type }) => type === "browserFinished" && said.push(type),
    });
    expect(ran.status).toBe(status);
    expect(said).toEqual([status, "browserFinished"]);
  });

  test("is absent while a trace is written", async () => {
    const said: string[] = [];
    const ran = await run(pool, steps, {
      baseUrl: site.url,
      evidence: { trace: true, har: false, video: false },
      stepsOver: (verdict) => said.push(verdict),
    });
    expect(ran.status).toBe("passed");
    expect(said).toEqual([]);
  });

  test("is absent if the test is stopped", async () => {
    const stopping = new AbortController();
    const said: string[] = [];
    await run(pool, [...steps, step("wait", "", "5 s")], {
      baseUrl: site.url,
      signal: stopping.signal,
      stepsOver: (verdict) => said.push(verdict),
      onReport: (report) => {
        if (report.type === "stepStarted" && report.number === 3) stopping.abort();
      },
    });
    expect(said).toEqual([]);
  });
});

/** Chromium itself ends now and then (139, a segmentation fault) when what it has just started is gone: that is said then. */
const CRASHED = /^Step 2: The (?:page crashed|browser went away)/;

describe("a test that cannot be judged", () => {
  test.each(["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "chrome://version"])(
    "is errored with the reason if a step opens %s",
    async (address) => {
      const ran = await run(pool, [step("navigate", "", address), step("wait", "", "1 ms")]);
      expect(ran.status).toBe("errored");
      expect(ran.error).toMatch(/Refused to open .*Only http and https addresses can be opened/);
      expect(ran.of("stepSkipped")).toHaveLength(1);
    },
  );

  test("is errored with the policy's reason if a step opens a local address", async () => {
    const ran = await run(pool, [step("navigate", "", site.url)], { networkPolicy: "public" });
    expect(ran.status).toBe("errored");
    expect(ran.error).toMatch(
      /is not on the public internet \(127\.0\.0\.1\).*EXECUTION_NETWORK=open/,
    );
  });

  test("asks for a base URL if a step opens a path", async () => {
    const ran = await run(pool, [step("navigate", "", "/todo")]);
    expect(ran.status).toBe("failed");
    expect(ran.error).toMatch(/"\/todo" is a path, and the run has no base URL/);
  });

  test("is errored if its browser is killed, and the next test runs in a new browser", async () => {
    const steps = [
      step("navigate", "", "/todo"),
      step("wait", "", "30 s"),
      step("wait", "", "1 ms"),
    ];
    const ran = await run(pool, steps, {
      baseUrl: site.url,
      onReport: (report) => {
        if (report.type !== "stepStarted" || report.number !== 2) return;
        for (const processId of pool.processIds()) process.kill(processId, "SIGKILL");
      },
    });
    expect(ran.status).toBe("errored");
    expect(ran.error).toContain("The browser went away while the test was running.");
    expect(ran.of("stepSkipped")).toHaveLength(1);

    const next = await run(pool, [step("navigate", "", "/todo")], { baseUrl: site.url });
    expect(next.error).toBeNull();
    expect(next.status).toBe("passed");
  });

  test("is errored with the reason if its page crashes", async () => {
    let crash = () => {};
    const opened: BrowserPool = {
      ...pool,
      open: async () => {
        const one = await pool.open();
        crash = () => void one.session?.send("Page.crash").catch(() => {});
        return one;
      },
    };
    const steps = [step("navigate", "", "/todo"), step("wait", "", "30 s")];
    const ran = await run(opened, steps, {
      baseUrl: site.url,
      onReport: (report) => {
        if (report.type === "stepStarted" && report.number === 2) crash();
      },
    });
    expect(ran.status).toBe("errored");
    expect(ran.error).toMatch(CRASHED);
    const next = await run(pool, [step("navigate", "", "/todo")], { baseUrl: site.url });
    expect(next.error).toBeNull();
  });

  test("is errored with the reason if the process of its page is killed", async () => {
    const steps = [step("navigate", "", "/todo"), step("wait", "", "30 s")];
    const ran = await run(pool, steps, {
      baseUrl: site.url,
      onReport: (report) => {
        if (report.type !== "stepStarted" || report.number !== 2) return;
        pool.processIds().flatMap(pageProcessesOf).forEach(killIfAlive);
      },
    });
    expect(ran.status).toBe("errored");
    expect(ran.error).toMatch(CRASHED);
    const next = await run(pool, [step("navigate", "", "/todo")], { baseUrl: site.url });
    expect(next.error).toBeNull();
  });

  test("ends at once and reports nothing more if it is aborted", async () => {
    const controller = new AbortController();
    let reportsAtAbort = 0;
    const ran = await run(pool, [step("navigate", "", "/todo"), step("wait", "", "30 s")], {
      baseUrl: site.url,
      signal: controller.signal,
      onReport: (report) => {
        if (report.type === "stepStarted" && report.number === 2) {
          setImmediate(() => {
            controller.abort();
            reportsAtAbort = seen;
          });
        }
        seen += 1;
      },
    });
    expect(ran.status).toBe("errored");
    expect(ran.error).toBe("The test was stopped before its end.");
    expect(ran.reports.length).toBe(reportsAtAbort);
    expect(ran.durationMs).toBeLessThan(30_000);
  });

  test("reports a missing browser", async () => {
    const none = createBrowserPool({ find: () => Promise.reject(new Error("No browser found.")) });
    const ran = await run(none, [step("navigate", "", site.url)]);
    expect(ran.status).toBe("errored");
    expect(ran.error).toBe("No browser could be started. No browser found.");
    expect(ran.browserVersion).toBeNull();
    await none.close();
  });
});

describe("a browser pool", () => {
  test("leaves no process and opens nothing after it is closed", async () => {
    const own = openPool();
    await own.warm();
    const [processId] = own.processIds();
    expect(processId).toBeGreaterThan(0);
    await own.close();
    await expect.poll(() => isAlive(processId ?? 0)).toBe(false);
    await expect(own.open()).rejects.toThrow("closed");
  });

  test("isolates the storage of concurrent tests", async () => {
    const steps = (task: string, other: string) => [
      step("navigate", "", "/todo"),
      step("fill", TODO, task),
      step("press", TODO, "Enter"),
      step("assert_visible", task),
      step("assert_hidden", other),
      step("assert_count", "css=.todo-list li", "3"),
    ];
    const both = await Promise.all([
      run(pool, steps("Mine", "Yours"), { baseUrl: site.url }),
      run(pool, steps("Yours", "Mine"), { baseUrl: site.url }),
    ]);
    expect(both.map(({ error }) => error)).toEqual([null, null]);
  });

  test("prepares the next context and gives it out once", async () => {
    const own = openPool();
    const first = await own.open();
    await first.page.goto(`${site.url}/todo`);
    await first.page.evaluate("localStorage.setItem('mine', '1')");
    await first.context.addCookies([{ name: "mine", value: "1", url: site.url }]);
    await first.release();
    await expect.poll(() => pageProcessesOf(own.processIds()[0] ?? 0).length).toBeGreaterThan(0);

    const [second, third] = await Promise.all([own.open(), own.open()]);
    expect(new Set([first.context, second.context, third.context]).size).toBe(3);
    for (const next of [second, third]) {
      expect(next.page.url()).toBe("about:blank");
      expect(next.context.pages()).toHaveLength(1);
      expect(await next.context.cookies()).toEqual([]);
      await next.page.goto(`${site.url}/todo`);
      expect(await next.page.evaluate("localStorage.getItem('mine')")).toBeNull();
    }
    await own.close();
  });

  test("replaces a prepared page that died with its browser or alone", async () => {
    const own = openPool();
    const opens = [step("navigate", "", "/todo")];
    const isReady = () => pageProcessesOf(own.processIds()[0] ?? 0).length;
    expect((await run(own, opens, { baseUrl: site.url })).error).toBeNull();
    await expect.poll(isReady).toBeGreaterThan(0);
    const dying = pageProcessesOf(own.processIds()[0] ?? 0);
    dying.forEach(killIfAlive);
    // Another may be ready by then.
    await expect.poll(() => dying.some(isAlive)).toBe(false);
    expect((await run(own, opens, { baseUrl: site.url })).error).toBeNull();

    await expect.poll(isReady).toBeGreaterThan(0);
    const killed = own.processIds()[0] ?? 0;
    process.kill(killed, "SIGKILL");
    await expect.poll(() => isAlive(killed)).toBe(false);
    expect((await run(own, opens, { baseUrl: site.url })).error).toBeNull();
    expect(own.processIds()[0]).not.toBe(killed);
    await own.close();
  });
});

let seen = 0;

/** The processes in which a browser runs its pages (Linux). */
const pageProcessesOf = (browser: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((processId) => {
      const isPage = readProc(processId, "cmdline").includes("--type=renderer");
      for (let at = processId; isPage && at > 1; at = parentOf(at)) if (at === browser) return true;
      return false;
    });

const readProc = (processId: number, name: string): string => {
  try {
    return readFileSync(`/proc/${processId}/${name}`, "utf8");
  } catch {
    return "";
  }
};

const parentOf = (processId: number): number =>
  Number(/^PPid:\s+(\d+)$/m.exec(readProc(processId, "status"))?.[1] ?? 0);

/** Of those that were there a moment ago, one may have ended by itself. */
const killIfAlive = (processId: number): void => {
  try {
    process.kill(processId, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
};

const isAlive = (processId: number): boolean => {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
};
