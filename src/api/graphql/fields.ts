/** What is asked for under a name: the operation of REST that answers it, and what its answer is called. */
type Field = { readonly operation: string; readonly type: string };

const of = (operation: string, type: string): Field => ({ operation, type });

/**
 * The fields of a query, each a reading operation of REST: asked through GraphQL, it is the same contract object
 * with the same checks. Schemas that several answers share are called as the first of these lines says.
 */
export const queryFields: Readonly<Record<string, Field>> = {
  run: of("readRun", "Run"),
  runs: of("listRuns", "RunPage"),
  run_events: of("listRunEvents", "RunEventPage"),
  executions: of("listExecutions", "ExecutionPage"),
  execution: of("readExecution", "Execution"),
  run_executions: of("listRunExecutions", "RunExecutionPage"),
  tests: of("listTests", "TestPage"),
  test: of("readTest", "Test"),
  test_history: of("readTestHistory", "TestHistoryPage"),
  projects: of("listProjects", "ProjectPage"),
  test_sets: of("listTestSets", "TestSetPage"),
  schedules: of("listSchedules", "SchedulePage"),
  schedule_ticks: of("listTicks", "TickPage"),
  plan: of("readPlan", "Plan"),
  plan_history: of("readPlanHistory", "PlanHistoryPage"),
  usage: of("readUsage", "Usage"),
  usage_history: of("readUsageHistory", "UsageHistoryPage"),
  entitlements: of("readEntitlements", "Entitlements"),
  find: of("findStreams", "FoundPage"),
  streams: of("listStreams", "StreamPage"),
  stream: of("readStream", "StreamEventPage"),
  event: of("readEvent", "EventTree"),
  stream_diff: of("diffStream", "StreamDiff"),
  comparison: of("compareReadModels", "ReadModels"),
  organizations: of("listAllOrganizations", "OrganizationPage"),
  users: of("listUsers", "UserPage"),
  webhook_events: of("listWebhookEvents", "WebhookEventPage"),
};
