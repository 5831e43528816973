import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../../src/platform/logger.ts";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { allEvents, allTables, foundIn } from "../../support/secrets.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const PASSWORD = "hush-hush-4711-never-told";

/** A page that shows the typed text and the content of the chosen file. */
const PAGE = `<!doctype html><html lang="en"><title>Shop</title><body>
  <label>User <input name="user"></label> <label>Password <input name="password"></label>
  <button onclick="said.textContent = 'Hello ' + byName('user') + ' ' + byName('password').length; echo.textContent = byName('password')">Sign in</button>
  <label>Prices <input type="file" onchange="this.files[0].text().then((text) => { read.textContent = this.files[0].name + ': ' + text })"></label>
  <p id="said"></p><p id="echo"></p><p id="read"></p>
  <script>function byName(name) { return document.getElementsByName(name)[0].value }</script></body></html>`;

describe("environments, secrets, files, data rows and called tests in a browser", () => {
  let service: TestService;
  let site: { readonly url: string; close(): void };
  let account: Account;
  let key: string;
  const lines: string[] = [];
  const answers: string[] = [];

  beforeAll(async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    site = {
      url: `http://127.0.0.1:${port}`,
      close: () => {
        server.close();
        server.closeAllConnections();
      },
    };
    const destination = { write: (line: string) => lines.push(line) };
    service = await startTestService({}, undefined, createLogger({ level: "trace", destination }));
    account = await signUp(service.url);
    key = (await makeKey(service.url, account)).key;
  });
  afterAll(async () => {
    await service?.stop();
    site?.close();
  });

  const ask = async (method: string, path: string, body?: unknown, bearer = key) => {
    const reply = await call(service.url, method, `/api/v1${path}`, { bearer, body });
    answers.push(JSON.stringify(reply.body));
    return reply;
  };
  const made = async (path: string, body: unknown, bearer = key): Promise<string> => {
    const reply = await ask("POST", path, body, bearer);
    expect([reply.status, reply.body]).toEqual([201, expect.anything()]);
    return reply.body.id;
  };
  const ended = async (runId: string) =>
    eventually(
      async () => (await ask("GET", `/cli/cloud-runs/${runId}?wait=5`)).body,
      ({ finished_at }) => finished_at !== null,
      60_000,
    );
  const step = (action: string, target = "", value = "", more = {}) => ({
    action,
    target,
    value,
    ...more,
  });

  it("run each data row as an execution with the called steps in place and no visible secret", async () => {
    const owner = account.accessToken;
    const project = await made("/projects", { name: "Shop" });
    const environments = `/projects/${project}/environments`;
    const staging = await made(
      environments,
      { name: "Staging", base_url: site.url, variables: { user: "nobody", greeting: "Hello" } },
      owner,
    );
    const secret = await ask(
      "PUT",
      `${environments}/${staging}/secrets/password`,
      { value: PASSWORD },
      owner,
    );
    expect(secret.body).toMatchObject({ secrets: [{ name: "password" }], version: 2 });
    const form = new FormData();
    form.set("file", new Blob(["a,b"], { type: "text/csv" }), "prices.csv");
    await made(`/projects/${project}/files`, form);
    const kept = await ask("GET", `/projects/${project}/files/prices.csv`);
    expect(kept.body.toString()).toBe("a,b");

    const login = await made("/tests", {
      name: "Log in",
      project_id: project,
      steps: [
        step("navigate", "", "/"),
        step("fill", "User", "${user}"),
        step("fill", "Password", "${secret.password}"),
        step("click", "Sign in"),
      ],
    });
    const buy = await made("/tests", {
      name: "Buy",
      project_id: project,
      steps: [
        step("call_test", "log in"),
        step("assert_text", "css=#said", `\${greeting} \${user} ${PASSWORD.length}`),
        step("upload", "Prices", "prices.csv"),
        step("assert_text", "css=#read", "prices.csv: a,b"),
        // The page shows it, and says so: the error must not.
        step("assert_text", "css=#echo", "something else", { optional: true }),
      ],
    });
    await ask("PUT", `/tests/${buy}/data`, {
      columns: ["user"],
      rows: [{ user: "ada" }, { user: "bob" }],
    });
    const queued = await ask("POST", "/cli/cloud-runs", {
      test_ids: [buy],
      environment: "staging",
      variables: { greeting: "Hello" },
    });
    expect(queued.status).toBe(202);
    // Later changes do not affect this run.
    await ask("PUT", `/tests/${login}/steps`, { steps: [step("click", "Nothing")] });
    const run = await ended(queued.body.run_ids[0]);
    expect(run).toMatchObject({
      status: "passed",
      tests: [
        { test_id: buy, row: 1, status: "passed", steps_done: 8, steps_total: 8 },
        { test_id: buy, row: 2, status: "passed", steps_done: 8, steps_total: 8 },
      ],
    });
    const [first, second] = await Promise.all(
      queued.body.executions.map(
        async ({ id }: { id: string }) => (await ask("GET", `/executions/${id}`)).body,
      ),
    );
    expect([first.row, second.row]).toEqual([
      { number: 1, values: { user: "ada" } },
      { number: 2, values: { user: "bob" } },
    ]);
    expect(first).toMatchObject({ environment: "Staging", base_url: site.url });
    const { steps } = first.browsers[0];
    expect(steps.map(({ action }: { action: string }) => action)).toEqual(
      "navigate fill fill click assert_text upload assert_text assert_text".split(" "),
    );
    expect(steps[2].value).toBe("${secret.password}");
    expect(steps[7].error).toContain("[secret]");
    const python = await ask("GET", `/tests/${first.id}/export/python`);
    expect(python.body.toString()).toContain(".set_input_files(");
    expect(python.body.toString()).not.toContain("call_test");
    expect((await ask("GET", "/usage")).body).toMatchObject({ used: 2, reserved: 0 });

    const secrets = { password: PASSWORD };
    const told = [...(await allEvents(service)), ...lines, ...answers].join("\n");
    expect(foundIn(told, secrets)).toEqual([]);
    for (const { name, text } of await allTables(service)) {
      expect([name, foundIn(text, secrets)]).toEqual([name, []]);
    }
  }, 120_000);

  it("refuse a foreign or unrelated environment and cyclic calls before anything is queued", async () => {
    const project = await made("/projects", { name: "Bank" });
    const owner = account.accessToken;
    const environment = await made(`/projects/${project}/environments`, { name: "live" }, owner);
    const open = [step("navigate", "", "/")];
    const inBank = await made("/tests", { name: "A", project_id: project, steps: open });
    const homeless = await made("/tests", { name: "Nowhere", steps: open });
    const run = (body: object) => ask("POST", "/cli/cloud-runs", body);

    const unknown = await run({ test_ids: [inBank], environment: "nightly" });
    expect([unknown.status, unknown.body.detail]).toEqual([
      422,
      'environment: the project of the test "A" has no environment "nightly".',
    ]);
    expect((await run({ test_ids: [homeless], environment: "live" })).status).toBe(422);
    expect((await run({ test_ids: [homeless], environment })).status).toBe(202);
    const stranger = await signUp(service.url);
    const theirProject = await made("/projects", { name: "Theirs" }, stranger.accessToken);
    const theirs = await made(
      `/projects/${theirProject}/environments`,
      { name: "live" },
      stranger.accessToken,
    );
    expect((await run({ test_ids: [inBank], environment: theirs })).status).toBe(403);

    const b = await made("/tests", {
      name: "B",
      project_id: project,
      steps: [step("call_test", "A")],
    });
    const circle = await ask("PUT", `/tests/${inBank}/steps`, { steps: [step("call_test", "B")] });
    expect([circle.status, circle.body.detail]).toEqual([
      422,
      "A test cannot call itself: A → B → A.",
    ]);
    const itself = await ask("POST", "/tests", {
      name: "Self",
      steps: [step("call_test", "Self")],
    });
    expect(itself.body.detail).toContain("Self → Self");
    // By a name that comes to stand for another test the circle is closed behind the check's back.
    await ask("PUT", `/tests/${inBank}/steps`, { steps: [step("call_test", "C")] });
    await ask("PUT", `/tests/${b}`, { name: "C" });
    await ask("PUT", `/tests/${b}/steps`, { steps: [step("click", "x")] });
    const missing = await made("/tests", { name: "D", steps: [step("call_test", "Nobody")] });
    const refused = await run({ test_ids: [missing] });
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      'The test "D" calls "Nobody", but its organisation has no test of that name or id.',
    ]);
  });

  it("accept files in each client's upload format, replace equal names and explain refusals", async () => {
    const project = await made("/projects", { name: "Files" });
    const files = `/projects/${project}/files`;
    const send = (name: string, bytes: Uint8Array | string, more: Record<string, string> = {}) => {
      const form = new FormData();
      for (const [field, value] of Object.entries(more)) form.set(field, value);
      form.set("file", new Blob([bytes as never]), name);
      return ask("POST", files, form);
    };
    expect((await send("Preise März.csv", "1")).body).toMatchObject({
      name: "Preise März.csv",
      size: 1,
    });
    expect((await send("other.csv", "22", { name: "Preise März.csv" })).body).toMatchObject({
      size: 2,
    });
    const { items } = (await ask("GET", files)).body;
    expect(items.map(({ name, size }: { name: string; size: number }) => [name, size])).toEqual([
      ["Preise März.csv", 2],
    ]);
    const path = `${files}/${encodeURIComponent("Preise März.csv")}`;
    const got = await ask("GET", path);
    expect([got.body.toString(), got.headers.get("content-type")]).toEqual([
      "22",
      "application/octet-stream",
    ]);
    expect(got.headers.get("content-disposition")).toBe(
      "attachment; filename=\"Preise M_rz.csv\"; filename*=UTF-8''Preise%20M%C3%A4rz.csv",
    );

    const refused = async (reply: Promise<{ status: number; body: { detail: string } }>) => {
      const { status, body } = await reply;
      return [status, body.detail];
    };
    expect(await refused(send("a.bin", Buffer.alloc(20 * 1024 * 1024 + 1)))).toEqual([
      413,
      "The file is larger than 20 MiB.",
    ]);
    expect((await send("all.bin", Buffer.alloc(20 * 1024 * 1024))).status).toBe(201);
    expect(await refused(send("a.bin", "1", { name: "../a" }))).toEqual([
      422,
      "name: The name of a file, without folders or slashes.",
    ]);
    expect(await refused(send("a.bin", "1", { folder: "x" }))).toEqual([
      422,
      expect.stringContaining("folder"),
    ]);
    expect(await refused(ask("POST", files, { file: "x" }))).toEqual([
      415,
      "Send the file as multipart/form-data.",
    ]);
    const none = new FormData();
    none.set("name", "a.bin");
    expect(await refused(ask("POST", files, none))).toEqual([
      422,
      "file: is required and must be a file",
    ]);
    const two = new FormData();
    two.append("file", new Blob(["1"]), "a");
    two.append("file", new Blob(["2"]), "b");
    expect((await ask("POST", files, two)).status).toBe(422);
    const torn = await call(service.url, "POST", `/api/v1${files}`, {
      bearer: key,
      body: '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
      headers: { "content-type": "multipart/form-data; boundary=x" },
    });
    expect([torn.status, torn.body.detail]).toEqual([
      400,
      "The body is not valid multipart/form-data.",
    ]);
    const stranger = await signUp(service.url);
    for (const method of ["GET", "DELETE"]) {
      expect((await ask(method, path, undefined, stranger.accessToken)).status).toBe(403);
    }
    expect((await ask("DELETE", path)).status).toBe(204);
    expect((await ask("GET", path)).status).toBe(404);
    expect((await ask("DELETE", path)).status).toBe(404);
  }, 60_000);

  it("queue none of the data rows that exceed the quota", async () => {
    const other = await signUp(service.url);
    const bearer = other.accessToken;
    const test = await made("/tests", { name: "Rows", steps: [step("wait", "", "1 ms")] }, bearer);
    const rows = Array.from({ length: 51 }, (_, n) => ({ user: `user ${n}` }));
    const data = await ask("PUT", `/tests/${test}/data`, { columns: ["user"], rows }, bearer);
    expect(data.status).toBe(200);
    const refused = await ask("POST", "/runner/runs", { test_ids: [test] }, bearer);
    expect([refused.status, refused.headers.get("link")]).toEqual([
      429,
      expect.stringContaining("/usage/refusals/"),
    ]);
    expect((await ask("GET", "/usage", undefined, bearer)).body).toMatchObject({
      used: 0,
      reserved: 0,
    });
    expect((await ask("GET", "/runs", undefined, bearer)).body.items).toEqual([]);
  });
});
