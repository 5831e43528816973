import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { verifyProjection } from "../../../src/projections/kernel/verify.ts";
import { schedulesProjection } from "../../../src/projections/schedules/schedules.ts";
import { type Account, type CallOptions, call, makeKey, signUp } from "../../support/client.ts";
import { grant } from "../../support/members.ts";
import { startTestService, type TestService } from "../../support/service.ts";

let service: TestService;
let ann: Account;
/** A member of another organisation. */
let eve: Account;
let testId: string;

beforeAll(async () => {
  service = await startTestService({}, ["api", "projections", "dispatcher"]);
  [ann, eve] = await Promise.all([signUp(service.url), signUp(service.url)]);
  const body = { name: "Sign in", steps: [{ action: "navigate", value: "/login" }] };
  testId = (await asAnn("POST", "/tests", body)).body.id;
  await grant(service, ann.organizationId, "starter");
});
afterAll(() => service?.stop());

const as =
  (who: () => Account) =>
  (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
    call(service.url, method, `/api/v1${path}`, { bearer: who().accessToken, body, ...options });
const asAnn = as(() => ann);
const asEve = as(() => eve);

const nightly = () => ({ name: "Every night", cron: "30 2 * * *", test_ids: [testId] });
const make = async (body: object = {}) => {
  const made = await asAnn("POST", "/schedules", { ...nightly(), ...body });
  expect([made.status, made.body]).toEqual([201, made.body]);
  return made.body;
};

describe("schedules", () => {
  it("are read, listed, changed, paused and deleted", async () => {
    const made = await make({
      timezone: "Europe/Berlin",
      notification_emails: ["Ann@example.test", "ann@example.test", "bob@example.test"],
      failures_only: true,
    });
    expect(made).toMatchObject({
      status: "active",
      version: 1,
      cron: "30 2 * * *",
      timezone: "Europe/Berlin",
      overlap: "skip",
      deadline_seconds: 600,
      failures_only: true,
      notification_emails: ["Ann@example.test", "bob@example.test"],
      last_tick: null,
    });
    expect(Date.parse(made.next_tick_at)).toBeGreaterThan(Date.now());
    expect((await asAnn("GET", `/schedules/${made.id}`)).body).toEqual(made);
    expect((await asAnn("GET", "/schedules")).body.items).toContainEqual(made);

    const { body: named } = await asAnn("PUT", `/organizations/${ann.organizationId}`, {
      settings: { time_zone: "Asia/Tokyo" },
    });
    expect(named.settings.time_zone).toBe("Asia/Tokyo");
    const inTokyo = await make();
    expect(inTokyo.timezone).toBe("Asia/Tokyo");
    await asAnn("DELETE", `/schedules/${inTokyo.id}`);

    const changed = await asAnn("PUT", `/schedules/${made.id}`, {
      cron: " 0  3 * * 1 ",
      notification_emails: [],
    });
    expect(changed.body).toMatchObject({ cron: "0 3 * * 1", version: 2, notification_emails: [] });
    const stale = { headers: { "if-match": '"1"' } };
    expect((await asAnn("PUT", `/schedules/${made.id}`, { name: "X" }, stale)).status).toBe(412);

    const upcoming = (await asAnn("GET", `/schedules/${made.id}/upcoming?limit=3`)).body.items;
    expect(upcoming).toHaveLength(3);
    expect(upcoming[0].tick_at).toBe(changed.body.next_tick_at);

    const paused = await asAnn("POST", `/schedules/${made.id}/pause`);
    expect(paused.body).toMatchObject({ status: "paused", next_tick_at: null, version: 3 });
    expect((await asAnn("POST", `/schedules/${made.id}/pause`)).body).toEqual(paused.body);
    expect((await asAnn("GET", `/schedules/${made.id}/upcoming`)).body.items).toEqual([]);
    const resumed = await asAnn("POST", `/schedules/${made.id}/resume`);
    expect(resumed.body).toMatchObject({ status: "active", version: 4 });
    expect((await asAnn("GET", `/schedules/${made.id}`)).body).toEqual(resumed.body);

    expect((await asAnn("DELETE", `/schedules/${made.id}`)).status).toBe(204);
    expect((await asAnn("GET", `/schedules/${made.id}`)).status).toBe(404);
    expect((await asAnn("DELETE", `/schedules/${made.id}`)).status).toBe(404);
  });

  it("are run by hand without a tick", async () => {
    const { id } = await make();
    const queued = await asAnn("POST", `/schedules/${id}/run-now`);
    expect(queued.status).toBe(202);
    const run = await asAnn("GET", `/runs/${queued.body.run_ids[0]}`);
    expect(run.body.triggered_by).toBe("schedule:Every night");
    expect((await asAnn("GET", `/schedules/${id}/ticks`)).body.items).toEqual([]);
    await asAnn("DELETE", `/schedules/${id}`);
  });

  it("are hidden from other organisations, and unchangeable with a key or by a viewer", async () => {
    const { id } = await make();
    for (const [method, path, body] of [
      ["GET", `/schedules/${id}`],
      ["PUT", `/schedules/${id}`, { name: "Mine" }],
      ["DELETE", `/schedules/${id}`],
      ["POST", `/schedules/${id}/pause`],
      ["POST", `/schedules/${id}/resume`],
      ["POST", `/schedules/${id}/run-now`],
      ["GET", `/schedules/${id}/upcoming`],
      ["GET", `/schedules/${id}/ticks`],
    ] as const) {
      expect([path, (await asEve(method, path, body)).status]).toEqual([path, 403]);
    }
    expect((await asEve("POST", "/schedules", nightly())).status).toBe(403);
    const unknown = await asAnn("POST", "/schedules", { ...nightly(), test_ids: [newId()] });
    expect([unknown.status, unknown.body.detail]).toEqual([
      422,
      expect.stringContaining("test_ids"),
    ]);
    const sets = await asAnn("POST", "/schedules", { ...nightly(), test_set_ids: [newId()] });
    expect([sets.status, sets.body.detail]).toEqual([422, expect.stringContaining("test_set_ids")]);
    const { key } = await makeKey(service.url, ann);
    const byKey = { bearer: key, body: nightly() };
    expect((await call(service.url, "POST", "/api/v1/schedules", byKey)).status).toBe(403);
    expect((await asAnn("GET", `/schedules/${id}`)).body.name).toBe("Every night");
    await asAnn("DELETE", `/schedules/${id}`);
  });

  it("refuse an environment that is foreign, unknown or of another project than a test", async () => {
    const environmentOf = async (who: typeof asAnn, name: string) => {
      const project = (await who("POST", "/projects", { name: `Shop ${newId()}` })).body.id;
      const { body } = await who("POST", `/projects/${project}/environments`, { name });
      return { project, id: body.id as string };
    };
    const staging = await environmentOf(asAnn, "staging");
    const steps = [{ action: "navigate", value: "/login" }];
    const inShop = { name: "Buys", project_id: staging.project, steps };
    const other = (await asAnn("POST", "/tests", inShop)).body.id;
    const theirs = await environmentOf(asEve, "staging");
    const within = { test_ids: [other] };
    const set = { name: `Set ${newId()}`, test_ids: [other, testId] };
    const setId = (await asAnn("POST", "/test-sets", set)).body.id;
    const schedule = await make({ ...within, environment: "Staging" });
    for (const [said, status, detail] of [
      [{ ...within, environment: theirs.id }, 403, "another organisation"],
      [{ ...within, environment: newId() }, 422, "environment: there is no environment"],
      [{ ...within, environment: "production" }, 422, 'has no environment "production"'],
      [{ test_ids: [], test_set_ids: [setId], environment: "staging" }, 422, "is in no project"],
    ] as const) {
      const refused = await asAnn("POST", "/schedules", { ...nightly(), ...said });
      expect([refused.status, refused.body.detail]).toEqual([
        status,
        expect.stringContaining(detail),
      ]);
      const changed = await asAnn("PUT", `/schedules/${schedule.id}`, said);
      expect([changed.status, changed.body.detail]).toEqual([
        status,
        expect.stringContaining(detail),
      ]);
    }
    // Another test that the environment of before does not fit, too.
    const beside = await asAnn("PUT", `/schedules/${schedule.id}`, { test_ids: [testId] });
    expect([beside.status, beside.body.detail]).toEqual([422, expect.stringContaining("project")]);
    expect((await asAnn("PUT", `/schedules/${schedule.id}`, { name: "Renamed" })).status).toBe(200);
    const byId = await asAnn("PUT", `/schedules/${schedule.id}`, { environment: staging.id });
    expect([byId.status, byId.body.environment]).toEqual([200, staging.id]);
    const none = { test_ids: [testId], environment: null };
    expect((await asAnn("PUT", `/schedules/${schedule.id}`, none)).status).toBe(200);
    await asAnn("DELETE", `/schedules/${schedule.id}`);
  });

  it("of a deleted test set can be paused and changed, but not to name that set", async () => {
    const gone = { name: `Gone ${newId()}`, test_ids: [testId] };
    const setId = (await asAnn("POST", "/test-sets", gone)).body.id as string;
    const { id } = await make({ test_ids: [], test_set_ids: [setId] });
    expect((await asAnn("DELETE", `/test-sets/${setId}`)).status).toBe(204);
    for (const [method, path, body] of [
      ["PUT", `/schedules/${id}`, { test_set_ids: [setId] }],
      ["PUT", `/schedules/${id}`, { test_ids: [testId], test_set_ids: [setId] }],
      ["POST", "/schedules", { ...nightly(), test_set_ids: [setId] }],
      ["POST", `/schedules/${id}/run-now`, undefined],
    ] as const) {
      const refused = await asAnn(method, path, body);
      expect([path, refused.status, refused.body.detail]).toEqual([
        path,
        422,
        expect.stringContaining(setId),
      ]);
    }
    expect((await asAnn("PUT", `/schedules/${id}`, { name: "Renamed" })).status).toBe(200);
    const others = { test_ids: [testId], test_set_ids: [] };
    expect((await asAnn("PUT", `/schedules/${id}`, others)).status).toBe(200);
    await asAnn("DELETE", `/schedules/${id}`);
  });

  it.each([
    ["six fields", { cron: "0 30 2 * * *" }, "five fields"],
    ["a nickname", { cron: "@daily" }, "five fields"],
    ["a minute that there is not", { cron: "60 2 * * *" }, "minute"],
    ["a year", { cron: "30 2 9999 * *" }, "day of month"],
    ["a date that never comes", { cron: "0 0 31 2 *" }, "no such date"],
    ["a zone that there is not", { timezone: "Mars/Olympus" }, "IANA time zone"],
    ["an offset", { timezone: "+02:00" }, "IANA time zone"],
    ["a zone with a header", { timezone: "UTC\r\nX: y" }, "IANA time zone"],
    ["the year 9999 as a sixth field", { cron: "0 0 1 1 * 9999" }, "five fields"],
    ["30 February", { cron: "0 0 30 2 *" }, "no such date"],
    ["31 June and September", { cron: "0 0 31 6,9 *" }, "no such date"],
    ["a header in a name", { name: "Night\r\nBcc: x@y.test" }, "name"],
    ["a header without a return", { notification_emails: ["a@b.test\nBcc: x@y.test"] }, "email"],
    ["two addresses in one", { notification_emails: ["a@b.test, x@y.test"] }, "email"],
    ["a name before an address", { notification_emails: ["Ann <a@b.test>"] }, "email"],
    ["a quoted line", { notification_emails: ['"a\r\nBcc: x"@b.test'] }, "email"],
    ["a deadline of none", { deadline_seconds: 0 }, "at least 60 seconds"],
    ["nothing to run", { test_ids: [] }, "is required, or test_set_ids"],
    ["a header in an address", { notification_emails: ["a@b.test\r\nBcc: x@y.test"] }, "email"],
    ["another field", { organization_id: newId() }, "organization_id"],
    ["an address with a password", { base_url: "https://u:p@shop.test" }, "password"],
  ])("refuse %s with 422 and its name", async (_, body, said) => {
    const refused = await asAnn("POST", "/schedules", { ...nightly(), ...body });
    expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining(said)]);
  });

  it("are limited by the plan also for concurrent requests, which names a larger one", async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        asAnn("POST", "/schedules", { ...nightly(), name: `Number ${n}` }),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = replies.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.body.detail).toContain("(schedules). Team allows 100.");
    const { items } = (await asAnn("GET", "/schedules?limit=4")).body;
    for (const { id } of items) await asAnn("DELETE", `/schedules/${id}`);
    expect((await asAnn("POST", "/schedules", nightly())).status).toBe(201);
  });

  it("equal a rebuild of the read model", async () => {
    const { log, database } = service.platform;
    const verified = await verifyProjection(
      { log, db: database.patient },
      schedulesProjection,
      new AbortController().signal,
    );
    expect(verified).toMatchObject({ outcome: "equal", refused: 0 });
  });
});
