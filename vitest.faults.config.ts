import { defineConfig } from "vitest/config";

/** Rounds of faults: apart from the other tests, for they take long and want the machine for themselves. */
export default defineConfig({
  test: {
    include: ["test/faults/**/*.test.ts"],
    globalSetup: ["test/support/globalParts.ts"],
    reporters: ["default"],
    hookTimeout: 240_000,
  },
});
