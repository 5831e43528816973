import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Two cores: more workers than that only make every one of them slower.
    maxWorkers: 2,
    reporters: ["default"],
    // What is waited for comes as soon as it can; a busy machine is no failure. The limits below
    // only end what hangs: on two cores with six times their work, a test of e2e took 106 s.
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ["test/support/seed.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts", "test/conformance/**/*.test.ts"],
          globalSetup: ["test/support/globalParts.ts", "test/support/globalPostgres.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        // The same cases once more, against a server in which they are not alone.
        extends: true,
        test: {
          name: "conformance-elsewhere",
          include: ["test/conformance/**/*.test.ts"],
          globalSetup: ["test/conformance/foreignServer.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/support/globalParts.ts", "test/support/globalPostgres.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
