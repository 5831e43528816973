import { defineConfig } from "@playwright/test";

/** The peer of `result-readable`: Playwright's test runner with one test and one worker. */
export default defineConfig({
  testDir: ".",
  testMatch: "tenSteps.play.ts",
  outputDir: process.env.BENCH_OUTPUT ?? "test-results",
  workers: 1,
  reporter: "line",
  use: {
    viewport: { width: 1280, height: 720 },
    launchOptions: {
      executablePath: process.env.BENCH_BROWSER ?? "",
      chromiumSandbox: false,
    },
  },
});
