import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTestFile } from "../../../src/cli/catalogue/testFile.ts";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { runledger } from "./kit.ts";

/** A comment line of any text without line breaks, an empty one, or one of white space. */
const aside = fc.oneof(
  fc.constantFrom("", " ", "\t", "  \t ", "#", "# ---", "# : | > & * ! %", "# \"a\" 'b' \\"),
  fc
    .string({ unit: "grapheme", maxLength: 40 })
    .filter((text) => !/[\p{Cc}\p{Zl}\p{Zp}\u0085\ufeff]/u.test(text))
    .map((text) => `# ${text}`),
);

/** Plain English with an instruction among asides, with line breaks of one kind and any end. */
const texts = fc
  .record({
    before: fc.array(aside, { maxLength: 3 }),
    after: fc.array(aside, { maxLength: 3 }),
    lineBreak: fc.constantFrom("\n", "\r\n"),
    end: fc.constantFrom("", "\n", "\n\n", "  \n"),
  })
  .map(({ before, after, lineBreak, end }) =>
    [...before, "Go to https://shop.example", ...after].join(lineBreak).concat(end),
  );

describe("the edges of continuous integration", () => {
  let service: TestService;
  let account: Account;
  let key: string;
  let folder: string;
  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections"]);
    account = await signUp(service.url);
    key = (await makeKey(service.url, account)).key;
    folder = await mkdtemp(join(tmpdir(), "runledger-edges-"));
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (method: string, path: string, body?: unknown, bearer = account.accessToken) =>
    call(service.url, method, `/api/v1${path}`, { bearer, body });
  const inside = (cwd: string, ...args: string[]) =>
    runledger(args, { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: key }, undefined, cwd);
  const repository = async (name: string): Promise<string> => {
    const root = join(folder, name);
    await mkdir(root);
    execFileSync("git", ["init", "--quiet"], { cwd: root });
    return root;
  };
  const textOf = async (id: string): Promise<string> =>
    (await ask("GET", `/tests/${id}`)).body.text;
  const runFile = (source: string, more = {}) =>
    ask(
      "POST",
      "/cli/cloud-runs",
      { files: [{ source, name: "A", text: "Go to /", ...more }] },
      key,
    );

  it("keep the text of a test byte for byte through pull, push, bundle and import", async () => {
    const written = fc.sample(texts, { numRuns: 24, seed: 23 });
    const project = (await ask("POST", "/projects", { name: "Texts" })).body.id;
    const created: string[] = [];
    for (const [n, text] of written.entries()) {
      const draft = { name: `Text ${n}`, text, project_id: project };
      const { body } = await ask("POST", "/tests", draft);
      expect(body).toMatchObject({ text, warnings: [] });
      created.push(body.id);
    }
    const root = await repository("pulled");
    const pulled = await inside(root, "tests", "pull", "--folder", "e2e");
    expect([pulled.stderr, pulled.code]).toEqual(["", 0]);
    const files = await readdir(join(root, "e2e"));
    const inFiles = await Promise.all(files.map((file) => readTestFile(join(root, "e2e", file))));
    const byId = new Map(inFiles.map((file) => [file.id, file.text]));
    expect(created.map((id) => byId.get(id))).toEqual(written);

    // Another organisation knows none of the ids.
    const other = await signUp(service.url);
    const theirs = (await makeKey(service.url, other)).key;
    const copy = await repository("pushed");
    await mkdir(join(copy, "e2e"));
    for (const file of files) {
      const content = await readFile(join(root, "e2e", file), "utf8");
      const unlinked = content.replaceAll(/^(?:id|version|digest|project_id): .*\n/gm, "");
      await writeFile(join(copy, "e2e", file), unlinked);
    }
    for (const id of created) {
      const bundle = await ask("GET", `/tests/${id}/export/svc`);
      const content = JSON.stringify(bundle.body);
      const imported = await ask("POST", "/tests/import", { content }, theirs);
      const [item] = imported.body.items;
      const back = await ask("GET", `/cli/tests/${item.test_id}/specs`, undefined, theirs);
      expect(back.body.text).toBe(await textOf(id));
    }
    const environment = { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: theirs };
    const args = ["tests", "push", "e2e", "--json"];
    const pushed = await runledger(args, environment, undefined, copy);
    expect([pushed.stderr, pushed.code]).toEqual(["", 0]);
    const sent = pushed.records.filter(({ type }) => type === "pushed");
    const stored = await Promise.all(
      sent.map(({ id }) => ask("GET", `/cli/tests/${id}/specs`, undefined, theirs)),
    );
    expect(stored.map(({ body }) => body.text).sort()).toEqual([...written].sort());
  });

  it("create one test of a path from concurrent jobs, and store none for concurrent runs", async () => {
    const source = "e2e/new.yaml";
    const draft = { name: "New", text: "Go to /", source };
    const pushed = await Promise.all(
      Array.from({ length: 8 }, () => ask("POST", "/cli/tests", draft, key)),
    );
    const statuses = pushed.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
    const id = pushed.find(({ status }) => status === 201)?.body.id;
    for (const { status, body } of pushed) if (status === 409) expect(body.detail).toContain(id);

    const count = async () => (await ask("GET", "/tests?limit=100")).body.items.length;
    const before = await count();
    const runs = await Promise.all(Array.from({ length: 4 }, () => runFile("e2e/unseen.yaml")));
    expect(runs.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(runs.map(({ body }) => body.run_ids[0])).size).toBe(4);
    expect(await count()).toBe(before);
  });

  it.each([
    ["..", "../a.yaml"],
    [".. inside", "e2e/../a.yaml"],
    ["Windows separators", "e2e\\a.yaml"],
    ["a drive", "C:/a.yaml"],
    ["an absolute path", "/a.yaml"],
  ])("refuse a path with %s and say why", async (_, source) => {
    const refused = { status: 422, body: { detail: expect.stringMatching(/source: must/) } };
    expect(await runFile(source)).toMatchObject(refused);
    const draft = { name: "A", text: "Go to /", source };
    expect(await ask("POST", "/cli/tests", draft, key)).toMatchObject(refused);
  });

  it("refuse 2,000 files and two files of one path in other cases, and queue nothing", async () => {
    const used = async () => (await ask("GET", "/usage")).body;
    const before = await used();
    const file = (n: number, source = `e2e/${n}.yaml`) => ({ source, name: "A", text: "Go to /" });
    const many = Array.from({ length: 2_000 }, (_, n) => file(n));
    const tooMany = await ask("POST", "/cli/cloud-runs", { files: many }, key);
    expect(tooMany).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/files: must contain at most [\d,]+ files/) },
    });
    const twice = [file(1, "e2e/a.yaml"), file(2, "E2E/A.yaml")];
    const same = await ask("POST", "/cli/cloud-runs", { files: twice }, key);
    expect(same).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/A\.yaml/i) },
    });
    expect(await used()).toEqual(before);
  });
});
