import { test } from "@playwright/test";
import { playTenSteps } from "../parts/tenSteps.ts";

test("ten steps", async ({ page }) => {
  await playTenSteps(page, process.env.BENCH_SITE ?? "");
});
