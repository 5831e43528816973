import type { Bench } from "../harness/bench.ts";

/** Every bench, in the order of the table. */
export const benches: readonly Bench[] = [
  {
    name: "log-append",
    what: "appends by the bare client to the embedded log, 1/16/64 callers, against INSERT",
    load: () => import("./logAppend.ts"),
  },
  {
    name: "proof",
    what: "cost of the log's tree: appends a second, bytes an event, a proof among 10 million",
    load: () => import("./proof.ts"),
  },
  {
    name: "command-loop",
    what: "commands on new and hot streams against appends by the bare client",
    load: () => import("./commandLoop.ts"),
  },
  {
    name: "conflict-storm",
    what: "32 writers on one stream against one writer on its own stream",
    load: () => import("./conflictStorm.ts"),
  },
  {
    name: "ten-steps",
    what: "a test of ten steps against a bare Playwright script",
    load: () => import("./tenSteps.ts"),
  },
  {
    name: "negative-claims",
    what: "a claim that a text is not there against a bare Playwright script that looks twice",
    load: () => import("./negativeClaims.ts"),
  },
  {
    name: "first-command",
    what: "POST cloud-run to the first browser command",
    load: () => import("./firstCommand.ts"),
  },
  {
    name: "result-readable",
    what: "POST cloud-run to a readable result against a cold `npx playwright test`",
    load: () => import("./resultReadable.ts"),
  },
  {
    name: "queued-tests",
    what: "50 queued tests, two at a time, against two bare Playwright loops",
    load: () => import("./queuedTests.ts"),
  },
  {
    name: "list-tests",
    what: "GET /cli/tests with 50 connections against bare Fastify and pg",
    load: () => import("./listTests.ts"),
  },
  {
    name: "overload",
    what: "throughput and refusals at three times the peak load",
    load: () => import("./overload.ts"),
  },
  {
    name: "logins",
    what: "reads while 50 people sign in against the same reads without logins",
    load: () => import("./logins.ts"),
  },
  {
    name: "account-enumeration",
    what: "timing of login and password reset for known and unknown addresses",
    load: () => import("./accountEnumeration.ts"),
  },
  {
    name: "key-check",
    what: "CPU of an API key check",
    load: () => import("./keyCheck.ts"),
  },
  {
    name: "rebuild",
    what: "all read models from 200,000 events against a bare `$all` read",
    load: () => import("./rebuild.ts"),
  },
  {
    name: "catch-up",
    what: "`$all` subscription from the start, 200,000 events",
    load: () => import("./catchUp.ts"),
  },
  {
    name: "row-visible",
    what: "append to visible read-model row at 500 events a second",
    load: () => import("./rowVisible.ts"),
  },
  {
    name: "fan-out",
    what: "step event to WebSocket frame, 100 runs with 100 subscribers each",
    load: () => import("./fanOut.ts"),
  },
  {
    name: "subscribers",
    what: "20 events to 10,000 subscribers of one run against a bare loop over prebuilt frames",
    load: () => import("./subscribers.ts"),
  },
  {
    name: "webhooks",
    what: "throughput and latency of payment provider events; 1,000 events 50 times each",
    load: () => import("./webhooks.ts"),
  },
  {
    name: "plan-replay",
    what: "replay of 1,000,000 plan events against JSON.parse and the bare fold",
    load: () => import("./planReplay.ts"),
  },
  {
    name: "as-of",
    what: "a plan at a past time, among 100,000 events",
    load: () => import("./asOf.ts"),
  },
  {
    name: "parse",
    what: "throughput of the English parser, and latency of other requests meanwhile",
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
    what: "support lookup by id, address or key prefix, among 200,000 events",
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
    what: "comparison of equal and changed screenshots against odiff's server mode",
    load: () => import("./visual.ts"),
  },
  {
    name: "start-memory",
    what: "cold start, warm start, idle memory",
    load: () => import("./startMemory.ts"),
  },
  {
    name: "scale",
    what: "latency by number of events, tests, runs and subscribers; plots with --plots docs/scale",
    load: () => import("./scale.ts"),
  },
];
