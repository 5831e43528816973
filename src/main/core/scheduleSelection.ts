import { environmentsOf } from "../../commands/runs/environments.ts";
import type { CheckSelection } from "../../commands/schedules/schedules.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { CatalogueQueries } from "../../projections/catalogue/queries.ts";

/**
 * Checks that the tests, test sets and environment of a schedule exist and belong to its organisation. Throws
 * DomainError 'test.unknownInRequest', 'test.foreign', 'testSet.unknownInRequest' or 'testSet.foreign'.
 */
export const scheduleSelectionCheck =
  (
    catalogue: Pick<
      CatalogueQueries,
      "pinTests" | "findTestSet" | "findEnvironment" | "environmentsCalled"
    >,
  ): CheckSelection =>
  async (organizationId, changes, terms) => {
    const { testIds = [], testSetIds = [] } = changes;
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
    // Changes of other fields cannot invalidate the environment.
    const isRelevant = "environment" in changes || testIds.length + testSetIds.length > 0;
    if (terms.environment === null || !isRelevant) return;
    const pinned = await Promise.all([
      terms.testIds.length > 0
        ? catalogue.pinTests(organizationId, { testIds: terms.testIds })
        : [],
      ...terms.testSetIds.map((testSetId) => catalogue.pinTests(organizationId, { testSetId })),
    ]);
    const runnable = pinned.flat().filter(({ stepCount }) => stepCount > 0);
    await environmentsOf({ environments: catalogue }, organizationId, runnable, terms.environment);
  };
