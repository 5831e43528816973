import { newId } from "../../../src/platform/ids.ts";
import type { Account } from "../client.ts";
import type { GivenRole } from "../members.ts";
import type { TestOidcServer } from "../oidcServer.ts";
import type { TestService } from "../service.ts";
import { makeCatalogue, makeEnvironment, makeSchedule } from "./catalogue.ts";
import type { Entities } from "./entities.ts";
import { freshCatalogue } from "./freshCatalogue.ts";
import { freshIdentity } from "./freshIdentity.ts";
import { freshOperations } from "./freshOperations.ts";
import { freshRuns } from "./freshRuns.ts";
import { type Owner, signUpOwner } from "./owner.ts";
import { makeComparedRun, playRun } from "./runs.ts";

/** Creates entities that a request uses up. Each call creates another one and returns its id. */
export type Fresh = ReturnType<typeof freshIdentity> &
  ReturnType<typeof freshCatalogue> &
  ReturnType<typeof freshRuns> &
  ReturnType<typeof freshOperations>;

export type Organization = Entities & {
  readonly account: Account;
  readonly key: string;
  /** Members besides the owner. Fresh organisations get the same members. */
  readonly people: Map<GivenRole, Account>;
  readonly fresh: Fresh;
};

/**
 * Signs up and creates one of each entity. The service needs no executor: the events of the run are recorded here.
 * `oidc` is required for `fresh.oauthAnswer`.
 */
export const makeOrganization = async (
  service: TestService,
  oidc?: TestOidcServer,
): Promise<Organization> => {
  const owner = await signUpOwner(service);
  const entities = await makeEntities(owner);
  const people = new Map<GivenRole, Account>();
  return {
    account: owner.account,
    key: owner.key,
    ...entities,
    people,
    fresh: {
      ...freshIdentity(owner, people, oidc),
      ...freshCatalogue(owner, entities),
      ...freshRuns(owner, entities),
      ...freshOperations(owner, entities),
    },
  };
};

const makeEntities = async (owner: Owner): Promise<Entities> => {
  const catalogue = await makeCatalogue(owner);
  const { projectId, testId } = catalogue;
  const refusalId = await exceedQuota(owner, testId);
  const environmentId = await makeEnvironment(owner, projectId);
  const planChangeId = await applyPlanChange(owner);
  const scheduleId = await makeSchedule(owner, testId);
  const run = await playRun(owner, testId);
  const compared = await makeComparedRun(owner);
  return { ...catalogue, refusalId, environmentId, planChangeId, scheduleId, ...run, ...compared };
};

/** Reserves the whole quota of the free plan, and returns the id of the receipt for one more run. */
const exceedQuota = async (owner: Owner, testId: string): Promise<string> => {
  const { organizationId } = owner.account;
  const { usage } = owner.service.core.commands;
  await usage.reserveRuns(owner.context, organizationId, [{ runId: newId(), units: 50 }]);
  const refused = await owner.withKey("POST", "/cli/cloud-runs", { test_ids: [testId] });
  return /refusals\/([0-9a-f-]+)/.exec(refused.headers.get("link") ?? "")?.[1] ?? "";
};

const applyPlanChange = async (owner: Owner): Promise<string> => {
  const { body } = await owner.withSession("POST", "/plan/change", { plan: "business" });
  await owner.withSession("POST", `/plan/change/${body.id}/confirm`);
  return body.id;
};
