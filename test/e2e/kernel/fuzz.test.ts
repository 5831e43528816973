import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAccessTokens } from "../../../src/stores/identity/accessTokens.ts";
import { adminSettings } from "../../support/admins.ts";
import { call, eventually, makeKey, signUp } from "../../support/client.ts";
import {
  type DescribedOperation,
  type Document,
  operationsIn,
  refsOf,
} from "../../support/fuzz/document.ts";
import { judge } from "../../support/fuzz/judge.ts";
import { type Caller, type Plan, plansFor } from "../../support/fuzz/plans.ts";
import { type Answer, createFuzzer, type Fuzzer } from "../../support/fuzz/send.ts";
import { oauthSettings, startOidcServer, type TestOidcServer } from "../../support/oidcServer.ts";
import { makeOrganization, type Organization } from "../../support/organization/organization.ts";
import { providerSettings } from "../../support/providers.ts";
import { requests } from "../../support/requests/requests.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { size } from "../../support/thorough.ts";

/** The same requests each time; others by FUZZ_SEED, more or fewer by FUZZ_REQUESTS. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_251_121);
const REQUESTS = size("FUZZ_REQUESTS", 2_000, 20_000);
const AT_ONCE = 16;
/** Operations that hash a password, which takes as long as a hundred other requests. They get proportionally fewer requests. */
const COSTLY: ReadonlySet<string> = new Set(["signUp", "login"]);
const COSTLY_SHARE = 0.1;
/** So that no operation is refused for one reason alone. */
const LEAST_GOOD = size("FUZZ_LEAST_GOOD", 0, 1);
/** A good one is signed over its bytes with a clock: test/e2e/billing/webhooks.test.ts sends those. */
const SIGNED: ReadonlySet<string> = new Set(["receiveProviderA"]);
/** They take files: those are sent by test/e2e/runs/environments.test.ts and test/e2e/resultImports. */
const FORMS: ReadonlySet<string> = new Set(["addFile", "importResults"]);
/** The coverage of each operation is checked only at full size. */
const LEAST_REFUSED = size("FUZZ_LEAST_REFUSED", 0, 5);
/** Webhooks of a provider that is not in use are ignored with 200. */
const INERT: ReadonlySet<string> = new Set(["receiveProviderB"]);

type Shot = { readonly operation: DescribedOperation; readonly plan: Plan };

describe("fuzzing every operation of openapi.json", () => {
  let service: TestService;
  let oidc: TestOidcServer;
  let own: Organization;
  let fuzzer: Fuzzer;
  let document: Document;
  const statuses = new Map<string, Map<number, number>>();
  const problems = new Map<string, string>();

  beforeAll(async () => {
    oidc = await startOidcServer();
    const settings = {
      ...providerSettings,
      ...oauthSettings(oidc),
      ...adminSettings,
      BYO_KEY_ENABLED: "true",
      CORS_ORIGINS: "https://app.example",
    };
    service = await startTestService(settings, ["api", "projections", "dispatcher"]);
    document = (await call(service.url, "GET", "/openapi.json")).body;
    const [mine, other] = await Promise.all([
      makeOrganization(service, oidc),
      makeOrganization(service, oidc),
    ]);
    own = mine;
    fuzzer = createFuzzer({
      url: service.url,
      callers: await makeCallers(service, own, other),
      organizations: { own: own.account.organizationId, other: other.account.organizationId },
      known: {
        project: [own.projectId, other.projectId],
        test: [own.testId, other.testId],
        run: [own.runId, other.runId],
        execution: [own.executionId, own.testId, other.executionId],
        refusal: [own.refusalId, other.refusalId],
        key: [await own.fresh.keyId()],
        organization: [own.account.organizationId, other.account.organizationId],
        user: [await own.fresh.memberId(), other.account.userId],
      },
      atOnce: AT_ONCE,
    });
  });
  afterAll(async () => {
    fuzzer?.close();
    await service?.stop();
    await oidc?.stop();
  });

  const shoot = async ({ operation, plan }: Shot): Promise<void> => {
    const refs = refsOf(document);
    const answer = await answered(() => fuzzer.send(operation, plan)).catch(
      (error: Error): string => error.message,
    );
    const found =
      typeof answer === "string" ? [`no answer: ${answer}`] : judge(operation, answer, refs);
    const status = typeof answer === "string" ? 0 : answer.status;
    const counts = statuses.get(operation.operationId) ?? new Map<number, number>();
    statuses.set(operation.operationId, counts.set(status, (counts.get(status) ?? 0) + 1));
    if (typeof answer !== "string" && status < 300 && isOwn(plan.caller)) {
      // Lines of JSON are a download, and no answer to learn ids from.
      const isJson = answer.headers["content-type"]?.startsWith("application/json");
      if (isJson) fuzzer.learn(operation, JSON.parse(answer.bytes.toString()));
    }
    if (found.length === 0) return;
    const what = `${operation.operationId} answered ${status} with ${found.join(", ")}`;
    const said = typeof answer === "string" ? "" : answer.bytes.toString("utf8", 0, 300);
    if (!problems.has(what)) problems.set(what, `${said} to ${shownPlan(plan)}`);
  };

  it(`answers ${REQUESTS} valid, invalid and hostile requests as documented, without an internal error (seed ${SEED})`, async () => {
    const operations = operationsIn(document);
    for (const operation of operations) {
      for (let time = 0; time < 2; time += 1) await shoot(await goodShot(operation, own));
    }
    const shots = shotsAt(operations, refsOf(document));
    const work = async () => {
      for (const shot of shots) await shoot(shot);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (process.env.FUZZ_REPORT) process.stdout.write(`${table(statuses)}\n`);

    // A machine that does too much at once is busy now and then; a service that is always so is not well.
    expect(comeAgain).toBeLessThan(REQUESTS / 50);
    expect([...problems].map(([what, said]) => `${what}: ${said}`)).toEqual([]);
    for (const { operationId } of operations) {
      const counts = [...(statuses.get(operationId) ?? [])];
      const within = (least: number, most: number) =>
        counts.reduce((sum, [code, n]) => sum + (code >= least && code <= most ? n : 0), 0);
      const good = SIGNED.has(operationId) || FORMS.has(operationId) ? 0 : LEAST_GOOD;
      expect(within(200, 399), `${operationId}: good`).toBeGreaterThanOrEqual(good);
      const bad = INERT.has(operationId) ? Math.min(1, LEAST_REFUSED) : LEAST_REFUSED;
      expect(within(400, 499), `${operationId}: refused`).toBeGreaterThanOrEqual(bad);
    }
  }, 900_000);

  it("leaves the service alive and ready, the log consistent and no event parked", async () => {
    expect((await call(service.url, "GET", "/api/v1/health/live")).status).toBe(200);
    expect((await call(service.url, "GET", "/api/v1/health/ready")).status).toBe(200);
    const { log, database } = service.platform;
    const ids = new Set<string>();
    const revisions = new Map<string, bigint>();
    let last = -1n;
    for await (const event of log.readAll({ after: null })) {
      expect(event.position > last, `position ${event.position}`).toBe(true);
      const before = revisions.get(event.stream) ?? -1n;
      if (BigInt(event.revision) !== before + 1n) {
        throw new Error(`${event.stream}: revision ${event.revision} after ${before}`);
      }
      revisions.set(event.stream, BigInt(event.revision));
      ids.add(event.id);
      last = event.position;
    }
    expect(ids.size).toBeGreaterThan(REQUESTS / 40);
    await eventually(
      async () => {
        const { rows } = await sql<{ position: string }>`
          select min(position)::text as position from projection_checkpoints`.execute(database.db);
        return BigInt(rows[0]?.position ?? -1);
      },
      (position) => position >= last,
      60_000,
    );
    // Except the events that were parked for retrying and skipping.
    const parked = await sql`
      select type, error from parked_events where consumer <> 'gone@1'`.execute(database.db);
    expect(parked.rows).toEqual([]);
  });
});

/** Every operation in turn, each as often as it should. */
function* shotsAt(
  operations: readonly DescribedOperation[],
  refs: ReturnType<typeof refsOf>,
): Generator<Shot> {
  const weight = ({ operationId }: DescribedOperation) =>
    COSTLY.has(operationId) ? COSTLY_SHARE : 1;
  const whole = operations.reduce((sum, operation) => sum + weight(operation), 0);
  const magazines = operations.map((operation) => {
    const numRuns = Math.ceil((REQUESTS * weight(operation)) / whole);
    return {
      operation,
      plans: fc.sample(plansFor(operation, refs), { seed: SEED, numRuns }).values(),
    };
  });
  let isEmpty = false;
  while (!isEmpty) {
    isEmpty = true;
    for (const { operation, plans } of magazines) {
      const next = plans.next();
      if (next.done) continue;
      isEmpty = false;
      yield { operation, plan: next.value };
    }
  }
}

/** A request that does what its operation is for. */
const goodShot = async (operation: DescribedOperation, own: Organization): Promise<Shot> => {
  const valid = (await requests[operation.operationId]?.valid?.(own)) ?? {};
  const schemes = operation.security.flatMap((each) => Object.keys(each));
  const caller: Caller = schemes.includes("session")
    ? "user"
    : schemes.includes("apiKey")
      ? "key"
      : "nobody";
  return {
    operation,
    plan: {
      caller: valid.bearer ? "nobody" : caller,
      params: valid.params ?? {},
      query: valid.query ?? {},
      headers: {
        ...valid.headers,
        ...(valid.cookie ? { cookie: valid.cookie, "x-requested-with": "fetch" } : {}),
        ...(valid.organizationId ? { "x-org-id": valid.organizationId } : {}),
        ...(valid.bearer ? { authorization: `Bearer ${valid.bearer}` } : {}),
      },
      body: valid.body === undefined ? null : { json: valid.body },
      twist: "none",
    },
  };
};

const makeCallers = async (service: TestService, own: Organization, other: Organization) => {
  const bearer = (credential: string) => () => ({ authorization: `Bearer ${credential}` });
  const gone = await signUp(service.url);
  const revoked = await makeKey(service.url, gone);
  const asGone = { bearer: gone.accessToken };
  await call(service.url, "DELETE", `/api/v1/api-keys/${revoked.id}`, asGone);
  await call(service.url, "POST", "/api/v1/auth/logout", {
    cookie: gone.cookie,
    headers: { "x-requested-with": "fetch" },
  });
  const past = await createAccessTokens({
    ring: service.core.keyRing,
    issuer: "urn:runledger",
    clock: () => new Date(Date.now() - 3_600_000),
  });
  const claims = JSON.parse(
    Buffer.from(own.account.accessToken.split(".")[1] ?? "", "base64url").toString(),
  );
  const session = { userId: claims.sub, sessionId: claims.sid };
  /** A run may take longer than a token lives. */
  let token = own.account.accessToken;
  const renewal = setInterval(async () => {
    token = await service.core.accessTokens.issue(session);
  }, 60_000);
  renewal.unref();
  return {
    user: () => ({ authorization: `Bearer ${token}` }),
    key: bearer(own.key),
    nobody: () => ({}),
    otherUser: bearer(other.account.accessToken),
    otherKey: bearer(other.key),
    expired: bearer(await past.issue(session)),
    ended: bearer(gone.accessToken),
    revoked: bearer(revoked.key),
    forged: bearer(own.account.accessToken.replace(/.....$/, "AAAAA")),
    cookie: () => ({ cookie: own.account.cookie }),
    badCookie: () => ({ cookie: "refresh_token=nonsense" }),
  };
};

const isOwn = (caller: Caller): boolean => caller === "user" || caller === "key";

/** Retries after a 503 with Retry-After, as a client would. Every other response counts. */
const answered = async (send: () => Promise<Answer>): Promise<Answer> => {
  for (let tries = 0; ; tries += 1) {
    const answer = await send();
    const wait = Number(answer.headers["retry-after"]);
    if (answer.status !== 503 || !(wait > 0) || tries === 20) return answer;
    comeAgain += 1;
    await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
  }
};
let comeAgain = 0;

const shownPlan = (plan: Plan): string =>
  JSON.stringify(plan, (_, value) =>
    typeof value === "string" && value.length > 200 ? `${value.slice(0, 200)}…` : value,
  ).slice(0, 1_500);

const table = (statuses: ReadonlyMap<string, ReadonlyMap<number, number>>): string => {
  const total = [...statuses.values()].flatMap((counts) => [...counts.values()]);
  const lines = [...statuses].map(([id, counts]) => {
    const cells = [...counts].sort(([a], [b]) => a - b).map(([code, n]) => `${code}×${n}`);
    return `${id}: ${cells.join(" ")}`;
  });
  return [
    ...lines,
    `requests: ${total.reduce((sum, n) => sum + n, 0)}, sent again: ${comeAgain}`,
  ].join("\n");
};
