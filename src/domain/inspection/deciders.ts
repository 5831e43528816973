import { auditDecider } from "../audit/audit.ts";
import { baselineDecider } from "../baselines/baseline.ts";
import { planDecider } from "../billing/plan.ts";
import { webhookDecider } from "../billing/webhook.ts";
import { projectDecider } from "../catalogue/projects/project.ts";
import { tagsDecider } from "../catalogue/tags.ts";
import { testSetDecider } from "../catalogue/testSet.ts";
import { testSourceDecider } from "../catalogue/testSource.ts";
import { testDecider } from "../catalogue/tests/test.ts";
import { userDecider } from "../identity/user.ts";
import type { Codec, DomainEvent } from "../kernel/events.ts";
import { contactsDecider } from "../notifications/contacts.ts";
import { notificationDecider } from "../notifications/notification.ts";
import { apiKeysDecider } from "../organizations/apiKeys.ts";
import { organizationDecider } from "../organizations/organization.ts";
import { quarantineDecider } from "../quarantine/quarantine.ts";
import { resultImportDecider } from "../resultImports/resultImport.ts";
import { runContentDecider } from "../runs/content.ts";
import { executionDecider } from "../runs/executions/execution.ts";
import { runDecider } from "../runs/run.ts";
import { scheduleDecider } from "../schedules/schedule.ts";
import { usageDecider } from "../usage/usage.ts";
import { inspectionDecider } from "./inspection.ts";

/** The parts of a decider that folding needs. */
export type AnyDecider = {
  readonly category: string;
  readonly initial: unknown;
  readonly codec: Codec<DomainEvent>;
  evolve(state: never, event: never): unknown;
};

const all: readonly (readonly [what: string, decider: AnyDecider])[] = [
  ["the run", runDecider],
  ["the execution of a test", executionDecider],
  ["the test", testDecider],
  ["the baselines of the test", baselineDecider],
  ["the quarantine of the test", quarantineDecider],
  ["the file of a test", testSourceDecider],
  ["the file content of a run", runContentDecider],
  ["the test set", testSetDecider],
  ["the project", projectDecider],
  ["the schedule", scheduleDecider],
  ["the report of another tool", resultImportDecider],
  ["the organisation", organizationDecider],
  ["the organisation's plan", planDecider],
  ["the organisation's usage", usageDecider],
  ["the organisation's API keys", apiKeysDecider],
  ["the organisation's tags", tagsDecider],
  ["the organisation's contacts", contactsDecider],
  ["the access to data of the organisation", auditDecider],
  ["the person's account", userDecider],
  ["the mail", notificationDecider],
  ["the provider's event", webhookDecider],
  ["an operator's actions", inspectionDecider],
];

/** The kinds of streams, by category. */
export const kinds: ReadonlyMap<string, { readonly what: string; readonly decider: AnyDecider }> =
  new Map(all.map(([what, decider]) => [decider.category, { what, decider }]));

/** The category of a stream, and the id after it. */
export const partsOf = (stream: string): { readonly kind: string; readonly id: string } => {
  const at = stream.indexOf("-");
  return at < 0
    ? { kind: stream, id: "" }
    : { kind: stream.slice(0, at), id: stream.slice(at + 1) };
};
