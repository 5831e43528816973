/** A query field: its REST operation and the name of its type. */
type Field = { readonly operation: string; readonly type: string };

const of = (operation: string, type: string): Field => ({ operation, type });

/** The query fields and their REST operations. A schema used by several types is named by the first one. */
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
