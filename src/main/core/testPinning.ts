import type { PinTests } from "../../commands/runs/pinnedTests.ts";
import { refuseImported } from "../../commands/runs/plans.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Queries } from "./queries.ts";

/** Pins the tests of a run, each with its current baseline version and its quarantine. */
export const createTestPinning =
  (
    queries: Pick<Queries, "catalogue" | "baselines" | "quarantine" | "resultImports">,
    clock: Clock,
  ): PinTests =>
  async (organizationId, selection) => {
    const tests = await queries.catalogue.pinTests(organizationId, selection);
    const ids = tests.map(({ testId }) => testId);
    const versions = await queries.baselines.baselineVersions(ids);
    const now = clock().toISOString();
    const quarantined = await queries.quarantine.quarantinedUntil(ids, now);
    if ("testIds" in selection && tests.length < selection.testIds.length) {
      const missing = selection.testIds.filter((testId) => !ids.includes(testId));
      refuseImported(await queries.resultImports.importedAmong(organizationId, missing));
    }
    return tests.map((test) => {
      const until = quarantined.get(test.testId);
      return {
        ...test,
        baselineVersion: versions.get(test.testId) ?? 0,
        ...(until === undefined ? {} : { quarantinedUntil: until }),
      };
    });
  };
