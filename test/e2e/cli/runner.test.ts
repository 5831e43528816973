import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SaxesParser } from "saxes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { type Ended, runledger, runledgerHere } from "./kit.ts";

/** The commands that use a service: test files, cloud runs, links, diagnosis. */
describe("runledger with a service", () => {
  let service: TestService;
  let site: DemoSite;
  let key: string;
  let account: Account;
  let folder: string;
  beforeAll(async () => {
    [service, site] = await Promise.all([startTestService(), serveDemoSite()]);
    account = await signUp(service.url);
    key = (await makeKey(service.url, account)).key;
    folder = await mkdtemp(join(tmpdir(), "runledger-runner-"));
  });
  afterAll(async () => {
    await Promise.all([service.stop(), site.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const withKey = () => ({ RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: key });
  const client = (args: readonly string[], environment: Record<string, string> = {}) =>
    runledgerHere(args, { ...withKey(), ...environment });
  /** Once for each command. */
  const asProcess = (args: readonly string[], environment: Record<string, string> = {}) =>
    runledger(args, { ...withKey(), ...environment });

  const testFile = async (name: string, ...lines: string[]): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, lines.join("\n"));
    return path;
  };

  /** Creates a test over the API. */
  const createTest = async (
    name: string,
    ...steps: [action: string, target: string, value: string][]
  ) => {
    const created = await call(service.url, "POST", "/api/v1/cli/tests", {
      bearer: key,
      body: { name, steps: steps.map(([action, target, value]) => ({ action, target, value })) },
    });
    expect(created.status).toBe(201);
    return created.body as { id: string; version: number };
  };

  describe("tests as files", () => {
    it("pushes a file twice, shows the difference and records id and version", async () => {
      const path = await testFile(
        "shopping.yaml",
        "# what people do most",
        "name: Shopping",
        "text: |",
        "  Go to /todo",
        '  I should see "todos"',
      );
      const dry = await client(["tests", "push", path, "--dry-run"]);
      expect([dry.code, dry.stdout]).toEqual([
        0,
        expect.stringMatching(/a new test with 2 steps[\s\S]*Dry run/),
      ]);
      expect(await readFile(path, "utf8")).not.toContain("id:");

      const first = await asProcess(["tests", "push", path]);
      expect([first.stderr, first.code]).toEqual(["", 0]);
      const kept = await readFile(path, "utf8");
      expect(kept).toMatch(/^# what people do most\nname: Shopping\n/);
      const id = /^id: (\S+)$/m.exec(kept)?.[1] ?? "";
      expect(kept).toMatch(/^version: 1$/m);

      await writeFile(path, kept.replace('I should see "todos"', 'I should see "todo list"'));
      const second = await client(["tests", "push", path]);
      expect(second.stdout).toMatch(
        /- 2 .*"todos"\n\s+\+ 2 .*"todo list"[\s\S]*1 step added, 1 removed[\s\S]*version 2/,
      );
      expect(second.code).toBe(0);
      const again = await client(["tests", "push", path]);
      expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("Nothing to push.")]);

      const shown = await asProcess(["tests", "show", id]);
      expect(shown.stdout).toMatch(/Shopping {2}version 2/);
      const listed = await asProcess(["tests", "list", "--json", "--search", "Shopping"]);
      expect(listed.records).toMatchObject([{ type: "test", id, step_count: 2, version: 2 }]);
    });

    it("pushes and pulls data rows and shows their difference", async () => {
      const repository = await mkdtemp(join(folder, "rows-"));
      const path = join(repository, "rows.yaml");
      const lines = [
        "name: Rows",
        "text: Go to /todo",
        "data:",
        "  columns: [user]",
        "  rows:",
        "    - user: ada",
        "    - user: bob",
        "",
      ];
      await writeFile(path, lines.join("\n"));
      const first = await client(["tests", "push", path]);
      expect([first.stderr, first.code]).toEqual(["", 0]);
      expect(first.stdout).toMatch(/\+ row {2}.*ada[\s\S]*Rows of data: none → 2/);
      const kept = await readFile(path, "utf8");
      const id = /^id: (\S+)$/m.exec(kept)?.[1] ?? "";
      const rowsOf = async (): Promise<unknown> => {
        const read = await call(service.url, "GET", `/api/v1/tests/${id}/data`, { bearer: key });
        return read.body.rows;
      };
      expect(await rowsOf()).toEqual([{ user: "ada" }, { user: "bob" }]);
      expect((await client(["tests", "push", path])).stdout).toContain("Nothing to push.");

      await writeFile(path, kept.replace("bob", "eve"));
      const dry = await client(["tests", "push", path, "--dry-run"]);
      expect(dry.stdout).toMatch(/- row {2}.*bob[\s\S]*\+ row {2}.*eve/);
      expect(await rowsOf()).toEqual([{ user: "ada" }, { user: "bob" }]);
      const second = await client(["tests", "push", path]);
      expect([second.code, second.stdout]).toEqual([0, expect.stringContaining("version 3")]);
      expect(await rowsOf()).toEqual([{ user: "ada" }, { user: "eve" }]);

      const theirs = await call(service.url, "PUT", `/api/v1/tests/${id}/data`, {
        bearer: key,
        body: { columns: ["user"], rows: [{ user: "zoe" }] },
      });
      expect(theirs.status).toBe(200);
      const pulled = await client(["tests", "pull", id, "--folder", repository]);
      expect([pulled.code, pulled.stdout]).toEqual([0, expect.stringMatching(/\+ row {2}.*zoe/)]);
      expect(await readFile(path, "utf8")).toMatch(/user: zoe/);
    });

    it("refuses to push over changes on the service without --force", async () => {
      const { id } = await createTest(
        "Both sides",
        ["navigate", "", "/todo"],
        ["wait", "", "1 ms"],
      );
      const repository = await mkdtemp(join(folder, "both-"));
      expect((await asProcess(["tests", "pull", id, "--folder", repository])).code).toBe(0);
      expect(await readdir(repository)).toEqual(["both-sides.yaml"]);
      const path = join(repository, "both-sides.yaml");
      const pulled = await readFile(path, "utf8");

      const theirs = await call(service.url, "PUT", `/api/v1/cli/tests/${id}/steps`, {
        bearer: key,
        body: { steps: [{ action: "navigate", value: "/todo" }] },
      });
      expect(theirs.body.version).toBe(2);
      const behind = await client(["tests", "push", path]);
      expect([behind.code, behind.stdout]).toEqual([
        1,
        expect.stringMatching(/has version 2.* based on 1\. Pull first\./),
      ]);

      await writeFile(path, pulled.replace("1 ms", "2 ms"));
      const conflict = await client(["tests", "push", path]);
      expect([conflict.code, conflict.stdout]).toEqual([
        1,
        expect.stringContaining("Both were changed"),
      ]);
      const lost = await client(["tests", "pull", id, "--folder", repository]);
      expect([lost.code, lost.stdout]).toEqual([1, expect.stringContaining("unpushed changes")]);
      expect(await readFile(path, "utf8")).toContain("2 ms");

      const forced = await client(["tests", "push", path, "--force", "--yes"]);
      expect([forced.code, forced.stdout]).toEqual([0, expect.stringContaining("version 4")]);
    });

    it("refuses to push a test that was deleted on the service", async () => {
      const path = await testFile(
        "gone.yaml",
        "name: Gone",
        "id: 0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e",
        "steps: [{action: navigate, value: /}]",
      );
      const ended = await client(["tests", "push", path]);
      expect([ended.code, ended.stdout]).toEqual([
        1,
        expect.stringContaining("was deleted on the service"),
      ]);
    });
  });

  describe("cloud runs", () => {
    it("waits for passing tests, shows progress and exits with 0", async () => {
      const { id } = await createTest("Front page", ["navigate", "", "/"], ["wait", "", "1 ms"]);
      const report = join(folder, "report.xml");
      const args = ["cloud-run", id, "--base-url", site.url];
      const ended = await asProcess([...args, "--wait", "--junit", report, "--json"]);
      expect([ended.stderr, ended.code]).toEqual(["", 0]);
      expect(ended.records[0]).toMatchObject({ type: "queued", run_ids: [expect.any(String)] });
      expect(ended.records.at(-1)).toMatchObject({ type: "result", status: "passed" });
      const runId = ended.records[0].run_ids[0];
      expect(ended.records).toContainEqual({ type: "report", format: "junit", path: report });
      expect(ended.records).toContainEqual(
        expect.objectContaining({ type: "test", test_id: id, status: "passed", steps_done: 2 }),
      );
      const names: string[] = [];
      const parser = new SaxesParser();
      parser.on("opentag", ({ name }) => void names.push(name));
      parser.write(readFileSync(report, "utf8")).close();
      expect(names).toContain("testcase");
      // The HTTP API returns the same report, also to a request with only the cookie.
      const junit = `/api/v1/reports/runs/${runId}/junit`;
      for (const options of [{ bearer: key }, { cookie: account.cookie }]) {
        const { status, headers, body } = await call(service.url, "GET", junit, options);
        expect([status, headers.get("content-type")]).toEqual([
          200,
          "application/xml; charset=utf-8",
        ]);
        expect(body.toString()).toBe(readFileSync(report, "utf8"));
      }
      const run = await call(service.url, "GET", `/api/v1/runs/${runId}`, { bearer: key });
      expect(run.body.triggered_by).toBe("api:ci");

      const link = await asProcess(["open", runId], { RUNLEDGER_WEB_URL: "https://web.example/" });
      expect([link.code, link.stdout]).toEqual([
        0,
        `https://web.example/reports/tests/${id}?run=${runId}\n`,
      ]);
      const foreign = await client(["open", runId, "--test", runId]);
      expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringContaining("Front page")]);
    });

    it("shows the reason of a failed test and exits with 1", async () => {
      const path = await testFile(
        "fails.yaml",
        "name: Fails",
        "text: |",
        "  Go to /",
        '  I should see "no such words"',
      );
      const early = await client(["cloud-run", path]);
      // A file that was never pushed runs, too.
      expect([early.code, early.stderr]).toEqual([0, ""]);
      expect((await client(["tests", "push", path])).code).toBe(0);
      const ended = await client(["cloud-run", path, "--base-url", site.url, "--wait"]);
      expect(ended.stdout).toMatch(/✗ Fails[\s\S]*no such words[\s\S]*Failed: 1 failed/);
      expect(ended.code).toBe(1);
    });

    it("prints the link of the continuing run on SIGINT and time-out", async () => {
      const { id } = await createTest("Long", ["navigate", "", "/"], ["wait", "", "20 s"]);
      const args = ["cloud-run", id, "--base-url", site.url, "--wait"];
      const stopped = await runledger(args, withKey(), (said, kill) => {
        if (said.includes("Queued 1 test")) kill("SIGINT");
      });
      expect(stopped.stdout).toMatch(/The run continues:\n {2}http.*\/reports\/tests\/.*\?run=/);
      expect(stopped.code).toBe(130);
      const late = await client([...args, "--timeout", "1", "--json"]);
      expect(late.records.at(-1)).toMatchObject({ type: "detached" });
      expect(late.code).toBe(3);
    });

    it("queues nothing and exits with 4 if the quota is used up", async () => {
      const poor = await signUp(service.url);
      const { key: poorKey } = await makeKey(service.url, poor);
      const tests = await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const body = { name: `test ${n}`, steps: [{ action: "navigate", value: "/" }] };
          const made = await call(service.url, "POST", "/api/v1/cli/tests", {
            bearer: poorKey,
            body,
          });
          return made.body.id as string;
        }),
      );
      const ended = await client(["cloud-run", ...tests, "--wait"], { RUNLEDGER_API_KEY: poorKey });
      expect([ended.code, ended.stderr]).toEqual([4, expect.stringMatching(/quota/i)]);
    });
  });

  describe("diagnosis and errors", () => {
    const findings = (ended: Ended) => ended.records.map(({ name, ok }) => [name, ok]);

    it("passes all doctor checks without printing the key", async () => {
      const ended = await asProcess(["doctor", "--json"]);
      expect(findings(ended)).toEqual([
        ["machine", true],
        ["chromium", true],
        ["firefox", true],
        ["webkit", true],
        ["server", true],
        ["key", true],
      ]);
      expect(ended.code).toBe(0);
      expect(ended.stdout).not.toContain(key);
    });

    it("advises on a missing server, key or browser and on a revoked key", async () => {
      const other = createServer((_, response) => response.end("<html>hello</html>"));
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const former = await signUp(service.url);
      const made = await makeKey(service.url, former);
      await call(service.url, "DELETE", `/api/v1/api-keys/${made.id}`, {
        bearer: former.accessToken,
      });
      const cases: [string[], Record<string, string>, string, RegExp][] = [
        [["--server", "http://127.0.0.1:1"], {}, "server", /npm start/],
        [["--server", elsewhere], {}, "server", /Another program/],
        [[], { RUNLEDGER_API_KEY: "" }, "key", /api-keys/],
        [[], { RUNLEDGER_API_KEY: made.key }, "key", /RUNLEDGER_API_KEY/],
        [["--browser", "/nowhere/chromium"], {}, "chromium", /BROWSER_PATH_CHROMIUM/],
      ];
      await Promise.all(
        cases.map(async ([args, environment, name, advice]) => {
          const ended = await client(["doctor", "--json", ...args], environment);
          const bad = ended.records.filter(({ ok }) => !ok);
          expect(bad).toMatchObject([{ name, advice: expect.stringMatching(advice) }]);
          expect(ended.code).toBe(3);
        }),
      );
      other.close();
    });

    it("reports invalid commands in one line with the exit code", async () => {
      const cases: [string[], Record<string, string>, number, RegExp][] = [
        [["tests", "list"], { RUNLEDGER_API_KEY: "ak_live_nobodys" }, 2, /RUNLEDGER_API_KEY/],
        [["tests", "show", "nothing"], {}, 2, /tests list/],
        [["cloud-run"], {}, 2, /name the tests by test_ids/],
        [["cloud-run", "Sign in"], {}, 2, /"Sign in" is neither the id of a test .*tests list/],
        [["cloud-run", "sign-in.YAML"], {}, 2, /sign-in.YAML: no such file/],
        [["cloud-rum"], {}, 2, /Did you mean cloud-run\?/],
        [["tests", "list", "--server", "http://127.0.0.1:1"], {}, 3, /cannot be reached/],
        [["cloud-run", "--wiat"], {}, 2, /Did you mean --wait\?/],
        [["completion", "tcsh"], {}, 2, /bash, zsh, fish/],
      ];
      await Promise.all(
        cases.map(async ([args, environment, code, message]) => {
          const ended = await client(args, environment);
          const said = expect.stringMatching(message);
          expect([args, ended.code, ended.stderr]).toEqual([args, code, said]);
          expect(ended.stderr).not.toContain("    at ");
        }),
      );
    });
  });
});
