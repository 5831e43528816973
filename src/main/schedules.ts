import type { CheckSelection } from "../commands/schedules.ts";
import { DomainError } from "../domain/kernel/errors.ts";
import type { CatalogueQueries } from "../projections/catalogueQueries.ts";

/** Whether what a schedule is to run is there, and the organisation's, by the read models. */
export const checkScheduled =
  (catalogue: Pick<CatalogueQueries, "pinTests" | "findTestSet">): CheckSelection =>
  async (organizationId, { testIds, testSetIds }) => {
    const tests = testIds.length > 0 ? await catalogue.pinTests(organizationId, { testIds }) : [];
    const owners = new Map(tests.map((test) => [test.testId, test.organizationId]));
    for (const testId of testIds) {
      const owner = owners.get(testId);
      if (owner === undefined) {
        throw new DomainError("test.unknownInRequest", `test_ids: there is no test ${testId}.`);
      }
      if (owner !== organizationId) {
        throw new DomainError("test.foreign", "The test belongs to another organisation.");
      }
    }
    for (const testSetId of testSetIds) {
      const found = await catalogue.findTestSet(testSetId);
      if (!found) {
        throw new DomainError(
          "testSet.unknownInRequest",
          `test_set_ids: there is no test set ${testSetId}.`,
        );
      }
      if (found.organization_id !== organizationId) {
        throw new DomainError("testSet.foreign", "The test set belongs to another organisation.");
      }
    }
  };
