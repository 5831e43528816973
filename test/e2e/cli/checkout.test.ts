import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SaxesParser } from "saxes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { runledgerHere } from "./kit.ts";

/** Test files of a Git checkout: pushed by project and path, and run as they are. */
describe("test files of a checkout", () => {
  let service: TestService;
  let site: DemoSite;
  let account: Account;
  let key: string;
  let folder: string;
  beforeAll(async () => {
    [service, site] = await Promise.all([startTestService(), serveDemoSite()]);
    account = await signUp(service.url);
    key = (await makeKey(service.url, account)).key;
    folder = await mkdtemp(join(tmpdir(), "runledger-checkout-"));
  });
  afterAll(async () => {
    await Promise.all([service.stop(), site.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const git = (cwd: string, ...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=ci", "-c", "user.email=ci@example.org", ...args], {
      cwd,
      encoding: "utf8",
    }).trim();
  /** A new repository, or a clone of one, with these files committed. */
  const repository = async (
    name: string,
    files: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const root = join(folder, name);
    await mkdir(root);
    git(root, "init", "--quiet");
    await commit(root, files);
    return root;
  };
  const commit = async (root: string, files: Readonly<Record<string, string>>): Promise<string> => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(root, path, ".."), { recursive: true });
      await writeFile(join(root, path), content);
    }
    git(root, "add", "--all");
    git(root, "commit", "--quiet", "--message", "tests");
    return git(root, "rev-parse", "HEAD");
  };
  const clone = (root: string, name: string): string => {
    git(folder, "clone", "--quiet", root, name);
    return join(folder, name);
  };
  const inside = (cwd: string, ...args: string[]) =>
    runledgerHere(args, { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: key }, cwd);
  const run = (cwd: string, ...args: string[]) =>
    inside(cwd, "cloud-run", ...args, "--base-url", site.url, "--junit", "junit.xml", "--json");
  const api = async (path: string) => {
    const { body } = await call(service.url, "GET", `/api/v1${path}`, { bearer: key });
    return body;
  };
  const storedNames = async (): Promise<string[]> =>
    (await api("/tests?limit=100")).items.map((test: { name: string }) => test.name).sort();

  const usedUnits = async (): Promise<number> => (await api("/usage")).used;

  const todo = (text: string, name = "Todo"): string =>
    `name: ${name}\ntext: |\n  Go to /todo\n  I should see "${text}"\n`;

  it("runs an edited file with its own content and keeps the stored test", async () => {
    const root = await repository("edited", { "tests/todo.yaml": todo("todos") });
    const pushed = await inside(root, "tests", "push", "tests");
    expect([pushed.stderr, pushed.code]).toEqual(["", 0]);
    git(root, "checkout", "--quiet", "--", ".");

    const edited = await commit(root, { "tests/todo.yaml": todo("No such text") });
    const failed = await run(root, "tests/todo.yaml");
    expect([failed.stderr, failed.code]).toEqual(["", 1]);
    const [queued] = failed.records;
    const summary = "1 step added, 1 removed";
    expect(queued.executions).toMatchObject([
      { source: "tests/todo.yaml", content: { commit: edited, stored_version: 1, summary } },
    ]);
    const junit = await readFile(join(root, "junit.xml"), "utf8");
    expect(classNamesOf(junit)).toEqual(["tests/todo.yaml"]);
    expect(junit).toContain(
      `content of commit ${edited.slice(0, 8)}, differs from stored version 1 (${summary})`,
    );
    const [{ id, test_id }] = queued.executions;
    const execution = await api(`/executions/${id}`);
    expect(execution.difference.map(({ kind }: { kind: string }) => kind)).toEqual([
      "removed",
      "added",
    ]);
    expect(execution.browsers[0].steps[1]).toMatchObject({
      target: expect.stringContaining("No such text"),
    });
    expect(await api(`/tests/${test_id}`)).toMatchObject({
      version: 1,
      text: expect.stringContaining("todos"),
    });

    // Uncommitted changes have no commit; unchanged content runs the stored version.
    await writeFile(join(root, "tests/todo.yaml"), todo("What needs to be done?"));
    const [local] = (await run(root, "tests/todo.yaml")).records;
    expect(local.executions[0].content).toMatchObject({ commit: null, stored_version: 1 });
    await writeFile(join(root, "tests/todo.yaml"), todo("todos"));
    const same = await run(root, "tests/todo.yaml");
    expect([same.code, same.records[0].executions[0].content]).toEqual([0, null]);
  });

  it("runs files that the service does not store, with calls between them, and counts them", async () => {
    const root = await repository("unstored", {
      "tests/open.yaml": "name: Open the list\ntext: Go to /todo\n",
      "tests/use.yaml":
        'name: Use the list\ntext: |\n  Run the test "Open the list"\n  I should see "todos"\n',
    });
    const before = await storedNames();
    const used = await usedUnits();
    const ended = await run(root, "tests");
    expect([ended.stderr, ended.code]).toEqual(["", 0]);
    expect(ended.records[0].executions.map(({ content }: { content: object }) => content)).toEqual([
      expect.objectContaining({ stored_version: null }),
      expect.objectContaining({ stored_version: null }),
    ]);
    expect(await storedNames()).toEqual(before);
    expect(await usedUnits()).toBe(used + 2);
  });

  it("names every sentence that is not understood, and writes it to the JUnit report", async () => {
    const broken = "# a comment\nname: Broken\ntext: |\n  Go to /todo\n  Frobnicate the widget\n";
    const root = await repository("broken", { "a.yaml": todo("todos"), "b.yaml": broken });
    const ended = await run(root, "a.yaml", "b.yaml", "missing.yaml");
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^b\.yaml:5: could not understand "Frobnicate the widget"\./m);
    const junit = await readFile(join(root, "junit.xml"), "utf8");
    expect(classNamesOf(junit).sort()).toEqual(["a.yaml", "b.yaml", "missing.yaml"]);
    expect(junit).toContain("b.yaml:5: could not understand");
    const push = await inside(root, "tests", "push", "b.yaml");
    expect([push.code, push.stderr]).toEqual([2, expect.stringContaining("b.yaml:5: could not")]);
    // The service says the same of what older clients send.
    const sent = { source: "b.yaml", name: "Broken", text: "Go to /todo\nFrobnicate the widget" };
    const refused = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
      bearer: key,
      body: { files: [sent] },
    });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/^b\.yaml:2: could not understand "Frobnicate/) },
    });
  });

  it("writes a JUnit report if nothing could be queued", async () => {
    const root = await repository("unqueued", { "a.yaml": todo("todos") });
    const nowhere = { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: "" };
    const args = ["cloud-run", "a.yaml", "--junit", "junit.xml"];
    expect((await runledgerHere(args, nowhere, root)).code).toBe(2);
    const junit = await readFile(join(root, "junit.xml"), "utf8");
    expect(classNamesOf(junit)).toEqual(["a.yaml"]);
    expect(junit).toContain("RUNLEDGER_API_KEY is not set");
  });

  it("pushes idempotently from any checkout, finds renames and keeps text", async () => {
    const text = '  Go to /todo\n\n  # the title\n  I should see "todos"  \n';
    const root = await repository("origin", { "e2e/list.yaml": `name: List\ntext: |\n${text}` });
    const first = await inside(root, "tests", "push", "e2e", "--json");
    expect([first.stderr, first.code]).toEqual(["", 0]);
    const { id } = first.records.find(({ type }) => type === "pushed");
    const other = clone(root, "other");
    const again = await inside(join(other, "e2e"), "tests", "push", ".");
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("Nothing to push.")]);
    expect(await api(`/tests/${id}`)).toMatchObject({
      text: text.replaceAll(/^ {2}/gm, ""),
      source: "e2e/list.yaml",
      version: 1,
    });

    // A change from a fresh checkout replaces the test; a change on the service is not overwritten.
    const changed = `name: List\ntext: |\n${text.replace("todos", "todo list")}`;
    await writeFile(join(other, "e2e/list.yaml"), changed);
    expect((await inside(other, "tests", "push", "e2e")).code).toBe(0);
    git(other, "checkout", "--quiet", "--", ".");
    await call(service.url, "PUT", `/api/v1/tests/${id}`, {
      bearer: account.accessToken,
      body: { text: "Go to /todo" },
    });
    const refused = await inside(other, "tests", "push", "e2e");
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringContaining("changed on the service"),
    ]);
    expect((await inside(other, "tests", "push", "e2e", "--force")).code).toBe(0);

    const pulled = await inside(other, "tests", "pull", id, "--folder", "pulled");
    expect(pulled.code).toBe(0);
    expect(await readFile(join(other, "pulled/list.yaml"), "utf8")).toContain(`text: |\n${text}`);
    await rm(join(other, "pulled"), { recursive: true });

    git(other, "checkout", "--quiet", "--", ".");
    await rename(join(other, "e2e/list.yaml"), join(other, "e2e/titles.yaml"));
    const renamed = await inside(other, "tests", "push", "e2e");
    expect([renamed.code, renamed.stdout]).toEqual([
      0,
      expect.stringContaining("renamed from e2e/list.yaml"),
    ]);
    expect(await api(`/tests/${id}`)).toMatchObject({ source: "e2e/titles.yaml" });

    // Two tests of one path cannot be, also for clients that do not ask first.
    const twice = await call(service.url, "POST", "/api/v1/cli/tests", {
      bearer: key,
      body: { name: "Twice", text: "Go to /todo", source: "E2E/Titles.yaml" },
    });
    expect(twice).toMatchObject({ status: 409, body: { detail: expect.stringContaining(id) } });
  });
});

/** The `classname` of each case. */
const classNamesOf = (junit: string): string[] => {
  const names: string[] = [];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    if (name === "testcase") names.push(String(attributes.classname));
  });
  parser.write(junit).close();
  return names;
};
