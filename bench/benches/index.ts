import type { Bench } from "../harness/bench.ts";

/** Every bench, in the order of the table. */
export const benches: readonly Bench[] = [
  {
    name: "log-append",
    what: "the bare client's appends to the embedded log, 1/16/64 callers, against INSERT commits",
    load: () => import("./logAppend.ts"),
  },
  {
    name: "command-loop",
    what: "commands on new and on hot streams against the bare client's appends",
    load: () => import("./commandLoop.ts"),
  },
  {
    name: "ten-steps",
    what: "ten steps with JPEG shots through the service against a bare Playwright script",
    load: () => import("./tenSteps.ts"),
  },
  {
    name: "first-command",
    what: "POST cloud-run to the first browser command, warm",
    load: () => import("./firstCommand.ts"),
  },
  {
    name: "result-readable",
    what: "POST cloud-run to a readable result against a cold `npx playwright test`",
    load: () => import("./resultReadable.ts"),
  },
  {
    name: "catch-up",
    what: "`$all` catch-up from the start, 200,000 events",
    load: () => import("./catchUp.ts"),
  },
  {
    name: "start-memory",
    what: "cold start, warm start, idle memory",
    needsService: true,
    load: () => import("./startMemory.ts"),
  },
];
