import path from "node:path";
import { configDefaults, defineConfig } from "vitest/config";

const globalSetup = ["test/support/globalParts.ts", "test/support/globalPostgres.ts"];

/** Suites of `npm test` that `npm run test:thorough` repeats at full size (test/support/thorough.ts). */
const REPEATED_AT_FULL_SIZE = [
  "test/e2e/billing/webhooks.test.ts",
  "test/e2e/kernel/fuzz.test.ts",
  "test/e2e/runs/downAndBack.test.ts",
  "test/integration/eventstore/{histories,kills,moment}.test.ts",
  "test/integration/executor/containment.test.ts",
  "test/integration/executor/healing/mutations.test.ts",
  "test/integration/kernel/{commandLoopAdversity,projectionProperties}.test.ts",
  "test/integration/schedules/scheduler.test.ts",
];

/** Set by .ci/run, which runs the thorough suites after `npm test`: the small size would prove nothing more. */
const exclude = [
  ...configDefaults.exclude,
  ...(process.env.THOROUGH_FOLLOWS === "1" ? REPEATED_AT_FULL_SIZE : []),
];

export default defineConfig({
  resolve: {
    // Threads of the service start from the built files.
    alias: [
      {
        find: /^(\.\.\/)+platform\/workerThread\.ts$/,
        replacement: path.resolve(import.meta.dirname, "test/support/workerThread.ts"),
      },
    ],
  },
  test: {
    // Projects share the transformed modules, as do consecutive runs.
    experimental: { fsModuleCache: true },
    // Groups run one after another; projects of a group share its workers.
    // Suites mostly wait for processes and browsers, so four workers keep two cores busy.
    maxWorkers: 4,
    // Files of one worker share the loaded modules. Loading the service for each file took a third of the time.
    isolate: false,
    reporters: ["default"],
    // Tests wait for events, not for time. The limits only end a test that hangs: on two cores with six
    // times their work the slowest end-to-end test took 106 s.
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ["test/support/seed.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts", "test/conformance/**/*.test.ts"],
          exclude,
          globalSetup,
          sequence: { groupOrder: 2 },
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        // The conformance cases against a server to which other clients write at the same time. `npm test` runs
        // them against an embedded server, `npm run test:thorough` against this one.
        extends: true,
        test: {
          name: "conformance-elsewhere",
          include: ["test/conformance/**/*.test.ts"],
          globalSetup: ["test/conformance/foreignServer.ts"],
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude,
          globalSetup,
          sequence: { groupOrder: 2 },
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        // Mutated pages and their verdicts: test/verdicts.
        extends: true,
        test: {
          name: "verdicts",
          include: ["test/verdicts/**/*.test.ts"],
          globalSetup: ["test/support/globalParts.ts"],
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
          testTimeout: 60_000,
          hookTimeout: 1_200_000,
        },
      },
      {
        extends: true,
        test: {
          name: "thorough",
          include: ["test/thorough/**/*.test.ts", ...REPEATED_AT_FULL_SIZE],
          env: { THOROUGH: "1" },
          globalSetup,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
