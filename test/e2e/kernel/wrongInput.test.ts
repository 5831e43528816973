import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CallOptions, call, type Reply } from "../../support/client.ts";
import { steps } from "../../support/organization/catalogue.ts";
import { makeOrganization, type Organization } from "../../support/organization/organization.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Input at and beyond each limit: refused with what to do about it, never a fault. */
describe("input beyond limits", () => {
  let service: TestService;
  let own: Organization;
  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    own = await makeOrganization(service);
  });
  afterAll(() => service?.stop());

  const post = (path: string, body: unknown, options: CallOptions = {}) =>
    call(service.url, "POST", `/api/v1${path}`, { bearer: own.key, body, ...options });
  const get = (path: string) => call(service.url, "GET", `/api/v1${path}`, { bearer: own.key });
  const expectRefused = ({ status, body }: Reply, expected: number, detail: RegExp) =>
    expect([status, body]).toEqual([expected, { detail: expect.stringMatching(detail) }]);

  it.each(["after=2147483648", "after=9007199254740993", "cursor=2147483648", "after=-1"])(
    "names the field for an event number out of range (%s)",
    async (query) => {
      expectRefused(await get(`/runs/${own.runId}/events?${query}`), 422, /^(after|cursor): /);
    },
  );

  it("refuses a test larger than an event, and accepts the largest that fits", async () => {
    const large = (bytes: number) => ({
      name: "large",
      steps: Array.from({ length: 500 }, () => ({ action: "click", target: "a".repeat(bytes) })),
    });
    expectRefused(await post("/cli/tests", large(2_030)), 422, /^steps: .*900 KiB.*Divide/);
    expect((await post("/cli/tests", large(1_700))).status).toBe(201);
    const text = `Click "${"\u0001".repeat(1_000)}"\n`.repeat(150);
    expectRefused(await post("/tests", { name: "large", text }), 422, /^text: /);
  });

  it("names each excess step and field", async () => {
    const clicks = Array.from({ length: 501 }, () => ({ action: "click", target: "Save" }));
    expectRefused(await post("/cli/tests", { name: "long", steps: clicks }), 422, /^steps: .*500/);
    const wide = [{ action: "click", target: "é".repeat(4_500) }];
    expectRefused(await post("/cli/tests", { name: "wide", steps: wide }), 422, /target: .*8192/);
    const longName = { name: "n".repeat(101), steps };
    expectRefused(await post("/cli/tests", longName), 422, /^name: /);
  });

  it("refuses variables that exceed an event with a thousand tests before it reserves quota", async () => {
    const before = (await get("/usage")).body.reserved;
    const variables = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`v${n}`, "x".repeat(8_000)]));
    const run = (count: number) => ({ test_ids: [own.testId], variables: variables(count) });
    expectRefused(await post("/cli/cloud-runs", run(34)), 422, /^variables: .*256 KiB/);
    expect((await get("/usage")).body.reserved).toBe(before);
    expect((await post("/cli/cloud-runs", run(32))).status).toBe(202);
  });

  it.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:,x",
    "http://",
    "http:shop",
    "//shop",
  ])("refuses the base_url %s", async (base_url) => {
    const body = { test_ids: [own.testId], base_url };
    expectRefused(await post("/cli/cloud-runs", body), 422, /^base_url: .*http/);
  });

  it("refuses a base_url with a password without repeating it", async () => {
    const body = { test_ids: [own.testId], base_url: "https://ann:hunter2@shop.example" };
    const reply = await post("/cli/cloud-runs", body);
    expectRefused(reply, 422, /^base_url: must not contain a user name or password/);
    expect(JSON.stringify(reply.body)).not.toContain("hunter2");
  });

  it("queues a test once that is named three times", async () => {
    const { testId } = own;
    const body = { test_ids: [testId, testId.toUpperCase(), testId] };
    expect((await post("/cli/cloud-runs", body)).body.executions).toHaveLength(1);
  });

  it.each([
    ["what is no JSON", "{", 400, /not valid JSON/],
    ["__proto__", '{"__proto__": {}}', 400, /__proto__/],
    ["a NUL", '{"name": "a\\u0000", "steps": []}', 422, /^name: .*NUL/],
    ["half a character", '{"name": "a\\ud800", "steps": []}', 422, /^name: .*surrogate/],
    ["arrays in arrays", `{"name": ${"[".repeat(300_000)}${"]".repeat(300_000)}}`, 400, /deep/],
    ["arrays in arrays, less deep", `{"name": ${"[".repeat(40)}${"]".repeat(40)}}`, 422, /deep/],
    ["one name twice", '{"name": "a", "n\\u0061me": "b", "steps": []}', 400, /"name" twice/],
    ["a name that is not its own", '{"constructor": {"prototype": {}}}', 400, /prototype/],
    ["something behind it", '{"name": "a", "steps": []} {}', 400, /not valid JSON/],
    ["a number beyond all", `{"name": 1${"0".repeat(400)}, "steps": []}`, 422, /^name: /],
    ["half its bytes", '{"name": "a', 400, /not valid JSON/],
    ["2 MiB", `"${"x".repeat(2 << 20)}"`, 413, /1 MiB/],
    ["null", "null", 422, /^body: /],
    ["nothing", "", 422, /^body: is required/],
  ])("refuses a body with %s", async (_, body, status, detail) => {
    expectRefused(await post("/cli/tests", body), status, detail);
  });

  it.each(["text/plain", "multipart/form-data; boundary=x", "application/xml", '"'])(
    "names the expected type for a body of type %s",
    async (type) => {
      const reply = await post("/cli/tests", "{}", { headers: { "content-type": type } });
      expectRefused(reply, 415, /application\/json/);
    },
  );

  it.each(["x", '"1" "2"', "-1", '"1', ",", 'w/"1"', '*, "1"'])(
    "answers 400 for If-Match: %s",
    async (ifMatch) => {
      const reply = await call(service.url, "PUT", `/api/v1/tests/${own.testId}`, {
        bearer: own.key,
        body: { name: "other" },
        headers: { "if-match": ifMatch },
      });
      expectRefused(reply, 400, /If-Match/);
    },
  );

  it.each(["limit=0", "limit=101", "limit=x", "limit=1&limit=2", "cursor=x", "cursor=%00"])(
    "names the field for a list with %s",
    async (query) => expectRefused(await get(`/tests?${query}`), 422, /^(limit|cursor): /),
  );

  it("answers 405 with the allowed methods of a path", async () => {
    for (const method of ["PATCH", "DELETE", "PUT"]) {
      const reply = await call(service.url, method, "/api/v1/cli/tests", { bearer: own.key });
      expectRefused(reply, 405, /GET/);
      expect(reply.headers.get("allow")).toContain("GET");
    }
  });
});
