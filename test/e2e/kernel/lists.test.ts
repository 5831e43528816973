import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Without decoding. */
const fetchRaw = async (url: string, headers: Readonly<Record<string, string>>) => {
  const [response] = (await once(get(url, { headers }), "response")) as [IncomingMessage];
  const bytes = await buffer(response);
  return { status: response.statusCode, headers: response.headers, bytes };
};

describe("filters and order of lists", () => {
  let service: TestService;
  let ann: Account;
  const tests: string[] = [];
  let projectId: string;
  let testSetId: string;
  let runId: string;
  const ask = (method: string, path: string, body?: unknown, bearer = ann.accessToken) =>
    call(service.url, method, `/api/v1${path}`, { bearer, body });
  const idsOf = async (path: string): Promise<string[]> => {
    const { status, body } = await ask("GET", path);
    expect({ path, status }).toEqual({ path, status: 200 });
    return body.items.map(({ id }: { id: string }) => id);
  };

  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections"]);
    ann = await signUp(service.url);
    projectId = (await ask("POST", "/projects", { name: "Shop" })).body.id;
    for (const name of ["One", "Two", "Three"]) {
      const place = name === "Two" ? { project_id: projectId, tags: ["Smoke"] } : {};
      const draft = { name, text: "Go to https://shop.example", ...place };
      tests.push((await ask("POST", "/tests", draft)).body.id);
    }
    const set = { name: "Set", test_ids: [tests[0]] };
    testSetId = (await ask("POST", "/test-sets", set)).body.id;
    const { key } = await makeKey(service.url, ann);
    const queued = await ask("POST", "/cli/cloud-runs", { test_ids: tests.slice(0, 2) }, key);
    runId = queued.body.run_ids[0];
  });
  afterAll(() => service?.stop());

  it("select and sort tests", async () => {
    const [one = "", two = "", three = ""] = tests;
    const created = (await ask("GET", `/tests/${two}`)).body.created_at;
    expect(await idsOf("/tests?sort=created_at")).toEqual([one, two, three]);
    expect(await idsOf(`/tests?sort=created_at&limit=2&cursor=${one}`)).toEqual([two, three]);
    expect(await idsOf(`/tests?since=${created}`)).toEqual([three, two]);
    expect(await idsOf(`/tests?until=${created}&sort=created_at`)).toEqual([one]);
    expect(await idsOf(`/tests?test_set_id=${testSetId}`)).toEqual([one]);
    expect(await idsOf(`/tests?tag=smoke&sort=created_at`)).toEqual([two]);
    expect(await idsOf(`/tests?q=shop&since=${created}&project_id=${projectId}`)).toEqual([two]);
    const ranked = await ask("GET", "/tests?q=shop&sort=created_at");
    expect(ranked).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/^sort/) } });
  });

  it("select runs and executions by tag, project and requester", async () => {
    const [one, two] = tests;
    const testsOf = async (query: string) => {
      const { body } = await ask("GET", `/executions?${query}&sort=created_at`);
      return body.items.map(({ test_id }: { test_id: string }) => test_id);
    };
    expect(await idsOf("/runs?tag=smoke")).toEqual([runId]);
    expect(await idsOf("/runs?tag=other")).toEqual([]);
    expect(await idsOf(`/runs?project_id=${projectId}`)).toEqual([runId]);
    expect(await testsOf("tag=smoke")).toEqual([two]);
    expect(await testsOf(`project_id=${projectId}`)).toEqual([two]);
    expect(new Set(await testsOf("triggered_by=api:ci"))).toEqual(new Set([one, two]));
    expect(await testsOf("triggered_by=api:other")).toEqual([]);
    expect(await testsOf(`test_set_id=${testSetId}`)).toEqual([]);
  });

  it("select audited events, mails and ticks", async () => {
    const audit = `/organizations/${ann.organizationId}/audit`;
    const newest = await idsOf(audit);
    expect(newest.length).toBeGreaterThan(1);
    expect(await idsOf(`${audit}?sort=created_at`)).toEqual([...newest].reverse());
    const { body: first } = await ask("GET", `${audit}?sort=created_at&limit=1`);
    const second = await idsOf(`${audit}?sort=created_at&limit=1&cursor=${first.next_cursor}`);
    expect(second).toEqual([newest.at(-2)]);
    const keys = await ask("GET", `${audit}?event=ApiKeyCreated&user_id=`);
    expect(keys.status).toBe(422);
    const { body } = await ask("GET", `${audit}?event=ApiKeyCreated`);
    expect(body.items.map(({ event }: { event: string }) => event)).toEqual(["ApiKeyCreated"]);
    expect(await idsOf(`${audit}?until=2020-01-01T00:00:00Z`)).toEqual([]);

    const mails = "/notifications?status=sent&sort=created_at&since=2020-01-01T00:00:00Z";
    expect(await idsOf(`${mails}&run_id=${runId}`)).toEqual([]);
    const terms = { name: "Nightly", cron: "0 3 * * *", timezone: "UTC", test_ids: [tests[0]] };
    const schedule = await ask("POST", "/schedules", terms);
    expect(schedule.status).toBe(201);
    const ticks = `/schedules/${schedule.body.id}/ticks`;
    expect(await idsOf(`${ticks}?outcome=fired&sort=created_at`)).toEqual([]);
    expect((await ask("GET", `${ticks}?outcome=never`)).status).toBe(422);
  });

  it("are compressed if the client accepts it, with one entity tag", async () => {
    for (let n = 0; n < 12; n += 1) await ask("POST", "/tags", { name: `Tag ${n}` });
    const url = `${service.url}/api/v1/tags`;
    const fetched = async (encoding: string, more: Readonly<Record<string, string>> = {}) => {
      const authorization = `Bearer ${ann.accessToken}`;
      const headers = { authorization, "accept-encoding": encoding, ...more };
      const { status, headers: got, ...reply } = await fetchRaw(url, headers);
      return { status, encoding: got["content-encoding"], tag: got.etag, ...reply };
    };
    const plain = await fetched("identity");
    expect(plain.bytes.length).toBeGreaterThan(1_500);
    for (const [accepted, encoding, decode] of [
      ["gzip, deflate", "gzip", gunzipSync],
      ["gzip, br;q=0.9", "br", brotliDecompressSync],
    ] as const) {
      const small = await fetched(accepted);
      expect(small).toMatchObject({ status: 200, encoding, tag: plain.tag });
      expect(small.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(decode(small.bytes).equals(plain.bytes)).toBe(true);
      const again = await fetched(accepted, { "if-none-match": String(plain.tag) });
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
    }
  });

  it("name the known parameters for an unknown one", async () => {
    for (const path of ["/runs", "/executions", "/tests", "/notifications", "/plan/history"]) {
      const { status, body } = await ask("GET", `${path}?cursr=x`);
      expect({ path, status }).toEqual({ path, status: 400 });
      expect(body.detail).toMatch(/^cursr: .* Use .*limit/);
    }
  });
});
