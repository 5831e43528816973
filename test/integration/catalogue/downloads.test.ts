import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fromBundle } from "../../../src/domain/formats/bundle.ts";
import { newId } from "../../../src/platform/ids.ts";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

let service: TestService;
let ann: Account;
let eve: Account;
let key: string;
let testId: string;
let executionId: string;

const baseUrl = "https://shop.example";
const steps = [
  { action: "navigate", value: "/login" },
  { action: "click", target: '"Sign in" button' },
];

beforeAll(async () => {
  // No executor runs: a download contains the requested run.
  service = await startTestService({}, ["api", "projections", "dispatcher"]);
  [ann, eve] = await Promise.all([signUp(service.url), signUp(service.url)]);
  key = (await makeKey(service.url, ann)).key;
  const post = async (path: string, body: unknown) => {
    const reply = await call(service.url, "POST", `/api/v1${path}`, { bearer: key, body });
    if (reply.status > 202) throw new Error(JSON.stringify(reply.body));
    return reply.body;
  };
  testId = (await post("/cli/tests", { name: 'Sign "in"/Été\u00a0!', steps })).id;
  const queued = await post("/cli/cloud-runs", { test_ids: [testId], base_url: baseUrl });
  executionId = queued.executions[0].id;
  const path = `/api/v1/cli/tests/${testId}/steps`;
  await call(service.url, "PUT", path, { bearer: key, body: { steps: steps.slice(0, 1) } });
  // The dispatcher creates the execution.
  for (let n = 0; n < 200; n += 1) {
    const found = await get(`/executions/${executionId}`);
    if (found.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});
afterAll(() => service?.stop());

const get = (path: string, bearer = key) => call(service.url, "GET", `/api/v1${path}`, { bearer });

const all = [
  ...["yaml", "json", "export/svc", "export/python"],
  ...["export/typescript", "export/gherkin"],
];

describe("a download", () => {
  it("is the executed version for an execution id and the current one for a test id", async () => {
    const ran = parse((await get(`/tests/${executionId}/yaml`)).body.toString());
    expect(ran.steps).toHaveLength(2);
    const current = parse((await get(`/tests/${testId}/yaml`)).body.toString());
    expect(current.steps).toHaveLength(1);
  });

  it("as JSON contains the test, or the execution with each step", async () => {
    const execution = await get(`/tests/${executionId}/json`);
    expect(execution.body).toMatchObject({ id: executionId, test_id: testId, base_url: baseUrl });
    expect(execution.body).not.toHaveProperty("organizationId");
    expect((await get(`/tests/${testId}/json`)).body).toMatchObject({ id: testId, step_count: 1 });
  });

  it("as a bundle can be imported", async () => {
    const reply = await get(`/tests/${executionId}/export/svc`);
    const bundle = fromBundle(
      Buffer.isBuffer(reply.body) ? reply.body.toString() : JSON.stringify(reply.body),
    );
    expect(bundle).toMatchObject({ language: "en", platform: "web", text: "" });
    expect(bundle.steps.map(({ action }) => action)).toEqual(["navigate", "click"]);
  });

  it("as TypeScript is a Playwright test with its origin; as Gherkin it can be imported", async () => {
    const script = (await get(`/tests/${executionId}/export/typescript`)).body.toString();
    expect(script).toContain('from "@playwright/test"');
    expect(script).toContain(baseUrl);
    const feature = (await get(`/tests/${executionId}/export/gherkin`)).body.toString();
    const taken = await call(service.url, "POST", "/api/v1/tests/import?dry_run=true", {
      bearer: key,
      body: { content: feature, file_name: "sign-in.feature" },
    });
    expect(taken.body.items).toMatchObject([{ status: "valid", step_count: 2, warnings: [] }]);
  });

  it("as Python is a Playwright script with its origin", async () => {
    const script = (await get(`/tests/${executionId}/export/python`)).body.toString();
    expect(script).toContain("playwright");
    expect(script).toContain(baseUrl);
  });

  it.each(all)("%s has a safe file name", async (path) => {
    const { status, headers } = await get(`/tests/${testId}/${path}`);
    expect(status).toBe(200);
    expect(headers.get("content-disposition")).toMatch(
      /^attachment; filename="sign[-_]in[-_]ete\.(yaml|json|py|runledger|spec\.ts|feature)"$/,
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store, no-cache, must-revalidate");
  });

  it.each(all)("%s accepts a session by token or cookie", async (path) => {
    const url = `/api/v1/tests/${executionId}/${path}`;
    const { accessToken, organizationId, cookie } = ann;
    const bySession = { bearer: accessToken, organizationId };
    expect((await call(service.url, "GET", url, bySession)).status).toBe(200);
    expect((await call(service.url, "GET", url, { cookie })).status).toBe(200);
  });

  it.each(all)("%s is refused to other organisations", async (path) => {
    for (const id of [executionId, testId]) {
      const url = `/api/v1/tests/${id}/${path}`;
      expect((await call(service.url, "GET", url)).status).toBe(401);
      expect((await call(service.url, "GET", url, { bearer: eve.accessToken })).status).toBe(403);
      expect((await call(service.url, "GET", url, { cookie: eve.cookie })).status).toBe(403);
    }
    expect((await get(`/tests/${newId()}/${path}`)).status).toBe(404);
    expect((await get(`/tests/nonsense/${path}`)).status).toBe(404);
  });

  it("remains available after the test is deleted", async () => {
    await call(service.url, "DELETE", `/api/v1/tests/${testId}`, { bearer: key });
    expect((await get(`/tests/${testId}/yaml`)).status).toBe(404);
    expect((await get(`/tests/${executionId}/yaml`)).status).toBe(200);
  });
});
