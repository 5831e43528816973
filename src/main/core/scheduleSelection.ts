import { environmentsOf } from "../../commands/runs/plans.ts";
import type { CheckSelection } from "../../commands/schedules/schedules.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { CatalogueQueries } from "../../projections/catalogue/queries.ts";

/** Whether what a schedule is to run is there, and the organisation's, by the read models. */
export const scheduleSelectionCheck =
  (
    catalogue: Pick<
      CatalogueQueries,
      "pinTests" | "findTestSet" | "findEnvironment" | "environmentsCalled"
    >,
  ): CheckSelection =>
  async (organizationId, said, terms) => {
    const { testIds = [], testSetIds = [] } = said;
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
    // What says nothing of them changes nothing about whether they fit.
    const isSaid = "environment" in said || testIds.length + testSetIds.length > 0;
    if (terms.environment === null || !isSaid) return;
    const pinned = await Promise.all([
      terms.testIds.length > 0
        ? catalogue.pinTests(organizationId, { testIds: terms.testIds })
        : [],
      ...terms.testSetIds.map((testSetId) => catalogue.pinTests(organizationId, { testSetId })),
    ]);
    const runnable = pinned.flat().filter(({ stepCount }) => stepCount > 0);
    await environmentsOf({ environments: catalogue }, organizationId, runnable, terms.environment);
  };
