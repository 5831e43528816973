import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { call, makeKey, signUp } from "../../support/client.ts";
import { isBuildFresh } from "../../support/program.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

/** The commands of the example pipelines, with the package for CI, in clones of a repository. */
describe("the example pipelines", () => {
  let service: TestService;
  let site: DemoSite;
  let key: string;
  let folder: string;
  let origin: string;
  let bin: string;
  beforeAll(async () => {
    [service, site] = await Promise.all([startTestService(), serveDemoSite()]);
    key = (await makeKey(service.url, await signUp(service.url))).key;
    folder = await mkdtemp(join(tmpdir(), "runledger-pipeline-"));
    bin = await installPackage(folder);
    origin = join(folder, "origin");
    await mkdir(join(origin, "tests"), { recursive: true });
    git(origin, "init", "--quiet", "--initial-branch", "main");
    await commit(origin, { "tests/todo.yaml": todo("todos") });
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
  const commit = async (root: string, files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [path, content] of Object.entries(files)) await writeFile(join(root, path), content);
    git(root, "add", "--all");
    git(root, "commit", "--quiet", "--message", "tests");
  };
  const todo = (text: string): string =>
    `name: Todo\ntext: |\n  Go to /todo\n  I should see "${text}"\n`;

  let clones = 0;
  /** A clone of the repository on a branch with these files. */
  const cloneWith = async (files: Readonly<Record<string, string>>): Promise<string> => {
    clones += 1;
    const root = join(folder, `clone-${clones}`);
    git(folder, "clone", "--quiet", origin, root);
    if (Object.keys(files).length > 0) await commit(root, files);
    return root;
  };

  /** Runs commands as a job: until one fails. Returns its exit code and the JUnit report. */
  const runJob = async (cwd: string, commands: readonly string[], branch: string) => {
    let output = "";
    for (const command of commands) {
      const { status, stdout, stderr } = await shell(cwd, command, {
        PATH: `${bin}${delimiter}${process.env.PATH}`,
        RUNLEDGER_URL: service.url,
        RUNLEDGER_API_KEY: key,
        BASE_URL: site.url,
        CI: "true",
        CI_COMMIT_BRANCH: branch,
        CI_DEFAULT_BRANCH: "main",
      });
      output += stdout + stderr;
      if (status !== 0) return { status, output, junit: await junitOf(cwd) };
    }
    return { status: 0, output, junit: await junitOf(cwd) };
  };
  const junitOf = (cwd: string): Promise<string> =>
    readFile(join(cwd, "junit.xml"), "utf8").catch(() => "");
  const storedTests = async () => {
    const { body } = await call(service.url, "GET", "/api/v1/cli/tests", { bearer: key });
    return body.items.map(({ source, version }: { source: string; version: number }) => ({
      source,
      version,
    }));
  };

  it("needs less than 15 MB and no native code", async () => {
    const installed = join(bin, "..");
    const { stdout } = await promisify(execFile)("du", ["-sk", installed]);
    expect(Number.parseInt(stdout, 10)).toBeLessThan(15 * 1024);
    const native = await promisify(execFile)("find", [installed, "-name", "*.node"]);
    expect(native.stdout).toBe("");
    const { status, stderr } = await shell(folder, "runledger run x.txt", {
      PATH: `${bin}${delimiter}${process.env.PATH}`,
    });
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("npm install --save-dev runledger"),
    ]);
    const client =
      'import { runledgerClient } from "runledger-cli/client"; runledgerClient({ baseUrl: "http://x", apiKey: "k" });';
    await writeFile(join(folder, "client.mjs"), client);
    expect(spawnSync(process.execPath, [join(folder, "client.mjs")]).status).toBe(0);
  });

  it("GitHub: pushes main, and runs pull requests as they are", async () => {
    const onMain = await commandsOfWorkflow("refs/heads/main");
    const onPull = await commandsOfWorkflow("refs/pull/1/merge");
    expect(onMain.length).toBe(onPull.length + 1);

    const main = await runJob(await cloneWith({}), onMain, "main");
    expect([main.status, main.output]).toEqual([0, expect.stringContaining("Passed")]);
    expect(await storedTests()).toEqual([{ source: "tests/todo.yaml", version: 1 }]);
    // Again from another checkout.
    expect((await runJob(await cloneWith({}), onMain, "main")).status).toBe(0);

    const edited = await cloneWith({ "tests/todo.yaml": todo("No such text") });
    const failed = await runJob(edited, onPull, "edited");
    expect(failed.status).toBe(1);
    expect(failed.output).toMatch(/content of commit \w+, differs from stored version 1/);
    expect(failed.junit).toMatch(/classname="tests\/todo.yaml"[\s\S]*<failure/);

    const fresh = await cloneWith({ "tests/new.yaml": todo("todos").replace("Todo", "New") });
    const passed = await runJob(fresh, onPull, "fresh");
    expect([passed.status, passed.output]).toEqual([0, expect.stringContaining("2 passed")]);

    const broken = await cloneWith({ "tests/todo.yaml": `${todo("todos")}  Frobnicate it\n` });
    const refused = await runJob(broken, onPull, "broken");
    expect(refused.status).toBe(2);
    expect(refused.output).toContain('tests/todo.yaml:5: could not understand "Frobnicate it"');
    expect(refused.junit).toMatch(/classname="tests\/todo.yaml"[\s\S]*<error/);
    expect(await storedTests()).toEqual([{ source: "tests/todo.yaml", version: 1 }]);
  });

  it("GitLab: pushes the default branch and runs merge requests as they are", async () => {
    const text = await readFile(join(ROOT, "docs/ci/gitlab-ci.yml"), "utf8");
    const { script } = parse(text)["browser-tests"] as { script: string[] };
    const edited = await cloneWith({ "tests/todo.yaml": todo("No such text") });
    expect((await runJob(edited, script, "edited")).status).toBe(1);
    const main = await runJob(await cloneWith({}), script, "main");
    expect([main.status, main.output]).toEqual([0, expect.stringContaining("Passed")]);
  });
});

/** The `run:` lines of the workflow on a ref, without the installation. */
const commandsOfWorkflow = async (ref: string): Promise<readonly string[]> => {
  const text = await readFile(join(ROOT, "docs/ci/github-workflow.yml"), "utf8");
  const { jobs } = parse(text) as {
    jobs: { "browser-tests": { steps: { run?: string; if?: string }[] } };
  };
  return jobs["browser-tests"].steps
    .filter((step) => step.if === undefined || step.if === `github.ref == '${ref}'`)
    .flatMap(({ run }) => (run === undefined || run.startsWith("npm install") ? [] : [run]));
};

const shell = async (
  cwd: string,
  command: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }> => {
  try {
    const options = { cwd, env: { ...process.env, NO_COLOR: "1", ...environment } };
    const done = await promisify(execFile)("sh", ["-ec", command], options);
    return { status: 0, ...done };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, stdout, stderr };
  }
};

/** Builds, packs and installs the package for CI. Returns the folder of its command. */
const installPackage = async (folder: string): Promise<string> => {
  const run = (command: string, args: readonly string[], cwd: string) =>
    promisify(execFile)(command, args, { cwd });
  if (!isBuildFresh) await run("npx", ["tsc", "-p", "tsconfig.build.json"], ROOT);
  await run("npm", ["run", "--silent", "build:client"], ROOT);
  const packing = join(ROOT, "dist/package-client");
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder], packing);
  await writeFile(join(folder, "package.json"), "{}");
  const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel", "error"];
  await run("npm", ["install", ...flags, join(folder, stdout.trim())], folder);
  return join(folder, "node_modules/.bin");
};
