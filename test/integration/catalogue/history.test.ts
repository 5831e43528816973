import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { catalogueProjection } from "../../../src/projections/catalogue/catalogue.ts";
import { verifyProjection } from "../../../src/projections/kernel/verify.ts";
import { type Account, type CallOptions, call, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

let service: TestService;
let ann: Account;
let key: string;
/** A member of another organisation. */
let eve: Account;

beforeAll(async () => {
  service = await startTestService({}, ["api", "projections"]);
  ann = await signUp(service.url);
  eve = await signUp(service.url);
  key = (await makeKey(service.url, ann)).key;
});
afterAll(() => service?.stop());

const as =
  (bearer: () => string) =>
  (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
    call(service.url, method, `/api/v1${path}`, { bearer: bearer(), body, ...options });
const asAnn = as(() => ann.accessToken);
const asKey = as(() => key);
const asEve = as(() => eve.accessToken);

const open = { action: "navigate", value: "/login" };
const click = { action: "click", target: '"Sign in" button' };
const wait = { action: "wait", value: "1 s" };
const newTest = async (body: object = {}) => {
  const made = await asAnn("POST", "/tests", { name: "Sign in", steps: [open, click], ...body });
  expect(made.status).toBe(201);
  return made.body;
};
const ifMatch = (version: number) => ({ headers: { "if-match": `"${version}"` } });
const actions = (test: { steps: { action: string }[] }) => test.steps.map(({ action }) => action);

describe("single steps", () => {
  it("keep their ids while others are added, changed, moved and removed", async () => {
    const test = await newTest();
    const path = `/tests/${test.id}/steps`;
    const [first, second] = test.steps;
    const added = await asAnn("POST", path, { ...wait, position: 2 }, ifMatch(1));
    expect([added.status, added.body.version, actions(added.body)]).toEqual([
      201,
      2,
      ["navigate", "wait", "click"],
    ]);
    expect([added.body.steps[0], added.body.steps[2].id]).toEqual([first, second.id]);
    const third = added.body.steps[1];
    const changed = await asAnn("PUT", `${path}/${third.id}`, { ...wait, value: "2 s" });
    expect(changed.body.steps[1]).toEqual({ ...third, value: "2 s" });
    const order = { step_ids: [third.id, second.id, first.id] };
    const ordered = await asAnn("POST", `${path}/reorder`, order, ifMatch(3));
    expect(actions(ordered.body)).toEqual(["wait", "click", "navigate"]);
    expect((await asAnn("DELETE", `${path}/${second.id}`, undefined, ifMatch(4))).status).toBe(204);
    const read = (await asAnn("GET", `/tests/${test.id}`)).body;
    expect([read.version, actions(read)]).toEqual([5, ["wait", "navigate"]]);
    expect((await asAnn("GET", path)).body.items).toEqual(read.steps);

    const refused = [
      ["POST", path, { ...wait, position: 4 }, {}, 422],
      ["POST", path, { action: "click" }, {}, 422],
      ["POST", path, wait, ifMatch(4), 412],
      ["PUT", `${path}/${second.id}`, wait, {}, 404],
      ["PUT", `${path}/${first.id}`, { action: "clik" }, {}, 422],
      ["PUT", `${path}/${first.id}`, wait, ifMatch(1), 412],
      ["DELETE", `${path}/${second.id}`, undefined, {}, 404],
      ["POST", `${path}/reorder`, { step_ids: [first.id] }, {}, 422],
    ] as const;
    for (const [method, at, body, options, status] of refused) {
      expect([method, at, (await asAnn(method, at, body, options)).status]).toEqual([
        method,
        at,
        status,
      ]);
    }
    const bad = await asAnn("POST", path, { action: "click" });
    expect(bad.body.detail).toMatch(/^target: /);
  });

  it("become independent of the text when one is changed", async () => {
    const test = await newTest({ steps: undefined, text: "Go to /login\nClick Save" });
    const step = test.steps[0];
    const changed = await asAnn("PUT", `/tests/${test.id}/steps/${step.id}`, open);
    expect(changed.body).toMatchObject({ text: "", warnings: [], step_count: 2 });
  });

  it("are changed completely or refused with 412 for two concurrent editors", async () => {
    const test = await newTest();
    const steps = (n: number) => Array.from({ length: 3 }, () => ({ ...wait, value: `${n} s` }));
    const pushes = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        asAnn("PUT", `/tests/${test.id}`, { name: `By ${n}`, steps: steps(n) }, ifMatch(1)),
      ),
    );
    expect(pushes.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    const read = (await asAnn("GET", `/tests/${test.id}`)).body;
    const by = read.name.slice(3);
    expect(read.steps.map(({ value }: { value: string }) => value)).toEqual(
      Array.from({ length: 3 }, () => `${by} s`),
    );
  });
});

describe("a test", () => {
  it("is duplicated with steps of its own", async () => {
    const test = await newTest({ name: "n".repeat(100) });
    const copy = await asAnn("POST", `/tests/${test.id}/duplicate`);
    expect([copy.status, copy.body.name]).toEqual([201, `${"n".repeat(93)} (copy)`]);
    expect(actions(copy.body)).toEqual(actions(test));
    expect(copy.body.steps[0].id).not.toBe(test.steps[0].id);
    const named = await asAnn("POST", `/tests/${test.id}/duplicate`, { name: "Other" });
    expect(named.body.name).toBe("Other");
  });

  it("is restored unchanged after its deletion", async () => {
    const test = await newTest();
    const path = `/tests/${test.id}`;
    await asAnn("DELETE", path);
    expect((await asAnn("GET", "/tests?limit=100")).body.items).not.toContainEqual(
      expect.objectContaining({ id: test.id }),
    );
    const back = await asAnn("POST", `${path}/undelete`);
    expect([back.status, back.body.version]).toEqual([200, 3]);
    expect((await asAnn("GET", path)).body).toEqual(back.body);
    expect(back.body.steps).toEqual(test.steps);
    expect((await asAnn("POST", `${path}/undelete`)).body.version).toBe(3);
    expect((await asAnn("POST", `/tests/${newId()}/undelete`)).status).toBe(404);
  });

  it("reports a result per test for bulk moves, tags and deletions", async () => {
    const project = (await asAnn("POST", "/projects", { name: "Bulk" })).body;
    const folder = (await asAnn("POST", "/folders", { name: "In", project_id: project.id })).body;
    const tag = (await asAnn("POST", "/tags", { name: `bulk ${newId()}` })).body;
    const tests = await Promise.all(Array.from({ length: 12 }, () => newTest()));
    const ids = tests.map(({ id }: { id: string }) => id);
    const unknown = newId();
    const moved = await asAnn("POST", "/tests/bulk", {
      ids: [...ids, unknown],
      move: { folder_id: folder.id },
    });
    expect(moved.body.items).toHaveLength(13);
    expect(moved.body.items.slice(0, 12)).toEqual(
      ids.map((id) => ({ id, status: "done", detail: null })),
    );
    expect(moved.body.items[12]).toEqual({
      id: unknown,
      status: "refused",
      detail: expect.stringContaining("no test"),
    });
    const inFolder = async () => (await asAnn("GET", `/tests?folder_id=${folder.id}`)).body.items;
    expect(await inFolder()).toHaveLength(12);
    const headers = { "idempotency-key": newId() };
    const tagging = { ids, tag: tag.id };
    const tagged = await asAnn("POST", "/tests/bulk", tagging, { headers });
    expect((await asAnn("POST", "/tests/bulk", tagging, { headers })).body).toEqual(tagged.body);
    expect((await asAnn("GET", `/tests?tag=${tag.id}`)).body.items).toHaveLength(12);
    await asAnn("POST", "/tests/bulk", { ids: ids.slice(0, 2), untag: tag.id });
    expect((await asAnn("GET", `/tests?tag=${tag.id}`)).body.items).toHaveLength(10);
    await asAnn("POST", "/tests/bulk", { ids, delete: true });
    expect(await inFolder()).toEqual([]);
    for (const body of [
      { ids },
      { ids, delete: true, tag: tag.id },
      { ids, move: {} },
      { ids, tag: newId() },
      { ids: [], delete: true },
    ]) {
      expect([body, (await asAnn("POST", "/tests/bulk", body)).status]).toEqual([body, 422]);
    }
    const theirs = (await asEve("POST", "/tests", { name: "Theirs", steps: [open] })).body;
    const mixed = await asAnn("POST", "/tests/bulk", { ids: [theirs.id], delete: true });
    expect(mixed.status).toBe(403);
    const own = (await newTest()).id;
    await asAnn("POST", "/tests/bulk", { ids: [own, theirs.id], delete: true });
    expect((await asAnn("GET", `/tests/${own}`)).status).toBe(200);
  });
});

describe("history", () => {
  it("describes each version with actor, time, change and step diff", async () => {
    const test = await newTest();
    const path = `/tests/${test.id}`;
    const now = new Date().toISOString();
    await asAnn("PUT", path, { name: "Log in" });
    await asKey("PUT", `/cli/tests/${test.id}/steps`, { steps: [open, wait, click] });
    const [, second] = (await asAnn("GET", path)).body.steps;
    await asAnn("PUT", `${path}/steps/${second.id}`, { ...wait, value: "2 s" });
    await asAnn("DELETE", path);
    await asAnn("POST", `${path}/undelete`);
    const reverted = await asAnn("POST", `${path}/revert`, { version: 1 }, ifMatch(6));
    expect(reverted.body).toMatchObject({ name: "Sign in", version: 7, steps: test.steps });

    const { items, next_cursor } = (await asAnn("GET", `${path}/history`)).body;
    expect(next_cursor).toBeNull();
    const user = `user:${ann.email}`;
    expect(
      items.map((one: Record<string, unknown>) => [one.version, one.by, one.summary, one.name]),
    ).toEqual([
      [7, user, "Reverted to version 1", "Sign in"],
      [6, user, "Deletion taken back", "Log in"],
      [5, user, "Deleted", "Log in"],
      [4, user, "1 step changed", "Log in"],
      [3, "api:ci", "1 step added", "Log in"],
      [2, user, 'Renamed from "Sign in" to "Log in"', "Log in"],
      [1, user, "Created", "Sign in"],
    ]);
    expect(items[2].at >= items[3].at).toBe(true);
    expect(items[3].steps).toEqual([
      {
        kind: "changed",
        step_id: second.id,
        from_position: 2,
        to_position: 2,
        fields: ["value"],
        before: expect.objectContaining({ value: "1 s" }),
        after: expect.objectContaining({ value: "2 s" }),
      },
    ]);
    expect(items[0].steps).toEqual([
      expect.objectContaining({ kind: "removed", from_position: 2, to_position: null }),
    ]);

    const page = (await asAnn("GET", `${path}/history?limit=3`)).body;
    expect(page.items).toEqual(items.slice(0, 3));
    const rest = await asAnn("GET", `${path}/history?limit=4&cursor=${page.next_cursor}`);
    expect(rest.body).toEqual({ items: items.slice(3), next_cursor: null });

    const diff = (await asAnn("GET", `${path}/diff?from=1&to=4`)).body;
    expect(diff).toMatchObject({ from: 1, to: 4, name: { before: "Sign in", after: "Log in" } });
    expect(diff.steps).toEqual([expect.objectContaining({ kind: "added", to_position: 2 })]);
    expect((await asAnn("GET", `${path}/diff?from=1&to=8`)).status).toBe(422);
    expect((await asAnn("GET", `${path}/diff?from=1`)).status).toBe(422);
    expect((await asAnn("POST", `${path}/revert`, { version: 9 })).status).toBe(422);
    expect((await asAnn("POST", `${path}/revert`, { version: 2 }, ifMatch(1))).status).toBe(412);
    expect((await asAnn("POST", `${path}/revert`, { version: 5 })).status).toBe(200);

    const then = await asAnn("GET", `${path}?as_of=${now}`);
    expect(then.body).toEqual(test);
    expect(then.headers.get("etag")).toBe('"1"');
    const thirdAt = await asAnn("GET", `${path}?as_of=${items[4].at}`);
    expect(thirdAt.body).toMatchObject({ name: "Log in", version: 3, step_count: 3 });
    expect((await asAnn("GET", `${path}?as_of=${items[2].at}`)).status).toBe(404);
    expect((await asAnn("GET", `${path}?as_of=2020-01-01T00:00:00Z`)).status).toBe(404);
    expect((await asAnn("GET", `${path}?as_of=yesterday`)).status).toBe(422);
  });

  it("is refused to another organisation with 403", async () => {
    const test = await newTest();
    const [step] = test.steps;
    const path = `/tests/${test.id}`;
    for (const [method, at, body] of [
      ["GET", `${path}/history`],
      ["GET", `${path}/diff?from=1&to=1`],
      ["GET", `${path}?as_of=${new Date().toISOString()}`],
      ["POST", `${path}/reparse`],
      ["POST", `${path}/duplicate`, {}],
      ["POST", `${path}/revert`, { version: 1 }],
      ["POST", `${path}/undelete`],
      ["POST", `${path}/steps`, wait],
      ["PUT", `${path}/steps/${step.id}`, wait],
      ["DELETE", `${path}/steps/${step.id}`],
      ["POST", `${path}/steps/reorder`, { step_ids: [step.id] }],
    ] as const) {
      expect([method, at, (await asEve(method, at, body)).status]).toEqual([method, at, 403]);
    }
  });
});

describe("parsing the text of a test again", () => {
  it("reports no difference for an unchanged grammar and stores nothing", async () => {
    const text = "Go to /login\nFrobnicate";
    const test = await newTest({ steps: undefined, text });
    const read = await asAnn("POST", `/tests/${test.id}/reparse`);
    expect(read.body).toMatchObject({ test_version: 1, difference: [] });
    expect(read.body.warnings).toEqual([expect.objectContaining({ line: 2 })]);
    expect(read.body.steps).toEqual([expect.objectContaining({ position: 1, value: "/login" })]);
    expect((await asAnn("GET", `/tests/${test.id}`)).body.version).toBe(1);
  });

  it("answers 409 for steps without text", async () => {
    expect((await asAnn("POST", `/tests/${(await newTest()).id}/reparse`)).status).toBe(409);
  });
});

describe("search", () => {
  it("finds tests by name, text and steps, best match first, in pages without gaps", async () => {
    const word = `q${newId().replaceAll("-", "").slice(0, 14)}`;
    const inName = await newTest({ name: `Checkout ${word} works` });
    const inStep = await newTest({ steps: [{ action: "click", target: `"${word}" button` }] });
    const inText = await newTest({ steps: undefined, text: `Go to /shop/${word}` });
    const other = await newTest({ name: "Something else" });
    const found = async (q: string, more = "") =>
      (await asAnn("GET", `/tests?q=${encodeURIComponent(q)}${more}`)).body;
    const ids = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
    const all = ids(await found(word));
    expect(all[0]).toBe(inName.id);
    expect([...all].sort()).toEqual([inName.id, inStep.id, inText.id].sort());
    expect(all).not.toContain(other.id);
    // The beginning of a word, in any case, together with another; a letter wrong in a name.
    expect(ids(await found(`${word.slice(0, 8).toUpperCase()} checkout`))).toEqual([inName.id]);
    for (const typo of ["Chekcout", `Chekcout ${word}`, word.slice(2, 9)]) {
      expect(ids(await found(typo))).toContain(inName.id);
    }
    expect(ids(await found(`/shop/${word}`))[0]).toBe(inText.id);

    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await found(word, `&limit=1${cursor ? `&cursor=${cursor}` : ""}`);
      seen.push(...ids(page));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toEqual(all);

    await asAnn("PUT", `/tests/${inName.id}`, { name: "Renamed" });
    expect(ids(await found(word))).not.toContain(inName.id);
    for (const q of ["'; drop table tests; --", "a & | ! <-> :* \\", "%", "(((("]) {
      expect((await asAnn("GET", `/tests?q=${encodeURIComponent(q)}`)).status).toBe(200);
    }
    const theirs = await asEve("GET", `/tests?q=${word}`);
    expect(theirs.body.items).toEqual([]);
  });
});

describe("the read model", () => {
  it("equals a rebuild from the log", async () => {
    const { log, database } = service.platform;
    const over = new AbortController().signal;
    const deps = { log, db: database.patient };
    const verified = await verifyProjection(deps, catalogueProjection, over);
    expect(verified).toMatchObject({ outcome: "equal", refused: 0, first: null });
  });
});
