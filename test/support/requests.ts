import { randomInt, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { planDecider } from "../../src/domain/billing/plan.ts";
import { executionDecider } from "../../src/domain/runs/executions/execution.ts";
import type { ProgressEvent } from "../../src/domain/runs/executions/progress.ts";
import { runDecider } from "../../src/domain/runs/run.ts";
import { newId } from "../../src/platform/ids.ts";
import { adminOf } from "./admins.ts";
import { type Account, call, eventually, makeKey, signUp } from "./client.ts";
import { type ComparedRun, compareInRun } from "./comparedRun.ts";
import { addMember, type GivenRole, inviteOf, letIn, type MailedInvite } from "./members.ts";
import type { TestOidcServer } from "./oidcServer.ts";
import { signedByProviderA } from "./providers.ts";
import type { TestService } from "./service.ts";

/** An organisation with one of everything that has an id. */
export type Organization = {
  readonly account: Account;
  readonly key: string;
  readonly projectId: string;
  readonly testId: string;
  readonly folderId: string;
  readonly tagId: string;
  readonly testSetId: string;
  /** Of the project; it has a secret `password`. */
  readonly environmentId: string;
  readonly scheduleId: string;
  readonly runId: string;
  readonly executionId: string;
  readonly refusalId: string;
  /** Of a run whose picture differs from its baseline. */
  readonly compared: ComparedRun;
  /** Elements of its test that were found again: one to accept, one to reject. */
  readonly healingId: string;
  readonly otherHealingId: string;
  /** Of the change that was applied. */
  readonly planChangeId: string;
  /** Members besides the owner, where a test has let some in: whatever is made anew has them too. */
  readonly people: Map<GivenRole, Account>;
  /** Makes what a request uses up. */
  readonly fresh: {
    /** Where there is an approved baseline. */
    baseline(): Promise<{
      readonly id: string;
      readonly step_id: string;
      readonly browser: string;
    }>;
    account(): Promise<Account>;
    /** Who looks after the service. */
    admin(): Promise<Account>;
    /** What a provider sends somebody's browser back with, who signs in there for the first time. */
    oauthAnswer(): Promise<Pick<ValidRequest, "query" | "headers">>;
    /** A session of the organisation's account, besides its first. */
    sessionId(): Promise<string>;
    /** What a mail would bring to somebody who has just signed up. */
    mailedToken(purpose: "verify_email" | "reset_password"): Promise<string>;
    keyId(): Promise<string>;
    /** The user id of a new member. */
    memberId(): Promise<string>;
    /** Another organisation of the same people in the same roles. */
    organizationId(): Promise<string>;
    projectId(): Promise<string>;
    environmentId(): Promise<string>;
    /** The name of a file of the project. */
    fileName(): Promise<string>;
    /** An invite for somebody who has an account, with the token that was mailed. */
    invite(): Promise<MailedInvite>;
    testId(): Promise<string>;
    /** One that was written in words. */
    wordyTestId(): Promise<string>;
    /** The only step of a test. */
    step(): Promise<{ readonly id: string; readonly step_id: string }>;
    folderId(): Promise<string>;
    tagId(): Promise<string>;
    testSetId(): Promise<string>;
    /** One that is under way, or has ended. */
    importId(): Promise<string>;
    scheduleId(): Promise<string>;
    /** A run of the test set. */
    runOfSet(): Promise<string>;
    /** A contact, with what was mailed to it. */
    contact(): Promise<{ id: string; token: string; unsubscribeToken: string }>;
    wordyTestId(): Promise<string>;
    step(): Promise<{ id: string; step_id: string }>;
    planChangeId(): Promise<string>;
    /** A provider's event that somebody should look at. */
    attention(): Promise<string>;
    /** An event that a read model of a release that is gone has refused. */
    parkedId(): Promise<string>;
    /** The id of an event of the log, once it can be found. */
    eventId(): Promise<string>;
    /** The id of a provider's event as operators name it. */
    webhookEventId(): Promise<string>;
    noPlanChange(): Promise<void>;
    /** A run whose only test has failed. */
    failedRunId(): Promise<string>;
  };
};

export const steps = [{ action: "navigate", target: "", value: "https://shop.example" }];

/** Signs up, and makes one of everything. The service has no executor: what the run did is recorded here. */
export const makeOrganization = async (
  service: TestService,
  oidc?: TestOidcServer,
): Promise<Organization> => {
  const account = await signUp(service.url);
  const { organizationId } = account;
  const { usage } = service.core.commands;
  const context = {
    actor: { type: "system" as const, id: "test" },
    organizationId,
    correlationId: newId(),
    causationId: newId(),
  };
  const { key } = await makeKey(service.url, account);
  const post = (path: string, body: unknown) =>
    call(service.url, "POST", `/api/v1${path}`, { bearer: key, body });
  const create = async (path: string, body: unknown): Promise<string> =>
    (await post(path, body)).body.id;

  const projectId = await create("/projects", { name: "Shop" });
  const folderId = await create("/folders", { name: "Checkout", project_id: projectId });
  const testId = await create("/tests", { name: "opens", project_id: projectId, steps });
  const tagId = await create("/tags", { name: "smoke" });
  await call(service.url, "PUT", `/api/v1/tests/${testId}/tags/${tagId}`, { bearer: key });
  const testSetId = await create("/test-sets", { name: "Every night", test_ids: [testId] });
  await usage.reserveRuns(context, organizationId, [{ runId: newId(), units: 50 }]);
  const refused = await post("/cli/cloud-runs", { test_ids: [testId] });
  const refusalId = /refusals\/([0-9a-f-]+)/.exec(refused.headers.get("link") ?? "")?.[1] ?? "";
  const asOwner = async (method: string, path: string, body?: unknown) =>
    (
      await call(service.url, method, `/api/v1${path}`, {
        bearer: account.accessToken,
        organizationId,
        body,
      })
    ).body;
  const people = new Map<GivenRole, Account>();
  const environments = `/projects/${projectId}/environments`;
  const makeEnvironment = async (): Promise<string> => {
    const { id } = await asOwner("POST", environments, { name: randomUUID() });
    await asOwner("PUT", `${environments}/${id}/secrets/password`, { value: "a secret" });
    return id;
  };
  const environmentId = await makeEnvironment();
  const { id: planChangeId } = await asOwner("POST", "/plan/change", { plan: "business" });
  await asOwner("POST", `/plan/change/${planChangeId}/confirm`);
  /** One change at a time: what another request began is given up. */
  const noPlanChange = async (): Promise<void> => {
    const { open_change } = await asOwner("GET", "/plan");
    if (open_change) await asOwner("POST", `/plan/change/${open_change.id}/cancel`);
  };
  const makeSchedule = async (): Promise<string> =>
    (await asOwner("POST", "/schedules", { name: "S", cron: "0 0 1 1 *", test_ids: [testId] })).id;
  const scheduleId = await makeSchedule();
  const queued = await post("/cli/cloud-runs", { test_ids: [testId] });
  const [runId, executionId] = [queued.body.run_ids[0], queued.body.executions[0].id];
  await shoot(service, context, runId, executionId);
  const { position, ...compared } = await compareInRun(service, key, context);
  const headers = { "x-min-position": String(position) };
  await call(service.url, "GET", "/api/v1/runs", { bearer: key, headers });
  const healings = `/api/v1/tests/${compared.testId}/healings`;
  const found = await call(service.url, "GET", healings, { bearer: key, headers });
  const [healingId = "", otherHealingId = ""] = found.body.items.map(
    ({ id }: { id: string }) => id,
  );
  return {
    account,
    key,
    projectId,
    testId,
    folderId,
    tagId,
    testSetId,
    environmentId,
    scheduleId,
    runId,
    executionId,
    refusalId,
    compared,
    healingId,
    otherHealingId,
    planChangeId,
    people,
    fresh: {
      baseline: async () => {
        const { id, step_id, browser } = placeOf(compared);
        const path = `/api/v1/tests/${id}/baselines/${step_id}/${browser}`;
        const body = { execution_id: compared.executionId };
        await call(service.url, "PUT", path, { bearer: key, body });
        return { id, step_id, browser };
      },
      invite: async () => {
        const guest = await signUp(service.url);
        return inviteOf(service, account, guest);
      },
      memberId: async () => (await addMember(service, organizationId, "viewer")).userId,
      organizationId: async () => {
        const { id } = await asOwner("POST", "/organizations", { name: "Gone soon" });
        for (const [role, { userId }] of people) await letIn(service, id, userId, role);
        return id;
      },
      noPlanChange,
      attention: async () => {
        const providerEventId = `evt_${randomUUID()}`;
        const raise = { type: "raiseAttention", provider: "provider-a", providerEventId } as const;
        const command = { ...raise, reason: "None of its prices is a plan here." };
        await service.core.loop.execute(planDecider, organizationId, command, context);
        return providerEventId;
      },
      webhookEventId: async () => {
        const event_id = `evt_${randomUUID()}`;
        const signed = signedByProviderA({ event_id, event_type: "customer.created" });
        await call(service.url, "POST", "/api/v1/webhooks/provider-a", {
          headers: signed.headers,
          body: JSON.parse(signed.body),
        });
        return `provider-a_${event_id}`;
      },
      planChangeId: async () => {
        await noPlanChange();
        return (await asOwner("POST", "/plan/change", { plan: "team" })).id;
      },
      account: () => signUp(service.url),
      admin: () => adminOf(service),
      parkedId: async () => {
        const { rows } = await sql<{ id: string }>`
          insert into parked_events (consumer, position, event_id, type, error, stream, revision)
          values ('gone@1', ${randomInt(1_000_000_000)}, ${newId()}, 'Gone', 'refused', ${`gone-${newId()}`}, 0)
          returning id`.execute(service.platform.database.db);
        return rows[0]?.id ?? "";
      },
      eventId: async () => {
        for await (const { id } of service.platform.log.readStream(`run-${runId}`, { limit: 1 })) {
          const { accessToken } = await adminOf(service);
          const path = `/api/v1/admin/events/${id}`;
          const found = () => call(service.url, "GET", path, { bearer: accessToken });
          await eventually(found, ({ status }) => status === 200);
          return id;
        }
        throw new Error("The run has no event");
      },
      oauthAnswer: () => oauthAnswer(service, oidc),
      sessionId: () => openSession(service, account),
      mailedToken: (purpose) => mailedToken(service, purpose),
      keyId: async () => (await makeKey(service.url, account, randomUUID())).id,
      projectId: () => create("/projects", { name: "Gone soon" }),
      environmentId: makeEnvironment,
      fileName: async () => {
        const fileName = `${randomUUID()}.txt`;
        await post(`/projects/${projectId}/files`, formWith(fileName));
        return fileName;
      },
      testId: () => create("/tests", { name: "Gone soon", steps }),
      wordyTestId: () => create("/tests", { name: "In words", text: "Go to /login" }),
      step: async () => {
        const { body } = await post("/tests", { name: "One step", steps });
        return { id: body.id, step_id: body.steps[0].id };
      },
      folderId: () => create("/folders", { name: randomUUID(), project_id: projectId }),
      tagId: () => create("/tags", { name: randomUUID() }),
      scheduleId: makeSchedule,
      runOfSet: async () =>
        (await post("/cli/cloud-runs", { test_set_ids: [testSetId] })).body.run_ids[0],
      contact: async () => {
        const email = `${randomUUID()}@example.test`;
        const { id: contactId } = await asOwner("POST", "/notifications/contacts", { email });
        const { notificationAddresses } = service.core;
        return {
          id: contactId,
          token: notificationAddresses.tokenOf(contactId, email),
          unsubscribeToken: notificationAddresses.unsubscribeTokenOf({
            kind: "contact",
            organizationId,
            contactId,
          }),
        };
      },
      importId: async () => {
        const many = JSON.stringify(Array.from({ length: 101 }, () => ({ name: "Nothing in it" })));
        return (await post("/tests/import?dry_run=true", { content: many })).body.import_id;
      },
      testSetId: () => create("/test-sets", { name: "Gone soon", test_ids: [testId] }),
      failedRunId: async () => {
        const { body } = await post("/cli/cloud-runs", { test_ids: [testId] });
        const [id, failed] = [body.run_ids[0], body.executions[0].id];
        await service.core.loop.execute(
          runDecider,
          id,
          { type: "recordOutcome", runId: id, executionId: failed, status: "failed" },
          context,
        );
        return id;
      },
    },
  };
};

const openSession = async (service: TestService, account: Account): Promise<string> => {
  const { email, password } = account;
  const login = await call(service.url, "POST", "/api/v1/auth/login", {
    body: { email, password },
  });
  const list = await call(service.url, "GET", "/api/v1/auth/sessions", {
    bearer: login.body.access_token,
  });
  return list.body.items.find(({ current }: { current: boolean }) => current).id;
};

const oauthAnswer: (
  service: TestService,
  oidc: TestOidcServer | undefined,
) => ReturnType<Organization["fresh"]["oauthAnswer"]> = async (service, oidc) => {
  if (!oidc) throw new Error("Give makeOrganization the provider that people sign in at");
  const start = "/api/v1/auth/oauth/google/start";
  const { headers } = await call(service.url, "GET", start);
  const email = `${randomUUID()}@example.test`;
  const sub = oidc.add({ email, emailVerified: true, name: "Ann Example" });
  const back = await oidc.signInAt(headers.get("location") ?? "", sub);
  const cookie = (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { query: Object.fromEntries(new URL(back).searchParams), headers: { cookie } };
};

const mailedToken = async (
  service: TestService,
  purpose: "verify_email" | "reset_password",
): Promise<string> => {
  const { userId } = await signUp(service.url);
  let mailed = "";
  await service.core.accounts.mailToken({
    id: newId(),
    purpose,
    userId,
    at: new Date(),
    pretence: true,
    write: (token) => {
      mailed = token;
      return { to: { name: "Ann", address: "ann@example.test" }, subject: "", text: "", html: "" };
    },
  });
  return mailed;
};

/** Plays the executor for one step, up to its screenshot. */
const shoot = async (
  service: TestService,
  context: Parameters<TestService["core"]["loop"]["execute"]>[3],
  runId: string,
  executionId: string,
): Promise<bigint | null> => {
  const { loop } = service.core;
  const held = { worker: "test", delivery: 1 };
  const on = { runId, attempt: 1, delivery: 1, browser: "chromium" } as const;
  const key = `${executionId}/1.jpg`;
  const said = {
    ...{ name: "console.json", contentType: "application/json", bytes: 2 },
    ...{ key: `${executionId}/console.json`, absent: null },
  };
  const progress: ProgressEvent[] = [
    { type: "BrowserStarted", data: { ...on, browserVersion: "140.0" } },
    { type: "StepStarted", data: { ...on, number: 1 } },
    { type: "StepPassed", data: { ...on, number: 1, durationMs: 12, locator: null } },
    { type: "ScreenshotTaken", data: { ...on, number: 1, format: "jpeg", key, name: null } },
    { type: "EvidenceKept", data: { ...on, ...said } },
  ];
  const bytes = Buffer.from([0xff, 0xd8, 0xff]);
  await service.platform.blobs.put(key, { bytes, contentType: "image/jpeg" });
  await service.platform.blobs.put(said.key, { ...said, bytes: Buffer.from("{}") });
  // The dispatcher offers it, a moment after the answer that it is there.
  await eventually(
    async () => (await loop.load(executionDecider, executionId)).state.status,
    (status) => status === "queued",
  );
  await loop.execute(executionDecider, executionId, { type: "claim", ...held }, context);
  const told = await loop.execute(
    executionDecider,
    executionId,
    { type: "report", ...held, progress },
    context,
  );
  return told.position;
};

/** A request that does what its operation is for. */
export type ValidRequest = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Who asks, where it cannot be the organisation's own account, which others need yet. */
  readonly bearer?: string;
  /** Where it must come by cookie. */
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where it is about another organisation than the caller's first: its X-Org-Id. */
  readonly organizationId?: string;
};

type Making = {
  /** A request with this organisation's ids. */
  readonly valid?: (organization: Organization) => ValidRequest | Promise<ValidRequest>;
  /** The same with another organisation's ids where no path is: in the query or the body. */
  readonly naming?: (stranger: Organization) => Pick<ValidRequest, "query" | "body">;
};

/** A form with a small file. */
const formWith = (fileName: string): FormData => {
  const form = new FormData();
  form.set("file", new Blob(["a,b"], { type: "text/csv" }), fileName);
  return form;
};

const reportForm = (projectId: string): FormData => {
  const form = new FormData();
  const xml = `<testsuite name="shop"><testcase classname="cart" name="adds" time="0.1"/></testsuite>`;
  form.set("file", new Blob([xml], { type: "application/xml" }), "report.xml");
  form.set("project_id", projectId);
  return form;
};
const inAWeek = (): string => new Date(Date.now() + 7 * 86_400_000).toISOString();

const name = "A name";
const content = { name, steps };
const requestedRun = ({ testId }: Pick<Organization, "testId">) => ({ test_ids: [testId] });

const ofTest: Making = { valid: ({ testId }) => ({ params: { id: testId } }) };
const ofProject: Making = { valid: ({ projectId }) => ({ params: { id: projectId } }) };
const inProject = (rest: (own: Organization) => ValidRequest | Promise<ValidRequest>): Making => ({
  valid: async (own) => {
    const { params, ...more } = await rest(own);
    return { params: { id: own.projectId, ...params }, ...more };
  },
});
const inEnvironment = (body?: object): Making =>
  inProject(async ({ fresh }) => ({
    params: { environment_id: await fresh.environmentId(), name: "password" },
    ...(body === undefined ? {} : { body }),
  }));
const ofFile: Making = inProject(async ({ fresh }) => ({
  params: { name: await fresh.fileName() },
}));
const ofPlanChange: Making = { valid: ({ planChangeId }) => ({ params: { id: planChangeId } }) };
const ofFreshPlanChange: Making = {
  valid: async ({ fresh }) => ({ params: { id: await fresh.planChangeId() } }),
};
const ofTestSet: Making = { valid: ({ testSetId }) => ({ params: { id: testSetId } }) };
const tagged: Making = {
  valid: ({ testId, tagId }) => ({ params: { id: testId, tag_id: tagId } }),
};
const inTestSet: Making = {
  valid: ({ testSetId, testId }) => ({ params: { id: testSetId }, body: { test_ids: [testId] } }),
};
const ofOrganization: Making = {
  valid: ({ account }) => ({ params: { id: account.organizationId } }),
};
const ofFreshOrganization: Making = {
  valid: async ({ fresh }) => {
    const id = await fresh.organizationId();
    return { params: { id }, organizationId: id };
  },
};
const ofSchedule: Making = { valid: ({ scheduleId }) => ({ params: { id: scheduleId } }) };
const asAdmin = async (fresh: Organization["fresh"]) => ({
  bearer: (await fresh.admin()).accessToken,
});
const ofReadModel: Making = {
  valid: async ({ fresh }) => ({ params: { name: "tags" }, ...(await asAdmin(fresh)) }),
};
const ofRunStream: Making = {
  valid: async ({ fresh, runId }) => ({
    params: { stream: `run-${runId}` },
    ...(await asAdmin(fresh)),
  }),
};
const byAdmin: Making = {
  valid: async ({ fresh }) => ({ bearer: (await fresh.admin()).accessToken }),
};
const ofRun: Making = { valid: ({ runId }) => ({ params: { id: runId } }) };
const ofExecution: Making = {
  valid: ({ executionId }) => ({ params: { execution_id: executionId } }),
};
const listedTests: Making = {
  valid: ({ projectId }) => ({ query: { project_id: projectId, limit: "2" } }),
  naming: ({ projectId }) => ({ query: { project_id: projectId } }),
};
const queued: Making = {
  valid: (own) => ({ body: requestedRun(own) }),
  naming: (stranger) => ({ body: requestedRun(stranger) }),
};
const created: Making = {
  valid: ({ projectId }) => ({ body: { ...content, project_id: projectId } }),
  naming: ({ projectId }) => ({ body: { ...content, project_id: projectId } }),
};
const replaced: Making = { valid: ({ testId }) => ({ params: { id: testId }, body: { steps } }) };

const placeOf = ({ testId, stepId }: ComparedRun) => ({
  id: testId,
  step_id: stepId,
  browser: "chromium",
});
const ofCompared: Making = {
  valid: ({ compared }) => ({
    params: { execution_id: compared.executionId, browser: "chromium", step_number: "1" },
  }),
};

/** How to ask for each operation, by its id. A test fails while one is missing here. */
export const requests: Readonly<Record<string, Making>> = {
  checkLiveness: {},
  checkReadiness: {},
  listPlans: {},
  readCatalogPlan: { valid: () => ({ params: { code: "free" } }) },
  getJwks: {},

  signUp: {
    valid: () => ({
      body: { email: `${randomUUID()}@example.test`, password: "correct horse", name },
    }),
  },
  listOauthProviders: {},
  startOauth: { valid: () => ({ params: { provider: "google" } }) },
  finishOauth: {
    valid: async ({ fresh }) => ({
      params: { provider: "google" },
      ...(await fresh.oauthAnswer()),
    }),
  },
  login: {
    valid: ({ account: { email, password } }) => ({ body: { email, password } }),
  },
  refreshSession: { valid: async ({ fresh }) => ({ cookie: (await fresh.account()).cookie }) },
  logout: { valid: async ({ fresh }) => ({ cookie: (await fresh.account()).cookie }) },
  getMe: {},
  requestVerification: { valid: ({ account: { email } }) => ({ body: { email } }) },
  verifyEmail: {
    valid: async ({ fresh }) => ({ body: { token: await fresh.mailedToken("verify_email") } }),
  },
  forgotPassword: { valid: ({ account: { email } }) => ({ body: { email } }) },
  resetPassword: {
    valid: async ({ fresh }) => ({
      body: { token: await fresh.mailedToken("reset_password"), password: "an entirely new one" },
    }),
  },
  changePassword: {
    valid: ({ account: { password } }) => ({
      body: { current_password: password, new_password: password },
    }),
  },
  listSessions: {},
  revokeSession: { valid: async ({ fresh }) => ({ params: { id: await fresh.sessionId() } }) },
  revokeOtherSessions: {},
  readSettings: {},
  changeSettings: { valid: () => ({ body: { time_zone: "Europe/Berlin", theme: "dark" } }) },
  setByoKey: { valid: () => ({ body: { key: "sk-0123456789" } }) },
  removeByoKey: {},
  exportMe: {},
  eraseMe: {
    valid: async ({ fresh }) => {
      const { accessToken: bearer, password } = await fresh.account();
      return { bearer, body: { password } };
    },
  },
  getConnection: {},

  createOrganization: { valid: () => ({ body: { name } }) },
  listOrganizations: {},
  readOrganization: ofOrganization,
  changeOrganization: {
    valid: ({ account }) => ({ params: { id: account.organizationId }, body: { name } }),
  },
  deleteOrganization: ofFreshOrganization,
  restoreOrganization: ofFreshOrganization,
  listAudit: ofOrganization,
  listMembers: ofOrganization,
  changeRole: {
    valid: async ({ account, fresh }) => ({
      params: { id: account.organizationId, user_id: await fresh.memberId() },
      body: { role: "editor" },
    }),
  },
  removeMember: {
    valid: async ({ account, fresh }) => ({
      params: { id: account.organizationId, user_id: await fresh.memberId() },
    }),
  },
  transferOwnership: {
    valid: async ({ fresh, people, account }) => {
      const id = await fresh.organizationId();
      const heir = people.get("editor") ?? account;
      return { params: { id }, organizationId: id, body: { user_id: heir.userId } };
    },
  },

  createInvite: {
    valid: () => ({ body: { email: `${randomUUID()}@example.test`, role: "editor" } }),
  },
  listInvites: {},
  revokeInvite: { valid: async ({ fresh }) => ({ params: { id: (await fresh.invite()).id } }) },
  resendInvite: { valid: async ({ fresh }) => ({ params: { id: (await fresh.invite()).id } }) },
  lookUpInvite: {
    valid: async ({ fresh }) => ({ query: { token: (await fresh.invite()).token } }),
  },
  acceptInvite: {
    valid: async ({ fresh }) => {
      const { token, guest } = await fresh.invite();
      return { bearer: guest.accessToken, body: { token } };
    },
  },

  grantPlan: {
    valid: async ({ account, fresh }) => ({
      ...(await asAdmin(fresh)),
      params: { id: account.organizationId },
      body: { plan: "business", until: "2099-01-01T00:00:00Z", reason: "A trial" },
    }),
  },
  settlePlanChange: {
    valid: async ({ account, fresh }) => ({
      ...(await asAdmin(fresh)),
      params: { id: account.organizationId, change_id: await fresh.planChangeId() },
      body: { outcome: "cancelled", reason: "It was stuck" },
    }),
  },
  settleAttention: {
    valid: async ({ account, fresh }) => ({
      ...(await asAdmin(fresh)),
      params: { id: account.organizationId, provider_event_id: await fresh.attention() },
      body: { outcome: "corrected", reason: "The price is set up now" },
    }),
  },
  listWebhookEvents: byAdmin,
  retryWebhookEvent: {
    valid: async ({ fresh }) => ({
      ...(await asAdmin(fresh)),
      params: { id: await fresh.webhookEventId() },
    }),
  },
  listOutbox: byAdmin,
  listUsers: byAdmin,
  listAllOrganizations: byAdmin,
  listProjections: byAdmin,
  rebuildProjection: ofReadModel,
  verifyProjection: ofReadModel,
  listParkedEvents: byAdmin,
  retryParkedEvent: {
    valid: async ({ fresh }) => ({
      params: { id: await fresh.parkedId() },
      query: { wait: "0" },
      ...(await asAdmin(fresh)),
    }),
  },
  skipParkedEvent: {
    valid: async ({ fresh }) => ({
      params: { id: await fresh.parkedId() },
      body: { reason: "Nobody knows it any more" },
      ...(await asAdmin(fresh)),
    }),
  },
  findStreams: {
    valid: async ({ fresh, runId }) => ({ query: { q: runId }, ...(await asAdmin(fresh)) }),
  },
  listStreams: byAdmin,
  readStream: ofRunStream,
  readEvent: {
    valid: async ({ fresh }) => ({
      params: { event_id: await fresh.eventId() },
      ...(await asAdmin(fresh)),
    }),
  },
  diffStream: ofRunStream,
  compareReadModels: ofRunStream,
  revealPerson: {
    valid: async ({ fresh, account }) => ({
      params: { id: account.userId },
      body: { reason: "Asked for help" },
      ...(await asAdmin(fresh)),
    }),
  },

  createApiKey: { valid: () => ({ body: { name: randomUUID() } }) },
  listApiKeys: {},
  revokeApiKey: { valid: async ({ fresh }) => ({ params: { id: await fresh.keyId() } }) },

  createProject: { valid: () => ({ body: { name } }) },
  listProjects: {},
  readProject: ofProject,
  renameProject: { valid: ({ projectId }) => ({ params: { id: projectId }, body: { name } }) },
  deleteProject: { valid: async ({ fresh }) => ({ params: { id: await fresh.projectId() } }) },

  listEnvironments: ofProject,
  createEnvironment: inProject(() => ({ body: { name: randomUUID() } })),
  changeEnvironment: inProject(async ({ fresh }) => ({
    params: { environment_id: await fresh.environmentId() },
    body: { name: randomUUID(), base_url: "https://shop.example" },
  })),
  removeEnvironment: inEnvironment(),
  setSecret: inEnvironment({ value: "correct horse" }),
  removeSecret: inEnvironment(),
  listFiles: ofProject,
  addFile: inProject(() => ({ body: formWith("prices.csv") })),
  readFile: ofFile,
  removeFile: ofFile,

  createFolder: {
    valid: ({ projectId }) => ({ body: { name: randomUUID(), project_id: projectId } }),
    naming: ({ folderId }) => ({ body: { name, parent_id: folderId } }),
  },
  listFolders: {
    valid: ({ projectId }) => ({ query: { project_id: projectId } }),
    naming: ({ projectId }) => ({ query: { project_id: projectId } }),
  },
  renameFolder: {
    valid: ({ folderId }) => ({ params: { id: folderId }, body: { name: "Checkout" } }),
  },
  moveFolder: {
    valid: ({ folderId }) => ({ params: { id: folderId }, body: { parent_id: null } }),
    naming: ({ folderId }) => ({ body: { parent_id: folderId } }),
  },
  deleteFolder: { valid: async ({ fresh }) => ({ params: { id: await fresh.folderId() } }) },

  createTag: { valid: () => ({ body: { name: randomUUID() } }) },
  listTags: {},
  renameTag: { valid: ({ tagId }) => ({ params: { id: tagId }, body: { name: "smoke" } }) },
  deleteTag: { valid: async ({ fresh }) => ({ params: { id: await fresh.tagId() } }) },
  tagTest: tagged,
  untagTest: tagged,

  createTestSet: {
    valid: ({ projectId, testId }) => ({
      body: { name, project_id: projectId, test_ids: [testId] },
    }),
    naming: ({ testId }) => ({ body: { name, test_ids: [testId] } }),
  },
  listTestSets: {
    valid: ({ projectId }) => ({ query: { project_id: projectId } }),
    naming: ({ projectId }) => ({ query: { project_id: projectId } }),
  },
  readTestSet: ofTestSet,
  renameTestSet: { valid: ({ testSetId }) => ({ params: { id: testSetId }, body: { name } }) },
  deleteTestSet: { valid: async ({ fresh }) => ({ params: { id: await fresh.testSetId() } }) },
  addTestSetItems: { ...inTestSet, naming: ({ testId }) => ({ body: { test_ids: [testId] } }) },
  reorderTestSetItems: inTestSet,
  removeTestSetItem: {
    valid: async ({ fresh, testId }) => ({
      params: { id: await fresh.testSetId(), test_id: testId },
    }),
  },

  createTest: created,
  listTests: listedTests,
  readTest: ofTest,
  changeTest: {
    valid: ({ testId, projectId }) => ({
      params: { id: testId },
      body: { name, project_id: projectId, text: 'Go to "https://shop.example"' },
    }),
    naming: ({ projectId }) => ({ body: { project_id: projectId } }),
  },
  deleteTest: { valid: async ({ fresh }) => ({ params: { id: await fresh.testId() } }) },
  duplicateTest: { valid: ({ testId }) => ({ params: { id: testId }, body: {} }) },
  undeleteTest: ofTest,
  readTestData: ofTest,
  replaceTestData: {
    valid: async ({ fresh }) => ({
      params: { id: await fresh.testId() },
      body: { columns: ["user"], rows: [{ user: "ada" }, { user: "bob" }] },
    }),
  },
  revertTest: { valid: ({ testId }) => ({ params: { id: testId }, body: { version: 1 } }) },
  changeTests: {
    valid: ({ testId, projectId }) => ({
      body: { ids: [testId], move: { project_id: projectId } },
    }),
    naming: ({ testId }) => ({ body: { ids: [testId], move: { project_id: null } } }),
  },
  importTests: {
    valid: ({ projectId }) => ({
      body: { content: JSON.stringify([content]), project_id: projectId },
    }),
    naming: ({ projectId }) => ({
      body: { content: JSON.stringify([content]), project_id: projectId },
    }),
  },
  importResults: {
    valid: ({ projectId }) => ({ body: reportForm(projectId) }),
    naming: ({ projectId }) => ({ body: reportForm(projectId) }),
  },
  readDashboard: {
    valid: ({ projectId }) => ({ query: { project_id: projectId, days: "7" } }),
    naming: ({ projectId }) => ({ query: { project_id: projectId } }),
  },
  quarantineTest: {
    valid: ({ testId }) => ({
      params: { id: testId },
      body: { until: inAWeek(), reason: "It is being mended" },
    }),
  },
  unquarantineTest: ofTest,
  readImport: {
    valid: async ({ fresh }) => ({ params: { id: await fresh.importId() } }),
  },
  readTestHistory: ofTest,
  readTestDiff: {
    valid: ({ testId }) => ({ params: { id: testId }, query: { from: "1", to: "1" } }),
  },
  reparseTest: {
    valid: async ({ fresh }) => ({ params: { id: await fresh.wordyTestId() } }),
  },
  addStep: { valid: ({ testId }) => ({ params: { id: testId }, body: steps[0] }) },
  changeStep: {
    valid: async ({ fresh }) => ({ params: await fresh.step(), body: steps[0] }),
  },
  removeStep: { valid: async ({ fresh }) => ({ params: await fresh.step() }) },
  reorderSteps: {
    valid: async ({ fresh }) => {
      const { id, step_id } = await fresh.step();
      return { params: { id }, body: { step_ids: [step_id] } };
    },
  },
  readSteps: ofTest,
  replaceSteps: replaced,
  parseTest: { valid: () => ({ body: { text: 'Click "Save"\nFrobnicate the widget' } }) },

  queueRuns: queued,
  cancelRun: ofRun,
  cancelExecution: { valid: ({ executionId }) => ({ params: { id: executionId } }) },
  rerunRun: {
    valid: async ({ fresh }) => ({
      params: { id: await fresh.failedRunId() },
      body: { failed_only: true },
    }),
  },
  listRuns: {},
  readRunReport: { valid: ({ runId }) => ({ params: { run_id: runId } }) },
  readRunPage: { valid: ({ runId }) => ({ params: { run_id: runId } }) },
  readTestSetReport: {
    valid: async ({ fresh, testSetId }) => ({
      params: { test_set_id: testSetId },
      query: { run_id: await fresh.runOfSet() },
    }),
  },
  readTestReport: { valid: ({ testId }) => ({ params: { test_id: testId } }) },
  createSchedule: {
    valid: ({ testId }) => ({ body: { name, cron: "0 0 1 1 *", test_ids: [testId] } }),
    naming: ({ testId }) => ({ body: { name, cron: "0 0 1 1 *", test_ids: [testId] } }),
  },
  listSchedules: {},
  readSchedule: ofSchedule,
  changeSchedule: {
    valid: ({ scheduleId }) => ({ params: { id: scheduleId }, body: { name } }),
  },
  deleteSchedule: { valid: async ({ fresh }) => ({ params: { id: await fresh.scheduleId() } }) },
  pauseSchedule: ofSchedule,
  resumeSchedule: ofSchedule,
  runScheduleNow: ofSchedule,
  listUpcomingTicks: ofSchedule,
  listTicks: ofSchedule,
  addContact: { valid: () => ({ body: { email: `${randomUUID()}@example.test` } }) },
  listContacts: {},
  changeContact: {
    valid: async ({ fresh }) => ({ params: { id: (await fresh.contact()).id }, body: { name } }),
  },
  removeContact: {
    valid: async ({ fresh }) => ({ params: { id: (await fresh.contact()).id } }),
  },
  verifyContact: {
    valid: async ({ fresh }) => {
      const { id, token } = await fresh.contact();
      return { params: { id }, body: { token } };
    },
  },
  readPreferences: {},
  changePreferences: { valid: () => ({ body: { on: "failures" } }) },
  listNotifications: {},
  askUnsubscribe: {
    valid: async ({ fresh }) => ({ query: { token: (await fresh.contact()).unsubscribeToken } }),
  },
  unsubscribe: {
    valid: async ({ fresh }) => ({ query: { token: (await fresh.contact()).unsubscribeToken } }),
  },

  readRun: ofRun,
  listRunExecutions: ofRun,
  listRunEvents: ofRun,
  listExecutions: {},
  listArtifacts: { valid: ({ executionId }) => ({ params: { id: executionId } }) },
  readArtifact: {
    valid: ({ executionId }) => ({ params: { id: executionId, name: "console.json" } }),
  },
  readExecution: { valid: ({ executionId }) => ({ params: { id: executionId } }) },
  readRunnerStatus: {},
  readRunJUnit: { valid: ({ runId }) => ({ params: { run_id: runId } }) },
  listScreenshots: ofExecution,
  readScreenshot: {
    valid: ({ executionId }) => ({
      params: { execution_id: executionId, browser: "chromium", step_number: "1" },
    }),
  },

  listHealings: { valid: ({ compared }) => ({ params: { id: compared.testId } }) },
  acceptHealing: {
    valid: ({ compared, healingId }) => ({
      params: { id: compared.testId, healing_id: healingId },
    }),
  },
  rejectHealing: {
    valid: ({ compared, otherHealingId }) => ({
      params: { id: compared.testId, healing_id: otherHealingId },
    }),
  },

  listBaselines: ofTest,
  readBaseline: {
    valid: async ({ fresh }) => ({ params: await fresh.baseline() }),
  },
  setBaseline: {
    valid: ({ compared }) => ({
      params: placeOf(compared),
      body: { execution_id: compared.executionId },
    }),
    naming: ({ compared }) => ({ body: { execution_id: compared.executionId } }),
  },
  removeBaseline: { valid: ({ compared }) => ({ params: placeOf(compared) }) },
  rejectBaselines: { valid: ({ compared }) => ({ params: { id: compared.testId }, body: {} }) },
  changeBaselineSettings: {
    valid: ({ compared }) => ({ params: { id: compared.testId }, body: { threshold: 0.1 } }),
  },
  approveRunBaselines: { valid: ({ compared }) => ({ params: { id: compared.runId } }) },
  rejectRunBaselines: { valid: ({ compared }) => ({ params: { id: compared.runId } }) },
  rejudgeExecution: {
    valid: ({ compared }) => ({
      params: { id: compared.executionId },
      body: { settings: { threshold: 0.1 } },
    }),
  },
  readScreenshotBaseline: ofCompared,
  readScreenshotDiff: ofCompared,

  downloadYaml: ofExecution,
  downloadJson: ofExecution,
  exportBundle: ofExecution,
  exportPython: ofExecution,
  exportTypescript: ofExecution,
  exportGherkin: ofExecution,

  readUsage: {},
  readRefusal: { valid: ({ refusalId }) => ({ params: { id: refusalId } }) },
  readEntitlements: {},

  receiveProviderA: { valid: () => signedByProviderA({ event_type: "customer.created" }) },
  receiveProviderB: { valid: () => ({ body: {} }) },
  readPlan: {},
  readPlanHistory: {},
  exportPlanHistory: {},
  explainPlan: {},
  whatIfPlan: { valid: () => ({ query: { plan: "team" } }) },
  readUsageHistory: {},
  withdrawScheduledChange: {},
  createPlanChange: {
    valid: async ({ fresh }) => {
      await fresh.noPlanChange();
      return { body: { plan: "team" } };
    },
  },
  readPlanChange: ofPlanChange,
  confirmPlanChange: ofPlanChange,
  applyPlanChange: ofPlanChange,
  schedulePlanChange: ofFreshPlanChange,
  cancelPlanChange: ofFreshPlanChange,

  listCliProjects: {},
  listCliTests: listedTests,
  readCliSpecs: ofTest,
  createCliTest: created,
  replaceCliSteps: replaced,
  queueCloudRun: queued,
  readCloudRun: ofRun,
};

/** The path of an operation under `/api/v1` with its parameters and query filled in. */
export const pathOf = (
  template: string,
  { params = {}, query = {} }: Pick<ValidRequest, "params" | "query">,
): string => {
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? "missing");
  const search = new URLSearchParams(query).toString();
  return `/api/v1${path}${search ? `?${search}` : ""}`;
};
