import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, makeKey, type Reply, signUp } from "../../support/client.ts";
import { steps } from "../../support/organization/catalogue.ts";
import { makeOrganization, type Organization } from "../../support/organization/organization.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** The same request sent again under one Idempotency-Key. */
describe("a request with an Idempotency-Key", () => {
  let service: TestService;
  let own: Organization;
  let rows: pg.Client;
  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    own = await makeOrganization(service);
    rows = new pg.Client({ connectionString: service.platform.databaseUrl });
    await rows.connect();
  });
  afterAll(async () => {
    await rows?.end();
    await service?.stop();
  });

  type Sent = { body?: unknown; key?: string; bearer?: string; headers?: Record<string, string> };
  const send = (method: string, path: string, sent: Sent): Promise<Reply> =>
    call(service.url, method, `/api/v1${path}`, {
      bearer: sent.bearer ?? own.key,
      body: sent.body,
      headers: { ...(sent.key ? { "idempotency-key": sent.key } : {}), ...sent.headers },
    });
  const projectsNamed = async (name: string): Promise<string[]> => {
    const { body } = await send("GET", "/projects?limit=100", {});
    return body.items
      .filter((one: { name: string }) => one.name === name)
      .map(({ id }: { id: string }) => id);
  };
  const answerOf = ({ status, headers, body }: Reply) => ({
    status,
    etag: headers.get("etag"),
    position: headers.get("x-log-position"),
    body: Buffer.isBuffer(body) ? body.toString() : body,
  });

  it("is executed once and gets the same response again, whatever the order of its JSON", async () => {
    const key = randomUUID();
    const name = randomUUID();
    const body = { name, project_id: own.projectId, steps };
    const first = await send("POST", "/tests", { key, body });
    const again = await send("POST", "/tests", {
      key,
      body: { steps, project_id: own.projectId, name },
    });
    expect(first.status).toBe(201);
    expect(answerOf(again)).toEqual(answerOf(first));
    expect(answerOf(first).etag).toBe('"1"');
    expect(answerOf(first).position).toMatch(/^\d+$/);
    const { body: tests } = await send("GET", `/tests?limit=100&project_id=${own.projectId}`, {});
    expect(tests.items.filter((one: { name: string }) => one.name === name)).toHaveLength(1);
  });

  it("replays the first response also after later changes", async () => {
    const { body: project } = await send("POST", "/projects", { body: { name: "a" } });
    const path = `/projects/${project.id}`;
    const key = randomUUID();
    const sent = { key, body: { name: "b" }, headers: { "if-match": '"1"' } };
    const first = await send("PUT", path, sent);
    await send("PUT", path, { body: { name: "c" } });
    expect(answerOf(await send("PUT", path, sent))).toEqual(answerOf(first));
    expect((await send("GET", path, {})).body).toMatchObject({ name: "c", version: 3 });
  });

  it("replays 204 for a deletion", async () => {
    const path = `/projects/${await own.fresh.projectId()}`;
    const key = randomUUID();
    const statuses = [];
    for (let n = 0; n < 2; n += 1) statuses.push((await send("DELETE", path, { key })).status);
    expect(statuses).toEqual([204, 204]);
    expect((await send("DELETE", path, { key: randomUUID() })).status).toBe(404);
  });

  it("is executed once for ten concurrent requests; others get the response or 409 with Retry-After", async () => {
    const key = randomUUID();
    const name = randomUUID();
    const sent = { key, body: { name } };
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => send("POST", "/projects", sent)),
    );
    const [id] = await projectsNamed(name);
    expect(await projectsNamed(name)).toHaveLength(1);
    for (const reply of replies) {
      expect([201, 409]).toContain(reply.status);
      if (reply.status === 201) expect(reply.body.id).toBe(id);
      else expect(reply.headers.get("retry-after")).toBe("1");
    }
    expect(replies.some(({ status }) => status === 201)).toBe(true);
    expect((await send("POST", "/projects", sent)).body.id).toBe(id);
  });

  it("answers 409 if the key was used with another body or If-Match", async () => {
    const key = randomUUID();
    await send("POST", "/projects", { key, body: { name: "one" } });
    const other = await send("POST", "/projects", { key, body: { name: "two" } });
    expect([other.status, other.body.detail]).toEqual([409, expect.stringContaining("new key")]);
    const path = `/projects/${await own.fresh.projectId()}`;
    const change = { key, body: { name: "three" } };
    expect((await send("PUT", path, change)).status).toBe(200);
    const based = { ...change, headers: { "if-match": '"1"' } };
    expect((await send("PUT", path, based)).status).toBe(409);
  });

  it("is separate for another path, method, API key or person", async () => {
    const key = randomUUID();
    const stranger = await makeOrganization(service);
    const second = await makeKey(service.url, own.account, randomUUID());
    const ids = new Set<string>();
    for (const bearer of [own.key, second.key, own.account.accessToken, stranger.key]) {
      const reply = await send("POST", "/projects", { key, body: { name: "mine" }, bearer });
      expect(reply.status).toBe(201);
      ids.add(reply.body.id);
    }
    const test = await send("POST", "/tests", { key, body: { name: "mine", steps } });
    expect([test.status, ids.size]).toEqual([201, 4]);
  });

  it.each([
    ["with a space", "a b"],
    ["too long", "k".repeat(256)],
    ["not ASCII", "schlüssel"],
  ])("with the key %s is refused with 400", async (_, key) => {
    const reply = await send("POST", "/projects", { key, body: { name: "never" } });
    expect([reply.status, reply.body.detail]).toEqual([
      400,
      expect.stringContaining("Idempotency-Key"),
    ]);
    expect(await projectsNamed("never")).toEqual([]);
  });

  it("releases its key if it was refused", async () => {
    const key = randomUUID();
    const body = { name: "for nobody", steps };
    const lost = { ...body, project_id: randomUUID() };
    expect((await send("POST", "/tests", { key, body: { ...body, name: "" } })).status).toBe(422);
    expect((await send("POST", "/tests", { key, body: lost })).status).toBe(422);
    expect((await send("POST", "/tests", { key, body })).status).toBe(201);
  });

  it("can be repeated after a refusal by the quota", async () => {
    const account = await signUp(service.url);
    const { organizationId } = account;
    const { key: bearer } = await makeKey(service.url, account);
    const test = await send("POST", "/cli/tests", { bearer, body: { name: "t", steps } });
    const context = {
      actor: { type: "system" as const, id: "test" },
      organizationId,
      correlationId: randomUUID(),
      causationId: randomUUID(),
    };
    const { billing, usage } = service.core.commands;
    await usage.reserveRuns(context, organizationId, [{ runId: randomUUID(), units: 50 }]);
    const key = randomUUID();
    const sent = { key, bearer, body: { test_ids: [test.body.id] } };
    expect((await send("POST", "/cli/cloud-runs", sent)).status).toBe(429);
    await billing.grantPlan(context, { organizationId, plan: "business", reason: "a test" });
    const first = await send("POST", "/cli/cloud-runs", sent);
    expect(first.status).toBe(202);
    expect(answerOf(await send("POST", "/cli/cloud-runs", sent))).toEqual(answerOf(first));
    expect((await send("GET", "/usage", { bearer })).body.reserved).toBe(51);
  });

  it("that creates an API key does not store the key in any table", async () => {
    const name = randomUUID();
    const sent = { key: randomUUID(), bearer: own.account.accessToken, body: { name } };
    const made = await send("POST", "/api-keys", sent);
    expect(made.status).toBe(201);
    expect((await send("POST", "/api-keys", sent)).status).toBe(409);
    const { rows: kept } = await rows.query("select * from idempotency_keys where path like $1", [
      "%api-keys%",
    ]);
    expect(kept).toEqual([]);
  });

  it("is stored without its body and key, and hidden from others", async () => {
    const key = `key-${randomUUID()}`;
    const name = `secret-${randomUUID()}`;
    await send("POST", "/projects", { key, body: { name } });
    const { rows: kept } = await rows.query(
      "select * from idempotency_keys order by begun_at desc limit 1",
    );
    const text = JSON.stringify(kept);
    expect(kept).toHaveLength(1);
    expect(text).not.toContain(name);
    expect(text).not.toContain(key);
  });

  it("is executed again after a day, when expired keys are deleted", async () => {
    const sent = { key: randomUUID(), body: { name: randomUUID() } };
    const first = await send("POST", "/projects", sent);
    const age = () =>
      rows.query("update idempotency_keys set begun_at = begun_at - interval '25 hours'");
    await age();
    const second = await send("POST", "/projects", sent);
    expect([second.status, second.body.id === first.body.id]).toEqual([201, false]);
    await age();
    await service.core.idempotencyKeys.sweep();
    const { rows: left } = await rows.query("select 1 from idempotency_keys");
    expect(left).toEqual([]);
  });
});
