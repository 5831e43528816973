import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projections } from "../../../src/main/core/projections.ts";
import { verifyProjection } from "../../../src/projections/kernel/verify.ts";
import { type Pages, servePages } from "../../integration/executor/pages.ts";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const page = (id: string, word = "Save") => `<!doctype html><title>Notes</title><h1>Notes</h1>
<label>Title <input id="title" value="a secret draft"></label>
<button id="${id}" onclick="document.getElementById('said').textContent = 'kept'">${word}</button>
<button id="cancel">Cancel</button><p id="said"></p>`;

describe("healing of elements", () => {
  let service: TestService;
  let site: Pages;
  let account: Account;
  let key: string;
  let testId: string;
  const pages: Record<string, string> = { "/": page("save") };
  const steps = [
    { action: "navigate", value: "/" },
    { action: "fill", target: "#title", value: "Groceries" },
    { action: "click", target: "#save" },
    { action: "assert_text", target: "#said", value: "kept" },
  ];

  beforeAll(async () => {
    [service, site] = await Promise.all([startTestService(), servePages(pages)]);
    account = await signUp(service.url);
    key = (await makeKey(service.url, account)).key;
    await settings({ step_timeout_seconds: 3 });
    testId = (await ask("POST", "/tests", { name: "keeps a note", steps })).body.id;
  });
  afterAll(async () => {
    await service.stop();
    await site.close();
  });

  const settings = (changed: object) =>
    call(service.url, "PUT", `/api/v1/organizations/${account.organizationId}`, {
      bearer: account.accessToken,
      body: { settings: changed },
    });
  const ask = (method: string, path: string, body?: unknown) =>
    call(service.url, method, `/api/v1${path}`, { bearer: key, ...(body ? { body } : {}) });
  const get = async (path: string) => (await ask("GET", path)).body;
  const healings = async () => (await get(`/tests/${testId}/healings`)).items;

  const run = async (id = testId) => {
    const queued = await ask("POST", "/cli/cloud-runs", { test_ids: [id], base_url: site.url });
    const runId: string = queued.body.run_ids[0];
    const ended = await eventually(
      () => get(`/cli/cloud-runs/${runId}?wait=5`),
      ({ finished_at }) => finished_at !== null,
      60_000,
    );
    const { browsers } = await get(`/executions/${queued.body.executions[0].id}`);
    return { runId, ended, steps: browsers[0].steps };
  };
  /** The fingerprint of a step is stored beside the run. */
  const known = () =>
    eventually(
      () => service.core.fingerprints.ofTest(testId),
      (all) => all.size === 2,
    );

  it("continues a run with a changed id, reports it and waits for a decision", {
    timeout: 120_000,
  }, async () => {
    expect((await run()).ended.status).toBe("passed");
    const all = JSON.stringify([...(await known())]);
    expect(all).toContain('"save"');
    // Never the value of a field, before or after.
    expect(all).not.toContain("secret draft");
    expect(all).not.toContain("Groceries");
    expect(await healings()).toEqual([]);

    pages["/"] = page("btn-save-7f3a");
    const healed = await run();
    expect([healed.ended.status, healed.ended.tests[0].error]).toEqual(["passed", null]);
    expect(healed.steps[2].locator).toContain('"Save" button (healed: #save');
    // Never a plain pass.
    const step = { browser: "chromium", step: 3, target: "#save", healed_target: '"Save" button' };
    expect(healed.ended).toMatchObject({
      ...{ verdict: "healed", tests_healed: 1, tests_with_gaps: 0 },
      tests: [{ verdict: "healed", healed: [step] }],
    });
    expect(healed.steps[2]).toMatchObject({ status: "passed", healed_target: '"Save" button' });
    for (const [format, said] of [
      ["junit", 'step 3 healed: "Save" button instead of #save'],
      ["html", "<title>keeps a note: healed</title>"],
    ] as const) {
      const path = `${service.url}/api/v1/reports/runs/${healed.runId}/${format}`;
      const reply = await fetch(path, { headers: { authorization: `Bearer ${key}` } });
      expect(await reply.text()).toContain(said);
    }
    const events = (await get(`/runs/${healed.runId}/events?limit=100`)).items;
    expect(events.find(({ name }: { name: string }) => name === "locator_healed")).toMatchObject({
      step_number: 3,
      data: { target: "#save", healed_target: '"Save" button' },
    });
    const [proposal] = await eventually(healings, (items) => items.length === 1);
    expect(proposal).toMatchObject({
      status: "proposed",
      target: "#save",
      healed_target: '"Save" button',
      times: 1,
      changes: expect.arrayContaining([{ what: "id", before: "save", after: "btn-save-7f3a" }]),
    });
    expect(proposal.score).toBeGreaterThan(0.6);

    // It is a proposal: the test is as it was, and the next run goes on the same way.
    expect((await get(`/tests/${testId}`)).version).toBe(1);
    await run();
    expect(await healings()).toMatchObject([{ id: proposal.id, times: 2 }]);

    const path = `/tests/${testId}/healings/${proposal.id}`;
    const accepted = await ask("POST", `${path}/accept`);
    expect([accepted.status, accepted.body.status]).toEqual([200, "accepted"]);
    const test = await get(`/tests/${testId}`);
    expect([test.version, test.steps[2].target]).toEqual([2, '"Save" button']);
    expect((await ask("POST", `${path}/accept`)).status).toBe(200);
    expect((await ask("POST", `${path}/reject`)).status).toBe(409);
    expect((await get(`/tests/${testId}`)).version).toBe(2);
    const { items: versions } = await get(`/tests/${testId}/history`);
    expect(versions.map(({ version }: { version: number }) => version).sort()).toEqual([1, 2]);
    const after = await run();
    expect(after.steps[2].locator).not.toContain("healed");
    expect(after.ended.verdict).toBe("passed");
  });

  it("does not use a rejected healing, and says so in the error", {
    timeout: 120_000,
  }, async () => {
    await eventually(known, (all) =>
      [...all.values()].some(({ target }) => target === '"Save" button'),
    );
    pages["/"] = page("btn-save-7f3a", "Store it");
    expect((await run()).ended.status).toBe("passed");
    const [proposal] = await eventually(healings, (items) => items.length === 2);
    const rejected = await ask("POST", `/tests/${testId}/healings/${proposal.id}/reject`);
    expect(rejected.body.status).toBe("rejected");
    const { ended, steps: seen } = await run();
    expect(ended.status).toBe("failed");
    expect(seen[2].error).toContain("somebody has rejected that");
  });

  it("never heals assertions, or steps of an organisation that disabled healing", {
    timeout: 120_000,
  }, async () => {
    pages["/"] = page("btn-save-7f3a", "Save");
    expect((await run()).ended.status).toBe("passed");
    pages["/"] = page("another", "Save").replace('id="title"', 'id="headline"');
    await settings({ healing: false });
    const off = await run();
    expect(off.ended.status).toBe("failed");
    expect(off.steps[1].error).toMatch(/^No visible element #title/);
    expect(off.steps[1].error).not.toContain("healed");
    await settings({ healing: true });
    pages["/"] = page("save").replace('id="said"', 'id="told"').replace("'said'", "'told'");
    const asserted = await run();
    expect(asserted.steps[3]).toMatchObject({ status: "failed" });
    expect(asserted.steps[3].error).not.toContain("healed");
  });

  it("is listed by the calling and the called test, and changes the test that contains the step", {
    timeout: 120_000,
  }, async () => {
    pages["/"] = page("save");
    const called = (await ask("POST", "/tests", { name: "saves", steps: steps.slice(1, 3) })).body;
    const all = [steps[0], { action: "call_test", target: "saves" }, steps[3]];
    const caller = (await ask("POST", "/tests", { name: "calls it", steps: all })).body;
    expect((await run(caller.id)).ended.status).toBe("passed");
    await eventually(
      () => service.core.fingerprints.ofTest(caller.id),
      (found) => found.size === 2,
    );
    pages["/"] = page("btn-save-9c1d");
    expect((await run(caller.id)).ended.status).toBe("passed");

    const of = async (id: string) => (await get(`/tests/${id}/healings`)).items;
    const [proposal] = await eventually(
      () => of(caller.id),
      (items) => items.length === 1,
    );
    expect(proposal).toMatchObject({
      ...{ test_id: caller.id, step_test_id: called.id, step_id: called.steps[1].id },
      ...{ status: "proposed", target: "#save", healed_target: '"Save" button' },
    });
    expect(await of(called.id)).toEqual([proposal]);
    // An unrelated test has no healings.
    const elsewhere = `/tests/${testId}/healings/${proposal.id}/accept`;
    expect((await ask("POST", elsewhere)).status).toBe(404);

    const path = `/tests/${caller.id}/healings/${proposal.id}`;
    const accepted = await ask("POST", `${path}/accept`);
    expect([accepted.status, accepted.body.status]).toEqual([200, "accepted"]);
    const now = await get(`/tests/${called.id}`);
    expect([now.version, now.steps[1].target]).toEqual([2, '"Save" button']);
    expect((await get(`/tests/${caller.id}`)).version).toBe(1);
    expect(await of(called.id)).toMatchObject([{ id: proposal.id, status: "accepted" }]);
    const again = await ask("POST", `/tests/${called.id}/healings/${proposal.id}/accept`);
    expect(again.status).toBe(200);
    expect((await ask("POST", `${path}/reject`)).status).toBe(409);
    expect((await get(`/tests/${called.id}`)).version).toBe(2);
    expect((await run(caller.id)).steps[2].locator).not.toContain("healed");

    // A step of a test that is deleted is nobody's to change.
    pages["/"] = page("btn-save-9c1d").replace("Save</button>", "Store it</button>");
    await eventually(
      () => service.core.fingerprints.ofTest(caller.id),
      (found) => [...found.values()].some(({ target }) => target === '"Save" button'),
    );
    expect((await run(caller.id)).ended.status).toBe("passed");
    const [second] = await eventually(
      () => of(called.id),
      (items) => items.length === 2,
    );
    expect((await ask("DELETE", `/tests/${called.id}`)).status).toBe(204);
    const gone = await ask("POST", `/tests/${caller.id}/healings/${second.id}/accept`);
    expect(gone.status).toBe(404);
  });

  it("equals a rebuild of the read models", {
    timeout: 60_000,
  }, async () => {
    const { log, database } = service.platform;
    for (const name of ["healings", "catalogue", "executions"]) {
      const projection = projections.find((one) => one.name === name);
      if (!projection) throw new Error(`There is no read model ${name}`);
      const over = new AbortController().signal;
      const found = await verifyProjection({ log, db: database.db }, projection, over);
      expect([name, found.outcome]).toEqual([name, "equal"]);
    }
  });
});
