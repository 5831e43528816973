import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type Reply } from "../../support/client.ts";
import { steps } from "../../support/organization/catalogue.ts";
import { makeOrganization, type Organization } from "../../support/organization/organization.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Callers who want the same thing at the same moment. */
describe("concurrent callers", () => {
  let service: TestService;
  let own: Organization;
  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    own = await makeOrganization(service);
  });
  afterAll(() => service?.stop());

  const api = (method: string, path: string, body?: unknown, headers = {}) =>
    call(service.url, method, `/api/v1${path}`, { bearer: own.key, body, headers });
  const newTest = async (): Promise<string> =>
    (await api("POST", "/cli/tests", { name: "raced for", steps })).body.id;
  const atOnce = (count: number, ask: (n: number) => Promise<Reply>) =>
    Promise.all(Array.from({ length: count }, (_, n) => ask(n)));
  const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();
  const click = (n: number) => ({ steps: [{ action: "click", target: `button ${n}` }] });

  it("create a version each when ten replace the steps, and the last remains", async () => {
    const path = `/cli/tests/${await newTest()}`;
    const replies = await atOnce(10, (n) => api("PUT", `${path}/steps`, click(n)));
    const byVersion = replies.map(({ body }) => body).sort((a, b) => a.version - b.version);
    expect(byVersion.map(({ version }) => version)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    const { steps: last } = (await api("GET", `${path}/specs`)).body;
    expect(last).toEqual(byVersion.at(-1).steps);
  });

  it("with the same If-Match succeed once, and nine are told that the version is stale", async () => {
    const path = `/cli/tests/${await newTest()}/steps`;
    const replies = await atOnce(10, (n) => api("PUT", path, click(n), { "if-match": '"1"' }));
    expect(statusesOf(replies)).toEqual([200, ...Array(9).fill(412)]);
  });

  it("delete a test once while it is queued, and queue it whole or not at all", async () => {
    const testId = await newTest();
    const queue = () => api("POST", "/cli/cloud-runs", { test_ids: [testId] });
    const [first, queued, deleted] = await Promise.all([
      queue(),
      atOnce(10, queue),
      atOnce(3, () => api("DELETE", `/tests/${testId}`)),
    ]);
    for (const { status, body } of [first, ...queued]) {
      expect([202, 422]).toContain(status);
      if (status !== 202) continue;
      const run = await api("GET", `/cli/cloud-runs/${body.run_ids[0]}`);
      expect(run.body.tests).toMatchObject([{ test_id: testId, name: "raced for" }]);
    }
    const statuses = statusesOf(deleted);
    expect(statuses[0]).toBe(204);
    for (const status of statuses) expect([204, 404]).toContain(status);
    expect((await queue()).status).toBe(422);
    expect((await api("DELETE", `/tests/${testId}`)).status).toBe(404);
  });
});
