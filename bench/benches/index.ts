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
    name: "conflict-storm",
    what: "32 writers on one stream against one that has a stream to itself",
    load: () => import("./conflictStorm.ts"),
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
    name: "queued-tests",
    what: "50 queued tests against as many bare Playwright loops",
    load: () => import("./queuedTests.ts"),
  },
  {
    name: "list-tests",
    what: "GET /cli/tests with 50 connections against bare Fastify and pg",
    load: () => import("./listTests.ts"),
  },
  {
    name: "overload",
    what: "what is done when three times the peak is asked, and what the rest is told",
    load: () => import("./overload.ts"),
  },
  {
    name: "logins",
    what: "reads while 50 people sign in at once against the same reads while nobody does",
    load: () => import("./logins.ts"),
  },
  {
    name: "strangers",
    what: "login and forgotten password for an address that is known against one that is not",
    load: () => import("./accountEnumeration.ts"),
  },
  {
    name: "key-check",
    what: "CPU of a check of an API key, warm",
    load: () => import("./keyCheck.ts"),
  },
  {
    name: "rebuild",
    what: "all read models from 200,000 events against a bare `$all` read",
    load: () => import("./rebuild.ts"),
  },
  {
    name: "catch-up",
    what: "`$all` catch-up from the start, 200,000 events",
    load: () => import("./catchUp.ts"),
  },
  {
    name: "row-visible",
    what: "append to visible row at 500 events a second",
    load: () => import("./rowVisible.ts"),
  },
  {
    name: "fan-out",
    what: "step event to WebSocket frame, 100 runs with 100 subscribers each",
    load: () => import("./fanOut.ts"),
  },
  {
    name: "subscribers",
    what: "10,000 who watch one run against a bare loop over frames made before; 1 % who read nothing",
    load: () => import("./subscribers.ts"),
  },
  {
    name: "webhooks",
    what: "payment providers' events: verified, appended, applied, answered; 50 copies of 1,000",
    load: () => import("./webhooks.ts"),
  },
  {
    name: "plan-replay",
    what: "1,000,000 plan events replayed against JSON.parse and the bare fold",
    load: () => import("./planReplay.ts"),
  },
  {
    name: "as-of",
    what: "what a plan was at a time, in 100,000 events",
    load: () => import("./asOf.ts"),
  },
  {
    name: "parse",
    what: "plain English to steps: lines a second, 100 KB, and how long others wait meanwhile",
    load: () => import("./parse.ts"),
  },
  {
    name: "import",
    what: "5,000 tests from one file, until lists show them",
    load: () => import("./import.ts"),
  },
  {
    name: "catalogue",
    what: "lists and searches among 100,000 tests",
    load: () => import("./catalogue.ts"),
  },
  {
    name: "find",
    what: "what support has at hand to the streams that it touches, among 200,000 events",
    load: () => import("./find.ts"),
  },
  {
    name: "graphql",
    what: "a run with its tests through GraphQL against the same read through REST",
    load: () => import("./graphql.ts"),
  },
  {
    name: "dashboard",
    what: "the dashboard of an organisation with 100,000 executions",
    load: () => import("./dashboard.ts"),
  },
  {
    name: "visual",
    what: "a picture beside its baseline, equal and changed, against odiff's server mode",
    load: () => import("./visual.ts"),
  },
  {
    name: "start-memory",
    what: "cold start, warm start, idle memory",
    load: () => import("./startMemory.ts"),
  },
  {
    name: "scale",
    what: "how cost grows with events, tests, runs and subscribers; with --plots docs/scale its plots",
    load: () => import("./scale.ts"),
  },
];
