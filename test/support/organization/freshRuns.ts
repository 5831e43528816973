import { randomUUID } from "node:crypto";
import { runDecider } from "../../../src/domain/runs/run.ts";
import { makeSchedule } from "./catalogue.ts";
import type { Entities } from "./entities.ts";
import type { Owner } from "./owner.ts";

/** Creates runs, schedules and contacts. */
export const freshRuns = (owner: Owner, { testId, testSetId }: Entities) => ({
  scheduleId: () => makeSchedule(owner, testId),
  /** A run of the test set. */
  runOfSet: async (): Promise<string> => {
    const { body } = await owner.withKey("POST", "/cli/cloud-runs", { test_set_ids: [testSetId] });
    return body.run_ids[0];
  },
  /** A run whose only test has failed. */
  failedRunId: async (): Promise<string> => {
    const { body } = await owner.withKey("POST", "/cli/cloud-runs", { test_ids: [testId] });
    const [runId, executionId] = [body.run_ids[0], body.executions[0].id];
    const outcome = { type: "recordOutcome", runId, executionId, status: "failed" } as const;
    await owner.service.core.loop.execute(runDecider, runId, outcome, owner.context);
    return runId;
  },
  /** A contact with the tokens that are mailed to it. */
  contact: async (): Promise<{ id: string; token: string; unsubscribeToken: string }> => {
    const email = `${randomUUID()}@example.test`;
    const { body } = await owner.withSession("POST", "/notifications/contacts", { email });
    const { notificationAddresses } = owner.service.core;
    return {
      id: body.id,
      token: notificationAddresses.tokenOf(body.id, email),
      unsubscribeToken: notificationAddresses.unsubscribeTokenOf({
        kind: "contact",
        organizationId: owner.account.organizationId,
        contactId: body.id,
      }),
    };
  },
});
