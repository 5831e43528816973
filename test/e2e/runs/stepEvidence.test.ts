import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { executionDetail } from "../../../src/api/routes/runs/schemas.ts";
import { projections } from "../../../src/main/core/projections.ts";
import { verifyProjection } from "../../../src/projections/kernel/verify.ts";
import { type Pages, servePages } from "../../integration/executor/pages.ts";
import { call, eventually, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const SECRET = "correct-horse-battery";

/** A page whose shopping cart breaks: a link that is drawn as a button, and a text that stands there before. */
const SHOP = `<!doctype html><title>Shop</title>
<body style="margin:0"><p style="margin:0;position:absolute;left:100px;top:200px;width:120px">In stock</p>
<label>Code <input id="code"></label>
<a href="#" style="display:inline-block;padding:6px;background:#def" onclick="buy()">Buy</a>
<script>
const buy = () => {
  const code = document.getElementById("code").value;
  console.warn("only a warning");
  console.error("the cart is broken, code " + code);
  fetch("/cart?token=" + code);
  setTimeout(() => { throw new Error("no cart"); });
};
</script></body>`;

describe("the evidence of steps", () => {
  let service: TestService;
  let site: Pages;
  let key: string;
  let owner: { readonly accessToken: string; readonly organizationId: string };

  beforeAll(async () => {
    [service, site] = await Promise.all([startTestService(), servePages({ "/": SHOP })]);
    const account = await signUp(service.url);
    owner = account;
    key = (await makeKey(service.url, account)).key;
    const settings = { step_timeout_seconds: 4, traces: "always" };
    await asOwner("PUT", `/organizations/${owner.organizationId}`, { settings });
  });
  afterAll(async () => {
    await service?.stop();
    await site?.close();
  });

  const asOwner = (method: string, path: string, body: object) =>
    call(service.url, method, `/api/v1${path}`, { bearer: owner.accessToken, body });
  const ask = (method: string, path: string, body?: unknown) =>
    call(service.url, method, `/api/v1${path}`, { bearer: key, ...(body ? { body } : {}) });
  const get = async (path: string) => (await ask("GET", path)).body;

  const run = async (text: string, more: object = {}) => {
    const test = { name: "Shopping", text, ...more };
    const { id } = (await ask("POST", "/tests", test)).body;
    const body = { test_ids: [id], base_url: site.url, ...environment };
    const queued = (await ask("POST", "/cli/cloud-runs", body)).body;
    const ended = await eventually(
      () => get(`/cli/cloud-runs/${queued.run_ids[0]}?wait=5`),
      ({ finished_at }) => finished_at !== null,
      60_000,
    );
    const execution = executionDetail.parse(await get(`/executions/${queued.executions[0].id}`));
    return { ended, execution, steps: execution.browsers[0]?.steps ?? [] };
  };
  let environment: object = {};

  it("reaches the API and the report page, with secrets masked", { timeout: 120_000 }, async () => {
    const project = (await asOwner("POST", "/projects", { name: "Shop" })).body.id;
    const environments = `/projects/${project}/environments`;
    const { id } = (await asOwner("POST", environments, { name: "live" })).body;
    const kept = await asOwner("PUT", `${environments}/${id}/secrets/code`, { value: SECRET });
    expect(kept.status).toBe(200);
    environment = { environment: "live" };
    const text = [
      "Go to /",
      'Type "${secret.code}" into "Code"',
      'Click the "Buy" button',
      'I should see "In stock"',
      'I should see "Bought"',
    ].join("\n");
    const { ended, execution, steps } = await run(text, { project_id: project });
    expect(ended).toMatchObject({ status: "failed", verdict: "failed", tests: [{ gaps: [] }] });

    expect(steps[2]).toMatchObject({
      status: "passed",
      notes: [expect.stringContaining("drawn as a button")],
      evidence: null,
    });
    expect(steps[3]).toMatchObject({
      notes: [expect.stringContaining("was so before")],
      evidence: { viewport: { width: 1280, height: 720 } },
    });
    const { x, y, width } = steps[3]?.evidence ?? { x: 0, y: 0, width: 0 };
    expect([x, y]).toEqual([100, 200]);
    expect(width).toBeLessThanOrEqual(120);
    expect(steps[4]?.page_problems).toEqual({
      logged: ["the cart is broken, code [secret]"],
      exceptions: ["Error: no cart"],
      requests: [{ method: "GET", url: `${site.url}/cart`, status: 404, error: null }],
      more: 0,
    });
    expect(steps[3]?.page_problems).toBeNull();

    const path = `${service.url}/api/v1/reports/runs/${ended.id}/html`;
    const reply = await fetch(path, { headers: { authorization: `Bearer ${key}` } });
    const html = await reply.text();
    expect(html).toContain("was so before");
    expect(html).toContain('<span class="seen" style="left:7.813%;top:27.778%;');
    expect(html).toContain("<li>the cart is broken, code [secret]</li>");
    expect(html).toContain("<li>Error: no cart</li>");
    expect(html).toContain(`<li>GET ${site.url}/cart: 404</li>`);
    expect(html + JSON.stringify(execution)).not.toContain(SECRET);

    // A trace of the first attempt: the organisation wants one of all.
    const { items } = await get(`/executions/${execution.id}/artifacts`);
    expect(items.map(({ name }: { name: string }) => name)).toContain("trace.zip");
  });

  it("does not count disabled and optional steps as gaps", { timeout: 120_000 }, async () => {
    environment = {};
    const steps = [
      { action: "navigate", value: "/" },
      { action: "visual_check", value: "shop", optional: true },
      { action: "visual_check", value: "shop", disabled: true },
      { action: "click", target: '"Absent" button', optional: true },
      { action: "assert_url", value: "/*" },
    ];
    const { ended } = await run("", { text: undefined, steps });
    expect(ended).toMatchObject({ verdict: "passed", tests_with_gaps: 0, tests: [{ gaps: [] }] });
  });

  it("is the same in a rebuilt read model", async () => {
    const projection = projections.find(({ name }) => name === "executions");
    if (!projection) throw new Error("There is no such read model.");
    const { log, database } = service.platform;
    const over = new AbortController().signal;
    const found = await verifyProjection({ log, db: database.db }, projection, over);
    expect(found.outcome).toBe("equal");
  });
});
