import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { catalogueProjection } from "../../../src/projections/catalogue/catalogue.ts";
import { tagsProjection } from "../../../src/projections/catalogue/tags.ts";
import { verifyProjection } from "../../../src/projections/kernel/verify.ts";
import { type Account, type CallOptions, call, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

let service: TestService;
let ann: Account;
/** A member of another organisation. */
let eve: Account;

beforeAll(async () => {
  service = await startTestService({}, ["api", "projections"]);
  ann = await signUp(service.url);
  eve = await signUp(service.url);
});
afterAll(() => service?.stop());

const as =
  (who: () => Account) =>
  (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
    call(service.url, method, `/api/v1${path}`, { bearer: who().accessToken, body, ...options });
const asAnn = as(() => ann);
const asEve = as(() => eve);
const countTests = async () => (await asAnn("GET", "/tests?limit=100")).body.items.length;

const items = [
  { name: "Words", text: "Go to /login\nFrobnicate" },
  { name: "Unknown action", steps: [{ action: "clik" }] },
  { name: "Steps", steps: [{ action: "navigate", value: "/login" }] },
  { name: "Nothing understood", text: "Frobnicate" },
  { nmae: "x" },
];
const content = JSON.stringify(items);

describe("import", () => {
  it("reports a result per test in a dry run and in an import with invalid tests", async () => {
    const before = await countTests();
    const tried = await asAnn("POST", "/tests/import?dry_run=true", { content });
    expect(tried.body).toMatchObject({ dry_run: true, created: 0, refused: 3 });
    expect(await countTests()).toBe(before);

    const project = (await asAnn("POST", "/projects", { name: "Imported" })).body;
    const folder = (await asAnn("POST", "/folders", { name: "In", project_id: project.id })).body;
    const taken = await asAnn("POST", "/tests/import", { content, folder_id: folder.id });
    expect(taken.status).toBe(200);
    expect(taken.body).toMatchObject({ dry_run: false, created: 2, refused: 3 });
    expect(taken.body.items).toEqual([
      expect.objectContaining({
        position: 1,
        name: "Words",
        status: "created",
        step_count: 1,
        warnings: [expect.objectContaining({ line: 2 })],
      }),
      expect.objectContaining({ status: "refused", detail: expect.stringMatching(/action/) }),
      expect.objectContaining({ position: 3, status: "created", step_count: 1, warnings: [] }),
      expect.objectContaining({ status: "refused", detail: expect.stringMatching(/understood/) }),
      expect.objectContaining({ name: null, status: "refused", test_id: null }),
    ]);
    const test = await asAnn("GET", `/tests/${taken.body.items[0].test_id}`);
    expect(test.body).toMatchObject({
      name: "Words",
      text: items[0]?.text,
      project_id: project.id,
      folder_id: folder.id,
    });
  });

  it("restores exported bundles, YAML, JSON and Gherkin without loss", async () => {
    const text = 'Go to /login\nType "no: 1e3 {{x}} \u2028 =cmd()" into Name';
    const made = (await asAnn("POST", "/tests", { name: "Round trip", text })).body;
    const columns = ["user", "constructor"];
    const rows = [
      { user: "ada ${x}\nno: 1e3 | <a>", constructor: "" },
      { user: "😀", constructor: "=cmd()" },
    ];
    await asAnn("PUT", `/tests/${made.id}/data`, {
      columns,
      rows: [{ user: rows[0]?.user }, rows[1]],
    });
    const bare = (test: { steps: { id: string }[] }) =>
      test.steps.map(({ id: _, ...rest }) => rest);
    for (const [path, words] of [
      ["export/svc", text],
      ["yaml", ""],
      ["json", text],
      ["export/gherkin", expect.any(String)],
    ]) {
      const exported = await asAnn("GET", `/tests/${made.id}/${path}`);
      const file = Buffer.isBuffer(exported.body)
        ? exported.body.toString("utf8")
        : JSON.stringify(exported.body);
      const taken = await asAnn("POST", "/tests/import", { content: file });
      expect(taken.body).toMatchObject({ created: 1, refused: 0 });
      const read = (await asAnn("GET", `/tests/${taken.body.items[0].test_id}`)).body;
      expect(read).toMatchObject({ name: "Round trip", text: words });
      expect(bare(read)).toEqual(bare(made));
      const data = await asAnn("GET", `/tests/${taken.body.items[0].test_id}/data`);
      expect(data.body).toMatchObject({ version: 1, columns, rows });
    }
  });

  it("creates nothing twice for a repeated Idempotency-Key", async () => {
    const headers = { "idempotency-key": newId() };
    const before = await countTests();
    const first = await asAnn("POST", "/tests/import", { content }, { headers });
    expect((await asAnn("POST", "/tests/import", { content }, { headers })).body).toEqual(
      first.body,
    );
    expect(await countTests()).toBe(before + 2);
  });

  it("refuses an unreadable file or an unknown project as a whole", async () => {
    const before = await countTests();
    for (const body of [
      { content: content.slice(0, -10) },
      { content: "name: &n Bomb\ntext: *n\n" },
      { content: "[".repeat(100_000) },
      { content: "" },
      {},
      { content, format: "nonsense" },
      { content, format: "bundle" },
      { content, project_id: newId() },
      { content, folder_id: newId() },
    ]) {
      const refused = await asAnn("POST", "/tests/import", body);
      expect([body, refused.status]).toEqual([body, 422]);
    }
    const theirs = (await asEve("POST", "/projects", { name: "Theirs" })).body;
    const foreign = await asAnn("POST", "/tests/import", { content, project_id: theirs.id });
    expect(foreign.status).toBe(403);
    expect(await countTests()).toBe(before);
  });

  it("detects the format of an uploaded file by its name", async () => {
    const form = (name: string, text: string, fields: Record<string, string> = {}) => {
      const body = new FormData();
      for (const [key, value] of Object.entries(fields)) body.append(key, value);
      body.append("file", new Blob([text]), name);
      return body;
    };
    const feature = '@smoke\nFeature: F\n  Scenario: S\n    Given I open "/"\n    When it rains\n';
    const taken = await asAnn("POST", "/tests/import", form("f.feature", feature));
    expect(taken.body).toMatchObject({
      created: 1,
      items: [{ name: "S", warnings: [{ line: 5 }] }],
    });
    const read = await asAnn("GET", `/tests/${taken.body.items[0].test_id}`);
    expect(read.body).toMatchObject({ tags: [{ name: "smoke" }] });
    expect(read.body.text).toContain("Given I open");
    const named = form("f.txt", feature, { format: "gherkin" });
    expect((await asAnn("POST", "/tests/import?dry_run=true", named)).body).toMatchObject({
      created: 0,
    });
    const wrong = await asAnn("POST", "/tests/import", form("a.side", "{}"));
    expect([wrong.status, wrong.body.detail]).toEqual([422, expect.stringMatching(/Selenium/)]);
    const zip = zipSync({
      "a.json": strToU8(JSON.stringify({ name: "A", text: "Go to /" })),
      "b.json": strToU8("["),
    });
    const body = new FormData();
    body.append("file", new Blob([Uint8Array.from(zip)]), "tests.zip");
    const both = await asAnn("POST", "/tests/import", body);
    expect(both.body).toMatchObject({ created: 1, refused: 1 });
  });

  it("takes a file as the body itself, by its media type", async () => {
    const project = (await asAnn("POST", "/projects", { name: "Raw" })).body;
    const yaml = "name: Raw\ntext: Go to /\n";
    const feature = 'Feature: F\n  Scenario: Raw feature\n    Given I open "/"\n';
    const zip = Uint8Array.from(zipSync({ "a.yaml": strToU8(yaml) }));
    const files: readonly [string, string | Blob][] = [
      ["application/yaml", yaml],
      ["text/x-gherkin", feature],
      ["application/zip", new Blob([zip])],
      ["application/json", JSON.stringify([{ name: "Raw", text: "Go to /" }])],
    ];
    for (const [type, body] of files) {
      const reply = await fetch(
        `${service.url}/api/v1/tests/import?dry_run=false&project_id=${project.id}`,
        {
          method: "POST",
          headers: { authorization: `Bearer ${ann.accessToken}`, "content-type": type },
          body,
        },
      );
      expect([type, reply.status, await reply.json()]).toMatchObject([type, 200, { created: 1 }]);
    }
    const listed = await asAnn("GET", `/tests?project_id=${project.id}`);
    expect(listed.body.items).toHaveLength(4);
  });

  it("reports the progress of a large import page by page", async () => {
    const many = Array.from({ length: 130 }, (_, n) =>
      n === 7 ? { name: "Bad" } : { name: `Many ${n}`, text: "Go to /" },
    );
    const headers = { "idempotency-key": newId() };
    const asked = await asAnn(
      "POST",
      "/tests/import",
      { content: JSON.stringify(many) },
      { headers },
    );
    expect(asked.status).toBe(202);
    const again = await asAnn(
      "POST",
      "/tests/import",
      { content: JSON.stringify(many) },
      { headers },
    );
    expect(again.body).toEqual(asked.body);
    const address = asked.headers.get("location")?.replace("/api/v1", "") ?? "";
    await expect.poll(async () => (await asAnn("GET", address)).body.status).toBe("finished");
    const first = (await asAnn("GET", `${address}?limit=100`)).body;
    expect(first).toMatchObject({
      total: 130,
      done: 130,
      created: 129,
      refused: 1,
      next_cursor: 100,
    });
    const rest = (await asAnn("GET", `${address}?limit=100&cursor=100`)).body;
    expect(rest).toMatchObject({ next_cursor: null });
    const positions = [...first.items, ...rest.items].map(
      ({ position }: { position: number }) => position,
    );
    expect(positions).toEqual(many.map((_, index) => index + 1));
    expect((await asAnn("GET", "/tests?q=many&limit=1")).body.items).toHaveLength(1);
    expect((await asEve("GET", address)).status).toBe(403);
    expect((await asAnn("GET", `/tests/imports/${newId()}`)).status).toBe(404);
    const dry = await asAnn("POST", "/tests/import?dry_run=true", {
      content: JSON.stringify(many),
    });
    const dryAddress = `/tests/imports/${dry.body.import_id}`;
    await expect.poll(async () => (await asAnn("GET", dryAddress)).body.status).toBe("finished");
    expect((await asAnn("GET", dryAddress)).body).toMatchObject({
      dry_run: true,
      created: 0,
      done: 130,
    });
  });
});

describe("search for a frequent word", () => {
  it("finds the newest tests among more than are ranked, and rows match the log", async () => {
    const many = Array.from({ length: 510 }, (_, n) => ({
      name: `Ubiquitous ${n}`,
      text: "Go to /",
      tags: [`bulk ${n % 3}`],
    }));
    const asked = await asEve("POST", "/tests/import", { content: JSON.stringify(many) });
    const address = `/tests/imports/${asked.body.import_id}`;
    await expect
      .poll(async () => (await asEve("GET", address)).body.status, { timeout: 60_000 })
      .toBe("finished");
    const seen = new Set<string>();
    for (let cursor = ""; ; ) {
      const { body } = await asEve("GET", `/tests?q=ubiquitous&limit=100${cursor}`);
      for (const { id } of body.items) seen.add(id);
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(seen.size).toBe(500);
    for (const q of ["ubiquitous%20509", "ubiqiutous%20509", "iquitous%20509"]) {
      const { body } = await asEve("GET", `/tests?q=${q}&limit=1`);
      expect(body.items[0]).toMatchObject({ name: "Ubiquitous 509", tags: [{ name: "bulk 2" }] });
    }
    // The index has no pending list that each search would scan.
    const { rows } = await service.platform.database.pool.query(
      "select relname, reloptions from pg_class where relname in ('tests_by_words', 'test_words_like') order by 1",
    );
    expect(rows).toEqual(
      ["test_words_like", "tests_by_words"].map((relname) => ({
        ...{ relname, reloptions: ["fastupdate=off"] },
      })),
    );

    const { log, database } = service.platform;
    for (const projection of [catalogueProjection, tagsProjection]) {
      const over = new AbortController().signal;
      const verified = await verifyProjection({ log, db: database.patient }, projection, over);
      expect(verified).toMatchObject({ outcome: "equal", refused: 0, first: null });
    }
  }, 120_000);
});

describe("tags of a test", () => {
  it("are replaced by the given names, creating missing ones", async () => {
    const made = await asAnn("POST", "/tests", {
      name: "T",
      text: "Go to /",
      tags: ["Fast", "new"],
    });
    expect(made.body.tags.map(({ name }: { name: string }) => name)).toEqual(["Fast", "new"]);
    const kept = made.body.tags[0].id;
    const changed = await asAnn("PUT", `/tests/${made.body.id}`, {
      tags: ["fast", "other", "FAST"],
    });
    expect(changed.body.tags).toEqual([
      { id: kept, name: "Fast" },
      { id: expect.any(String), name: "other" },
    ]);
    expect((await asAnn("GET", `/tests/${made.body.id}`)).body.tags).toEqual(changed.body.tags);
    const none = await asAnn("PUT", `/tests/${made.body.id}`, { tags: [] });
    expect(none.body.tags).toEqual([]);
    const tooMany = Array.from({ length: 51 }, (_, n) => `t${n}`);
    expect(
      (await asAnn("POST", "/tests", { name: "T", text: "Go to /", tags: tooMany })).status,
    ).toBe(422);
  });
});
