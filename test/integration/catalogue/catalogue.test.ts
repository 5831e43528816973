import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import {
  type Account,
  type CallOptions,
  call,
  eventually,
  makeKey,
  signUp,
} from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

let service: TestService;
let ann: Account;
let key: string;
/** A member of another organisation. */
let eve: Account;

beforeAll(async () => {
  service = await startTestService();
  [ann, eve] = await Promise.all([signUp(service.url), signUp(service.url)]);
  key = (await makeKey(service.url, ann)).key;
});
afterAll(() => service?.stop());

const as =
  (account: Account) =>
  (method: string, path: string, options: CallOptions = {}) =>
    call(service.url, method, `/api/v1${path}`, {
      bearer: account.accessToken,
      organizationId: account.organizationId,
      ...options,
    });
const asAnn: ReturnType<typeof as> = (...args) => as(ann)(...args);
const asEve: ReturnType<typeof as> = (...args) => as(eve)(...args);
const asKey = (method: string, path: string, body?: unknown) =>
  call(service.url, method, `/api/v1${path}`, { bearer: key, body });

const open = { action: "navigate", value: "/login" };
const click = { action: "click", target: '"Sign in" button' };
const newTest = async (body: object = {}) =>
  (await asAnn("POST", "/tests", { body: { name: "Sign in", steps: [open, click], ...body } }))
    .body;

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("a project", () => {
  it("removes itself from its tests on deletion, also from concurrently changed ones", async () => {
    const project = (await asAnn("POST", "/projects", { body: { name: "Gone" } })).body;
    const of = { project_id: project.id };
    const test = await newTest(of);
    const [deleted, ...raced] = await Promise.all([
      asAnn("DELETE", `/projects/${project.id}`),
      ...Array.from({ length: 8 }, () =>
        asAnn("POST", "/tests", { body: { name: "raced", steps: [open], ...of } }),
      ),
    ]);
    expect(deleted.status).toBe(204);
    for (const { status, body } of raced) {
      expect([201, 422]).toContain(status);
      if (status !== 201) continue;
      expect((await asAnn("GET", `/tests/${body.id}`)).body.project_id).toBeNull();
    }
    const renamed = await asAnn("PUT", `/tests/${test.id}`, { body: { name: "Other" } });
    expect(renamed.body).toMatchObject({ name: "Other", project_id: null });
    const replaced = await asKey("PUT", `/cli/tests/${test.id}/steps`, { steps: [click] });
    expect(replaced.body.project_id).toBeNull();
    expect((await asAnn("GET", `/tests/${test.id}`)).body).toEqual(replaced.body);
  });

  it("is created, read, renamed, listed and deleted; its tests remain", async () => {
    // On a busy machine the read models may come later than the answer, which says so.
    const created = await eventually(
      () => asAnn("POST", "/projects", { body: { name: "  Shop " } }),
      ({ headers }) => headers.get("x-read-model-lag") === null,
    );
    expect(created.status).toBe(201);
    expect(created.headers.get("x-log-position")).toMatch(/^\d+$/);
    expect(created.body).toEqual({
      id: expect.any(String),
      name: "Shop",
      created_at: expect.stringMatching(timestamp),
      updated_at: created.body.created_at,
      version: 1,
    });
    const path = `/projects/${created.body.id}`;
    expect((await asAnn("GET", path)).body).toEqual(created.body);

    const renamed = await asAnn("PUT", path, { body: { name: "Store" } });
    expect(renamed.body).toMatchObject({ name: "Store", version: 2 });
    expect(renamed.headers.get("etag")).toBe('"2"');
    expect((await asAnn("GET", path)).body).toEqual(renamed.body);
    expect((await asAnn("GET", "/projects")).body.items).toContainEqual(renamed.body);
    expect((await asKey("GET", "/cli/projects")).body.items).toContainEqual(renamed.body);

    const test = await newTest({ project_id: created.body.id });
    expect((await asAnn("GET", `/tests?project_id=${created.body.id}`)).body.items).toHaveLength(1);
    expect((await asAnn("DELETE", path)).status).toBe(204);
    expect((await asAnn("GET", path)).status).toBe(404);
    expect((await asAnn("DELETE", path)).status).toBe(404);
    expect((await asAnn("GET", `/tests/${test.id}`)).body.project_id).toBeNull();
  });
});

describe("a test", () => {
  it("is created from plain English with its steps and warnings", async () => {
    const text = 'Go to /login\nClick the "Sign in" button\nFrobnicate thoroughly';
    const created = await asAnn("POST", "/tests", { body: { name: "Words", text } });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: "Words",
      text,
      language: "en",
      platform: "web",
      project_id: null,
      step_count: 2,
      version: 1,
    });
    expect(created.body.steps.map((step: { position: number; action: string }) => step)).toEqual([
      expect.objectContaining({ position: 1, action: "navigate", value: "/login" }),
      expect.objectContaining({ position: 2, action: "click" }),
    ]);
    expect(created.body.warnings).toEqual([
      expect.objectContaining({ line: 3, text: "Frobnicate thoroughly" }),
    ]);
    expect((await asAnn("GET", `/tests/${created.body.id}`)).body).toEqual(created.body);
  });

  it("can be parsed without being stored", async () => {
    const before = (await asAnn("GET", "/tests?limit=100")).body.items.length;
    const parsed = await asKey("POST", "/tests/parse", { text: "Go to /login\nFrobnicate" });
    expect(parsed.status).toBe(200);
    expect(parsed.body.steps).toEqual([expect.objectContaining({ action: "navigate" })]);
    expect(parsed.body.warnings).toEqual([expect.objectContaining({ line: 2 })]);
    expect((await asAnn("GET", "/tests?limit=100")).body.items).toHaveLength(before);
  });

  it("changes only the given fields, and is deleted", async () => {
    const test = await newTest();
    const path = `/tests/${test.id}`;
    const project = (await asAnn("POST", "/projects", { body: { name: "P" } })).body;
    const changed = await asAnn("PUT", path, { body: { name: "Other", project_id: project.id } });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ name: "Other", project_id: project.id, version: 3 });
    expect(changed.body.steps).toEqual(test.steps);
    expect((await asAnn("GET", path)).body).toEqual(changed.body);
    const same = await asAnn("PUT", path, { body: { name: "Other" } });
    expect(same.body).toEqual(changed.body);

    expect((await asAnn("DELETE", path)).status).toBe(204);
    for (const [method, at] of [
      ["GET", path],
      ["DELETE", path],
      ["GET", `${path}/steps`],
    ] as const) {
      expect((await asAnn(method, at)).status).toBe(404);
    }
    expect((await asAnn("PUT", path, { body: { name: "x" } })).status).toBe(404);
  });

  it("keeps the ids of remaining steps on a push", async () => {
    const test = await newTest();
    const path = `/tests/${test.id}/steps`;
    const [first, second] = test.steps;
    const steps = [open, { action: "wait", value: "1 s" }, click];
    const pushed = await asKey("PUT", `/cli${path}`, { steps });
    expect(pushed.status).toBe(200);
    expect(pushed.body.steps.map((step: { id: string }) => step.id)).toEqual([
      first.id,
      expect.not.stringContaining(second.id),
      second.id,
    ]);
    const read = await asAnn("GET", path);
    expect(read.body).toEqual({ items: pushed.body.steps, next_cursor: null, version: 2 });
    // Sending a read test back unchanged changes nothing.
    const again = await asAnn("PUT", path, { body: { steps: read.body.items } });
    expect(again.body.version).toBe(2);
  });

  it("has its version as ETag, and every change obeys If-Match", async () => {
    const { id } = await newTest();
    const { body: madeProject } = await asAnn("POST", "/projects", { body: { name: "a" } });
    const changes = [
      ["PUT", `/tests/${id}`, { name: "b" }],
      ["PUT", `/tests/${id}/steps`, { steps: [open] }],
      ["PUT", `/projects/${madeProject.id}`, { name: "b" }],
      ["DELETE", `/tests/${id}`, undefined],
      ["DELETE", `/projects/${madeProject.id}`, undefined],
    ] as const;
    for (const [method, path, body] of changes) {
      const resource = path.replace("/steps", "");
      const etag = (await asAnn("GET", resource)).headers.get("etag") ?? "";
      expect(etag).toMatch(/^"\d+"$/);
      const send = (ifMatch: string) =>
        asAnn(method, path, {
          ...(body ? { body } : {}),
          headers: { "if-match": ifMatch },
        });
      for (const stale of ['"77"', `W/${etag}`, '"other"', '"77", "78"']) {
        const reply = await send(stale);
        expect([path, stale, reply.status]).toEqual([path, stale, 412]);
      }
      expect((await send("yesterday")).status).toBe(400);
      const reply = await send(`"77", ${etag}`);
      expect(reply.status).toBe(method === "PUT" ? 200 : 204);
      if (method === "PUT") expect(reply.headers.get("etag")).toBe(`"${reply.body.version}"`);
    }
    expect((await asAnn("DELETE", `/tests/${id}`, { headers: { "if-match": "*" } })).status).toBe(
      404,
    );
  });

  it("answers 412 for an If-Match header with an older version", async () => {
    const test = await newTest();
    const path = `/tests/${test.id}`;
    const stale = { body: { name: "Mine" }, headers: { "if-match": '"7"' } };
    expect((await asAnn("PUT", path, stale)).status).toBe(412);
    const fresh = { body: { name: "Mine" }, headers: { "if-match": '"1"' } };
    expect((await asAnn("PUT", path, fresh)).status).toBe(200);
    expect((await asAnn("DELETE", path, { headers: { "if-match": '"1"' } })).status).toBe(412);
  });

  it.each([
    ["an unknown action", { steps: [{ action: "clik" }] }, /steps\[0\]\.action.*click.*navigate/s],
    ["a target that is missing", { steps: [open, { action: "click" }] }, /steps\[1\]\.target/],
    ["neither text nor steps", {}, /text: text or steps is required/],
    ["both text and steps", { text: "Go to /", steps: [open] }, /not both/],
    ["text of which nothing is understood", { text: "Frobnicate" }, /text:1: .*"Frobnicate"/],
    ["no name", { name: "", steps: [open] }, /name: must not be empty/],
    ["a name with a line break", { name: "a\nb", steps: [open] }, /name: /],
    ["an unknown folder", { steps: [open], folder_id: newId() }, /folder_id: there is no folder/],
    [
      "an unknown project",
      { steps: [open], project_id: newId() },
      /project_id: there is no project/,
    ],
    ["a field that nobody knows", { steps: [open], nmae: "x" }, /nmae/],
    ["501 steps", { steps: Array.from({ length: 501 }, () => open) }, /500 steps/],
  ])("with %s is refused with 422 and the reason", async (_, body, detail) => {
    const refused = await asAnn("POST", "/tests", { body: { name: "x", ...body } });
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toMatch(detail);
  });
});

describe("test lists", () => {
  it("are paged, newest first, without gaps or repeats", async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.push((await newTest({ name: `Page ${n}` })).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const after: string = cursor ? `&cursor=${cursor}` : "";
      const page = (await asAnn("GET", `/tests?limit=2${after}`)).body;
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map((item: { id: string }) => item.id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen.slice(0, 5)).toEqual([...made].reverse());
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual([...seen].sort().reverse());
  });

  it("contain the number of steps, but no steps", async () => {
    await newTest();
    const [item] = (await asKey("GET", "/cli/tests?limit=1")).body.items;
    expect(item).toMatchObject({ name: "Sign in", step_count: 2, project_id: null });
    expect(item).not.toHaveProperty("steps");
  });
});

describe("a runner", () => {
  it("creates a test from steps and reads them in order", async () => {
    const created = await asKey("POST", "/cli/tests", { name: "By key", steps: [open, click] });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: "By key", text: "", step_count: 2, warnings: [] });
    const specs = await asKey("GET", `/cli/tests/${created.body.id}/specs`);
    expect(specs.body).toMatchObject({
      id: created.body.id,
      name: "By key",
      steps: [
        { action: "navigate", target: "", value: "/login", description: "" },
        { action: "click", target: '"Sign in" button', value: "", description: "" },
      ],
    });
  });

  it("is authenticated by an API key only", async () => {
    for (const path of ["/cli/projects", "/cli/tests", `/cli/tests/${newId()}/specs`]) {
      expect((await asAnn("GET", path)).status).toBe(401);
      expect((await call(service.url, "GET", `/api/v1${path}`)).status).toBe(401);
    }
  });
});

describe("another organisation", () => {
  it("is refused with 403 for our tests and projects, which stay unchanged", async () => {
    const test = await newTest();
    const project = (await asAnn("POST", "/projects", { body: { name: "Ours" } })).body;
    const asked = [
      ["GET", `/tests/${test.id}`],
      ["PUT", `/tests/${test.id}`, { name: "theirs" }],
      ["DELETE", `/tests/${test.id}`],
      ["GET", `/tests/${test.id}/steps`],
      ["PUT", `/tests/${test.id}/steps`, { steps: [open] }],
      ["GET", `/projects/${project.id}`],
      ["PUT", `/projects/${project.id}`, { name: "theirs" }],
      ["DELETE", `/projects/${project.id}`],
      ["GET", `/tests?project_id=${project.id}`],
      ["POST", "/tests", { name: "x", steps: [open], project_id: project.id }],
      ["GET", `/tests/${test.id}/yaml`],
      ["GET", `/tests/${test.id}/json`],
      ["GET", `/tests/${test.id}/export/svc`],
      ["GET", `/tests/${test.id}/export/python`],
    ] as const;
    for (const [method, path, body] of asked) {
      const reply = await asEve(method, path, { body });
      expect([method, path, reply.status]).toEqual([method, path, 403]);
      expect(Object.keys(reply.body)).toEqual(["detail"]);
    }
    expect((await asEve("GET", "/tests")).body.items).toEqual([]);
    expect((await asAnn("GET", `/tests/${test.id}`)).body).toEqual(test);
  });
});
