import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { catalogueProjection } from "../../../src/projections/catalogue/catalogue.ts";
import { tagsProjection } from "../../../src/projections/catalogue/tags.ts";
import { testSetsProjection } from "../../../src/projections/catalogue/testSets.ts";
import { verifyProjection } from "../../../src/projections/kernel/verify.ts";
import { type Account, type CallOptions, call, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

let service: TestService;
let ann: Account;
/** A member of another organisation. */
let eve: Account;

beforeAll(async () => {
  service = await startTestService({}, ["api", "projections", "dispatcher"]);
  [ann, eve] = await Promise.all([signUp(service.url), signUp(service.url)]);
});
afterAll(() => service?.stop());

const as =
  (who: () => Account) =>
  (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
    call(service.url, method, `/api/v1${path}`, { bearer: who().accessToken, body, ...options });
const asAnn = as(() => ann);
const asEve = as(() => eve);

const steps = [{ action: "navigate", value: "/login" }];
const make = async (path: string, body: object) => {
  const made = await asAnn("POST", path, body);
  expect([path, made.status, made.body]).toEqual([path, 201, made.body]);
  return made.body;
};
const newTest = (body: object = {}) => make("/tests", { name: "Sign in", steps, ...body });
const ifMatch = (version: number) => ({ headers: { "if-match": `"${version}"` } });
const names = (items: { name: string }[]) => items.map(({ name }) => name);

describe("folders", () => {
  it("form a tree while they are created, renamed, moved and deleted; tests remain", async () => {
    const project = await make("/projects", { name: "Shop" });
    const of = { project_id: project.id };
    const checkout = await make("/folders", { name: "Checkout", ...of });
    const cart = await make("/folders", { name: "Cart", parent_id: checkout.id });
    const account = await make("/folders", { name: "Account", ...of });
    expect(cart).toMatchObject({ project_id: project.id, parent_id: checkout.id, version: 1 });
    const tree = async () => (await asAnn("GET", `/folders?project_id=${project.id}`)).body.items;
    expect(
      (await tree()).map((one: { name: string; depth: number }) => [one.name, one.depth]),
    ).toEqual([
      ["Account", 1],
      ["Checkout", 1],
      ["Cart", 2],
    ]);
    const page = (await asAnn("GET", `/folders?project_id=${project.id}&limit=2`)).body;
    expect(names(page.items)).toEqual(["Account", "Checkout"]);
    const next = `/folders?project_id=${project.id}&limit=2&cursor=${page.next_cursor}`;
    expect(names((await asAnn("GET", next)).body.items)).toEqual(["Cart"]);

    const renamed = await asAnn("PUT", `/folders/${cart.id}`, { name: "Basket" }, ifMatch(1));
    expect(renamed.body).toMatchObject({ name: "Basket", version: 2 });
    expect(renamed.headers.get("etag")).toBe('"2"');
    // Another folder's change makes nothing stale.
    const moved = await asAnn(
      "POST",
      `/folders/${account.id}/move`,
      { parent_id: cart.id },
      ifMatch(1),
    );
    expect(moved.body).toMatchObject({ parent_id: cart.id, version: 2 });
    expect(names(await tree())).toEqual(["Checkout", "Basket", "Account"]);
    expect((await asAnn("PUT", `/folders/${cart.id}`, { name: "X" }, ifMatch(1))).status).toBe(412);

    const test = await newTest({ folder_id: account.id });
    expect(test).toMatchObject({ project_id: project.id, folder_id: account.id });
    const inFolder = `/tests?folder_id=${account.id}`;
    expect((await asAnn("GET", inFolder)).body.items).toHaveLength(1);
    expect((await asAnn("DELETE", `/folders/${cart.id}`)).status).toBe(204);
    expect(names(await tree())).toEqual(["Checkout"]);
    const read = await asAnn("GET", `/tests/${test.id}`);
    expect(read.body).toMatchObject({ project_id: project.id, folder_id: null });
    expect((await asAnn("PUT", `/tests/${test.id}`, { name: "Y" })).body).toMatchObject({
      project_id: project.id,
      folder_id: null,
    });
    for (const [method, path, body] of [
      ["PUT", `/folders/${cart.id}`, { name: "Z" }],
      ["DELETE", `/folders/${cart.id}`, undefined],
      ["GET", inFolder, undefined],
    ] as const) {
      expect((await asAnn(method, path, body)).status).toBe(404);
    }
    // The project counts what happened in its stream: an ETag that was read is good.
    const { version } = (await asAnn("GET", `/projects/${project.id}`)).body;
    const at = await asAnn("PUT", `/projects/${project.id}`, { name: "Store" }, ifMatch(version));
    expect(at.status).toBe(200);
  });

  it("refuse a cycle, a duplicate name, another project or no project", async () => {
    const [one, two] = [
      await make("/projects", { name: "1" }),
      await make("/projects", { name: "2" }),
    ];
    const a = await make("/folders", { name: "A", project_id: one.id });
    const b = await make("/folders", { name: "B", parent_id: a.id });
    const other = await make("/folders", { name: "O", project_id: two.id });
    const refused = [
      ["POST", `/folders/${a.id}/move`, { parent_id: b.id }, 409],
      ["POST", `/folders/${a.id}/move`, { parent_id: a.id }, 409],
      ["POST", `/folders/${a.id}/move`, { parent_id: other.id }, 422],
      ["POST", `/folders/${a.id}/move`, { parent_id: newId() }, 422],
      ["POST", "/folders", { name: "A", project_id: one.id }, 409],
      ["POST", "/folders", { name: "C" }, 422],
      ["POST", "/folders", { name: "C", project_id: newId() }, 422],
      ["POST", "/folders", { name: "C", parent_id: newId() }, 422],
      ["POST", "/folders", { name: "C", project_id: two.id, parent_id: a.id }, 422],
      ["POST", "/tests", { name: "T", steps, folder_id: newId() }, 422],
      ["POST", "/tests", { name: "T", steps, folder_id: a.id, project_id: two.id }, 422],
      ["POST", "/tests", { name: "T", steps, folder_id: a.id, project_id: null }, 422],
    ] as const;
    for (const [method, path, body, status] of refused) {
      expect([path, body, (await asAnn(method, path, body)).status]).toEqual([path, body, status]);
    }
  });

  it("are left by a test that moves to another project and back", async () => {
    const [one, two] = [
      await make("/projects", { name: "1" }),
      await make("/projects", { name: "2" }),
    ];
    const folder = await make("/folders", { name: "A", project_id: one.id });
    const test = await newTest({ folder_id: folder.id });
    const put = async (body: object) => (await asAnn("PUT", `/tests/${test.id}`, body)).body;
    expect(await put({ project_id: two.id })).toMatchObject({
      project_id: two.id,
      folder_id: null,
    });
    expect(await put({ folder_id: folder.id })).toMatchObject({
      project_id: one.id,
      folder_id: folder.id,
    });
    expect(await put({ folder_id: null })).toMatchObject({ project_id: one.id, folder_id: null });
  });

  it("are deleted with their project, and their tests remain", async () => {
    const project = await make("/projects", { name: "Gone" });
    const folder = await make("/folders", { name: "A", project_id: project.id });
    const test = await newTest({ folder_id: folder.id });
    await asAnn("DELETE", `/projects/${project.id}`);
    const read = (await asAnn("GET", `/tests/${test.id}`)).body;
    expect(read).toMatchObject({ project_id: null, folder_id: null });
    expect((await asAnn("PUT", `/folders/${folder.id}`, { name: "B" })).status).toBe(404);
  });
});

describe("tags", () => {
  it("are put on a test, found by and taken off", async () => {
    const name = `Smoke ${newId()}`;
    const tag = await make("/tags", { name });
    const test = await newTest();
    const path = `/tests/${test.id}/tags/${tag.id}`;
    expect((await asAnn("PUT", path)).status).toBe(204);
    expect((await asAnn("PUT", path)).status).toBe(204);
    const carried = { tags: [{ id: tag.id, name }] };
    expect((await asAnn("GET", `/tests/${test.id}`)).body).toMatchObject({
      ...carried,
      version: 1,
    });
    for (const wanted of [name.toLowerCase(), tag.id]) {
      const found = await asAnn("GET", `/tests?tag=${encodeURIComponent(wanted)}`);
      expect(found.body.items).toEqual([expect.objectContaining({ id: test.id, ...carried })]);
    }
    const renamed = await asAnn("PUT", `/tags/${tag.id}`, { name: `${name}!` }, ifMatch(1));
    expect(renamed.body).toMatchObject({ name: `${name}!`, version: 2 });
    expect((await asAnn("PUT", `/tags/${tag.id}`, { name: "x" }, ifMatch(1))).status).toBe(412);
    expect((await asAnn("POST", "/tags", { name: `${name}!`.toUpperCase() })).status).toBe(409);
    expect((await asAnn("DELETE", path)).status).toBe(204);
    expect((await asAnn("GET", `/tests/${test.id}`)).body.tags).toEqual([]);

    await asAnn("PUT", path);
    expect((await asAnn("DELETE", `/tags/${tag.id}`)).status).toBe(204);
    expect((await asAnn("GET", `/tests/${test.id}`)).body.tags).toEqual([]);
    expect((await asAnn("DELETE", `/tags/${tag.id}`)).status).toBe(404);
    expect((await asAnn("PUT", path)).status).toBe(404);
    expect((await asAnn("GET", `/tests?tag=${tag.id}`)).status).toBe(404);
    expect((await asAnn("GET", `/tests?tag=${encodeURIComponent(name)}`)).body.items).toEqual([]);
  });
});

describe("test sets", () => {
  it("contain each test once while tests are added, ordered and removed", async () => {
    const tests = [
      await newTest({ name: "a" }),
      await newTest({ name: "b" }),
      await newTest({ name: "c" }),
    ];
    const [a, b, c] = tests.map(({ id }: { id: string }) => id);
    const set = await make("/test-sets", { name: "Night", test_ids: [a, b, a] });
    expect(set).toMatchObject({ test_ids: [a, b], project_id: null, version: 1 });
    expect(set.items).toEqual([
      { position: 1, test_id: a, name: "a", step_count: 1 },
      { position: 2, test_id: b, name: "b", step_count: 1 },
    ]);
    const path = `/test-sets/${set.id}`;
    const added = await asAnn("POST", `${path}/items`, { test_ids: [c, a] }, ifMatch(1));
    expect(added.body).toMatchObject({ test_ids: [a, b, c], version: 2 });
    expect((await asAnn("GET", path)).body).toEqual(added.body);
    const stale = await asAnn("POST", `${path}/items`, { test_ids: [c] }, ifMatch(1));
    expect(stale.status).toBe(412);
    const ordered = await asAnn("POST", `${path}/items/reorder`, { test_ids: [c, a, b] });
    expect(ordered.body.test_ids).toEqual([c, a, b]);
    const partly = await asAnn("POST", `${path}/items/reorder`, { test_ids: [c, a] });
    expect(partly.status).toBe(422);
    expect((await asAnn("DELETE", `${path}/items/${a}`)).status).toBe(204);
    const renamed = await asAnn("PUT", path, { name: "Nightly" });
    expect(renamed.body).toMatchObject({ name: "Nightly", test_ids: [c, b], version: 5 });
    // A test that is deleted keeps its place, in case it comes back; it is not run.
    await asAnn("DELETE", `/tests/${c}`);
    const read = (await asAnn("GET", path)).body;
    expect(read.items[0]).toEqual({ position: 1, test_id: c, name: null, step_count: null });
    const { items: _, ...summary } = read;
    expect((await asAnn("GET", "/test-sets")).body.items).toContainEqual(summary);
    expect((await asAnn("DELETE", path)).status).toBe(204);
    for (const method of ["GET", "DELETE"]) expect((await asAnn(method, path)).status).toBe(404);
    expect((await asAnn("PUT", path, { name: "x" })).status).toBe(404);
    expect((await asAnn("GET", `/tests/${b}`)).status).toBe(200);
  });

  it("refuse an unknown test or project", async () => {
    const set = await make("/test-sets", { name: "Empty" });
    const refused = [
      ["/test-sets", { name: "x", test_ids: [newId()] }, 422],
      ["/test-sets", { name: "x", project_id: newId() }, 422],
      [`/test-sets/${set.id}/items`, { test_ids: [newId()] }, 422],
      [`/test-sets/${set.id}/items`, { test_ids: [] }, 422],
      [`/test-sets/${newId()}/items`, { test_ids: [(await newTest()).id] }, 404],
    ] as const;
    for (const [path, body, status] of refused) {
      expect([path, body, (await asAnn("POST", path, body)).status]).toEqual([path, body, status]);
    }
    const project = await make("/projects", { name: "P" });
    const inProject = await make("/test-sets", { name: "In P", project_id: project.id });
    const listed = await asAnn("GET", `/test-sets?project_id=${project.id}`);
    expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([inProject.id]);
    await asAnn("DELETE", `/projects/${project.id}`);
    expect((await asAnn("GET", `/test-sets/${inProject.id}`)).body.project_id).toBeNull();
  });
});

describe("dispatch", () => {
  it("creates a run per test set and one for single tests", async () => {
    const [a, b] = [await newTest({ name: "a" }), await newTest({ name: "b" })];
    const one = await make("/test-sets", { name: "one", test_ids: [b.id, a.id] });
    const two = await make("/test-sets", { name: "two", test_ids: [a.id] });
    const headers = { "idempotency-key": newId() };
    const body = { test_ids: [b.id], test_set_ids: [one.id, two.id] };
    const queued = await asAnn("POST", "/runner/runs", body, { headers });
    expect([queued.status, queued.body]).toEqual([202, queued.body]);
    const [first, second, singly] = queued.body.run_ids;
    expect(queued.body.run_ids).toHaveLength(3);
    const ofRun = (runId: string) =>
      queued.body.executions
        .filter((execution: { run_id: string }) => execution.run_id === runId)
        .map((execution: { test_id: string }) => execution.test_id);
    expect([first, second, singly].map(ofRun)).toEqual([[b.id, a.id], [a.id], [b.id]]);
    expect((await asAnn("POST", "/runner/runs", body, { headers })).body).toEqual(queued.body);

    const tag = await make("/tags", { name: `run ${newId()}` });
    await asAnn("PUT", `/tests/${a.id}/tags/${tag.id}`);
    for (const wanted of [tag.name.toUpperCase(), tag.id]) {
      const tagged = await asAnn("POST", "/runner/runs", { tag: wanted });
      expect(tagged.body.executions).toEqual([expect.objectContaining({ test_id: a.id })]);
    }
  });

  it("queues nothing if the quota does not cover all", async () => {
    const other = await signUp(service.url);
    const asOther = as(() => other);
    const test = (await asOther("POST", "/tests", { name: "t", steps })).body;
    const sets: string[] = [];
    for (const name of ["1", "2"]) {
      const set = await asOther("POST", "/test-sets", { name, test_ids: [test.id] });
      sets.push(set.body.id);
    }
    const { limit } = (await asOther("GET", "/usage")).body;
    const { usage } = service.core.commands;
    const context = {
      actor: { type: "system" as const, id: "test" },
      organizationId: other.organizationId,
      correlationId: newId(),
      causationId: newId(),
    };
    await usage.reserveRuns(context, other.organizationId, [{ runId: newId(), units: limit - 1 }]);
    const refused = await asOther("POST", "/runner/runs", { test_set_ids: sets });
    expect(refused.status).toBe(429);
    expect((await asOther("GET", "/runs")).body.items).toEqual([]);
    expect((await asOther("POST", "/runner/runs", { test_set_ids: [sets[0]] })).status).toBe(202);
  });

  it("refuses an unknown, empty or ambiguous request", async () => {
    const empty = await make("/test-sets", { name: "Empty" });
    const test = await newTest();
    for (const body of [
      {},
      { test_set_ids: [newId()] },
      { test_set_ids: [empty.id] },
      { test_set_ids: [] },
      { tag: "no such tag" },
      { tag: "x", test_ids: [test.id] },
      { project_id: newId(), test_set_ids: [empty.id] },
    ]) {
      const refused = await asAnn("POST", "/runner/runs", body);
      expect([body, refused.status]).toEqual([body, 422]);
    }
  });
});

describe("another organisation", () => {
  it("is refused with 403 for our folders, tags and test sets", async () => {
    const project = await make("/projects", { name: "Ours" });
    const folder = await make("/folders", { name: "Ours", project_id: project.id });
    const tag = await make("/tags", { name: `Ours ${newId()}` });
    const test = await newTest();
    const set = await make("/test-sets", { name: "Ours", test_ids: [test.id] });
    const theirTag = (await asEve("POST", "/tags", { name: "Theirs" })).body;
    const theirTest = (await asEve("POST", "/tests", { name: "Theirs", steps })).body;
    const theirSet = (await asEve("POST", "/test-sets", { name: "Theirs" })).body;
    const theirProject = (await asEve("POST", "/projects", { name: "Theirs" })).body;
    const asked = [
      ["POST", "/folders", { name: "x", project_id: project.id }],
      ["POST", "/folders", { name: "x", parent_id: folder.id }],
      ["POST", "/folders", { name: "x", project_id: theirProject.id, parent_id: folder.id }],
      ["GET", `/folders?project_id=${project.id}`],
      ["PUT", `/folders/${folder.id}`, { name: "x" }],
      ["POST", `/folders/${folder.id}/move`, { parent_id: null }],
      ["DELETE", `/folders/${folder.id}`],
      ["GET", `/tests?folder_id=${folder.id}`],
      ["GET", `/tests?tag=${tag.id}`],
      ["POST", "/tests", { name: "x", steps, folder_id: folder.id }],
      ["PUT", `/tests/${theirTest.id}`, { folder_id: folder.id }],
      ["PUT", `/tags/${tag.id}`, { name: "x" }],
      ["DELETE", `/tags/${tag.id}`],
      ["PUT", `/tests/${test.id}/tags/${theirTag.id}`],
      ["DELETE", `/tests/${test.id}/tags/${theirTag.id}`],
      ["PUT", `/tests/${theirTest.id}/tags/${tag.id}`],
      ["POST", "/test-sets", { name: "x", test_ids: [test.id] }],
      ["POST", "/test-sets", { name: "x", project_id: project.id }],
      ["GET", `/test-sets?project_id=${project.id}`],
      ["GET", `/test-sets/${set.id}`],
      ["PUT", `/test-sets/${set.id}`, { name: "x" }],
      ["DELETE", `/test-sets/${set.id}`],
      ["POST", `/test-sets/${set.id}/items`, { test_ids: [theirTest.id] }],
      ["POST", `/test-sets/${theirSet.id}/items`, { test_ids: [test.id] }],
      ["POST", `/test-sets/${set.id}/items/reorder`, { test_ids: [test.id] }],
      ["DELETE", `/test-sets/${set.id}/items/${test.id}`],
      ["POST", "/runner/runs", { test_set_ids: [set.id] }],
      ["POST", "/runner/runs", { tag: tag.id }],
    ] as const;
    for (const [method, path, body] of asked) {
      const reply = await asEve(method, path, body);
      expect([method, path, reply.status]).toEqual([method, path, 403]);
    }
    expect((await asAnn("GET", `/test-sets/${set.id}`)).body).toEqual(set);
    expect((await asAnn("GET", `/tests/${test.id}`)).body).toEqual(test);
  });
});

describe("the read models", () => {
  it("equal a rebuild from the log", async () => {
    const { log, database } = service.platform;
    const over = new AbortController().signal;
    for (const projection of [catalogueProjection, tagsProjection, testSetsProjection]) {
      const verified = await verifyProjection({ log, db: database.patient }, projection, over);
      expect(verified).toMatchObject({ outcome: "equal", refused: 0, first: null });
    }
  });
});
