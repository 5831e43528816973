import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, adminSettings } from "../../support/admins.ts";
import {
  type Account,
  call,
  eventually,
  makeKey,
  type Reply,
  signUp,
} from "../../support/client.ts";
import { createGraphqlClient, type GraphqlClient } from "../../support/graphqlClient.ts";
import { providerSettings, signedByProviderA } from "../../support/providers.ts";
import { startTestService, type TestService } from "../../support/service.ts";

type Found = { stream: string; kind: string; what: string; link: string };

/** Operators' views over HTTP. */
describe("inspector", () => {
  let service: TestService;
  let admin: Account;
  let ann: Account;
  let key: { id: string; key: string };
  let testId = "";
  let runId = "";
  let executionId = "";
  let requestId = "";
  const typed = "somebody@typed.example";

  beforeAll(async () => {
    service = await startTestService({ ...adminSettings, ...providerSettings, LOG_LEVEL: "warn" }, [
      "api",
      "projections",
      "dispatcher",
    ]);
    [admin, ann] = await Promise.all([adminOf(service), signUp(service.url)]);
    key = await makeKey(service.url, ann);
    const post = (path: string, body: object) =>
      call(service.url, "POST", `/api/v1${path}`, { bearer: key.key, body });
    const made = await post("/tests", { name: "first", text: `Type "${typed}" into "E-mail"` });
    testId = made.body.id;
    for (const name of ["second", "third"]) {
      await call(service.url, "PUT", `/api/v1/tests/${testId}`, {
        bearer: key.key,
        body: { name },
      });
    }
    const queued = await post("/cli/cloud-runs", { test_ids: [testId] });
    requestId = queued.headers.get("x-request-id") ?? "";
    [runId, executionId] = [queued.body.run_ids[0], queued.body.executions[0].id];
  });
  afterAll(() => service?.stop());

  const get = (path: string): Promise<Reply> =>
    call(service.url, "GET", `/api/v1/admin${path}`, { bearer: admin.accessToken });
  /** Waits until the index has caught up. */
  const find = async (q: string, streams: readonly string[]): Promise<Found[]> => {
    const asked = () => get(`/find?q=${encodeURIComponent(q)}`);
    const all = ({ body }: Reply) =>
      streams.every((name) => body.items.some(({ stream }: Found) => stream === name));
    return (await eventually(asked, all)).body.items;
  };
  const looks = async (): Promise<
    { revision: number; type: string; data: Record<string, unknown> }[]
  > => {
    const { body } = await get(`/streams/inspection-${admin.userId}?direction=backwards&limit=100`);
    return body.items;
  };

  it("finds streams by addresses, ids and key prefixes", async () => {
    const { organizationId, userId, email } = ann;
    const organization = `organization-${organizationId}`;
    await find(email.toUpperCase(), [`user-${userId}`, organization, `plan-${organizationId}`]);
    const run = [`run-${runId}`, `execution-${executionId}`, `test-${testId}`, organization];
    const found = await find(runId, run);
    expect(found[0]).toMatchObject({ stream: `run-${runId}`, kind: "run", what: "the run" });
    await find(executionId, run);
    await find(testId, [`test-${testId}`]);
    await find(requestId, [`run-${runId}`, `execution-${executionId}`]);
    await find(organizationId, [
      organization,
      `plan-${organizationId}`,
      `apiKeys-${organizationId}`,
    ]);
    await find(userId, [`user-${userId}`, organization]);
    await find(key.id, [`apiKeys-${organizationId}`]);
    await find(key.key.slice(0, 12), [`apiKeys-${organizationId}`]);
    // Only the prefix of a key is searched for.
    await find(key.key, [`apiKeys-${organizationId}`]);
    const link = found[0]?.link.replace("/api/v1/admin", "") ?? "";
    expect((await get(link)).body.items[0].type).toBe("RunQueued");
    for (const nothing of [
      "nobody@example.test",
      "ak_live_zzzz",
      "evt_nothing",
      `${runId.slice(0, -4)}0000`,
    ]) {
      expect((await get(`/find?q=${nothing}`)).body.items).toEqual([]);
    }
  });

  it("finds a provider event by the provider's id", async () => {
    const event_id = "evt_inspected";
    const signed = signedByProviderA({ event_id, event_type: "customer.created" });
    await call(service.url, "POST", "/api/v1/webhooks/provider-a", {
      headers: signed.headers,
      body: JSON.parse(signed.body),
    });
    const [found] = await find(event_id, [`webhook-provider-a_${event_id}`]);
    expect(found).toMatchObject({ kind: "webhook", what: "the provider's event" });
  });

  it("lists streams by prefix in pages", async () => {
    await find(runId, [`execution-${executionId}`]);
    const prefix = "organization-";
    const whole = (await get(`/streams?prefix=${prefix}&limit=100`)).body.items;
    expect(whole.length).toBeGreaterThan(1);
    const paged: Found[] = [];
    let cursor: string | null = null;
    do {
      const { body }: Reply = await get(
        `/streams?prefix=${prefix}&limit=1${cursor ? `&cursor=${cursor}` : ""}`,
      );
      paged.push(...body.items);
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(paged).toEqual(whole);
    expect((await get("/streams?prefix=nothing-")).body.items).toEqual([]);
  });

  it("pages through a stream in both directions with addresses hidden", async () => {
    const stream = `test-${testId}`;
    const read = async (direction: string): Promise<number[]> => {
      const revisions: number[] = [];
      let from: number | null = null;
      do {
        const at: string = from === null ? "" : `&from=${from}`;
        const { body }: Reply = await get(`/streams/${stream}?direction=${direction}&limit=2${at}`);
        revisions.push(...body.items.map(({ revision }: { revision: number }) => revision));
        from = body.next_from;
      } while (from !== null);
      return revisions;
    };
    const forwards = await read("forwards");
    expect(forwards).toEqual(forwards.map((_, index) => index));
    expect(forwards.length).toBeGreaterThan(2);
    expect(await read("backwards")).toEqual([...forwards].reverse());
    const { body } = await get(`/streams/${stream}`);
    expect(JSON.stringify(body)).not.toContain(typed);
    expect(JSON.stringify(body)).toContain("[hidden]");
    expect((await get(`/streams/${stream}?from=1000`)).body.items).toEqual([]);
    for (const missing of [`test-${runId}`, "nonsense", "%00"]) {
      expect((await get(`/streams/${missing}`)).status).toBe(404);
    }
  });

  it("shows direct and indirect causes and effects of an event", async () => {
    const [queued] = (await get(`/streams/run-${runId}`)).body.items;
    const tree = await eventually(
      () => get(`/events/${queued.id}`),
      ({ body }) => body.effects?.some(({ type }: { type: string }) => type === "ExecutionQueued"),
    );
    expect(tree.body.event).toEqual(queued);
    expect(tree.body.causes).toEqual([]);
    const effect = tree.body.effects.find(
      ({ type }: { type: string }) => type === "ExecutionQueued",
    );
    expect(effect).toMatchObject({ depth: 1, causation_id: queued.id, correlation_id: requestId });
    const { body } = await get(`/events/${effect.id}`);
    expect(body.causes.map(({ id }: { id: string }) => id)).toEqual([queued.id]);
    expect((await get(`/events/${runId}`)).status).toBe(404);
  });

  it("compares a stream's state at two moments", async () => {
    const stream = `test-${testId}`;
    const { body: all } = await get(`/streams/${stream}`);
    const renames = all.items.filter(({ type }: { type: string }) => type === "TestRenamed");
    const [second, third] = renames;
    const name = { field: "name", before: "second", after: "third" };
    const between = await get(
      `/streams/${stream}/diff?from=${second.revision}&to=${third.revision}`,
    );
    expect(between.body.changes).toContainEqual(name);
    const at = third.metadata.recorded_at;
    const byTime = await get(`/streams/${stream}/diff?from=${second.revision}&to=${at}`);
    expect(byTime.body.to).toEqual({ revision: third.revision, recorded_at: at });
    const same = await get(`/streams/${stream}/diff?from=${third.revision}`);
    expect(same.body.changes).toEqual([]);
    const whole = await get(`/streams/${stream}/diff`);
    expect(whole.body.from.revision).toBeNull();
    expect(whole.body.changes).toContainEqual(
      expect.objectContaining({ field: "name", after: "third" }),
    );
    expect((await get(`/streams/${stream}/diff?from=yesterday`)).status).toBe(422);
  });

  it("names a manually changed field with both values", async () => {
    type ReadModels = {
      projection: string;
      rows: { table: string; row: Record<string, unknown>; differing: unknown[] }[];
    }[];
    const beside = async (stream: string): Promise<ReadModels> =>
      (await get(`/streams/${stream}/read-models`)).body.read_models;
    const body = { test_ids: [testId] };
    const bearer = key.key;
    const queued = await call(service.url, "POST", "/api/v1/cli/cloud-runs", { bearer, body });
    const [own] = queued.body.run_ids;
    const executions = [`execution-${queued.body.executions[0].id}`];
    await find(own, [`run-${own}`, ...executions]);
    const streams = [`run-${own}`, ...executions, `test-${testId}`];
    for (const stream of [
      ...streams,
      `organization-${ann.organizationId}`,
      `plan-${ann.organizationId}`,
    ]) {
      const models = await eventually(
        () => beside(stream),
        (found) => found.every(({ rows }) => rows.every(({ differing }) => differing.length === 0)),
      );
      expect(models.flatMap(({ rows }) => rows).length, stream).toBeGreaterThan(0);
    }
    const { db } = service.platform.database;
    const { rows } = await sql<{ schema: string }>`
      select table_schema as schema from information_schema.tables
      where table_name = 'runs' and table_schema like 'runs_v%'`.execute(db);
    const runs = sql.id(rows[0]?.schema ?? "", "runs");
    await sql`update ${runs} set target = 'agent' where id = ${own}`.execute(db);
    const model = (await beside(`run-${own}`)).find(({ projection }) => projection === "runs");
    expect(model?.rows[0]).toMatchObject({
      table: "runs",
      row: { target: "agent" },
      differing: [{ field: "target", stream: "cloud", read_model: "agent" }],
    });
    await sql`delete from ${runs} where id = ${own}`.execute(db);
    const gone = (await beside(`run-${own}`)).find(({ projection }) => projection === "runs");
    expect(gone?.rows[0]?.row).toBeNull();
  });

  it("lists, verifies and rebuilds read models, and retries and skips refused events", async () => {
    const post = (path: string, body?: object) =>
      call(service.url, "POST", `/api/v1/admin${path}`, {
        bearer: admin.accessToken,
        ...(body && { body }),
      });
    const { items } = (await get("/projections")).body;
    expect(items.find(({ name }: { name: string }) => name === "tags")).toMatchObject({
      state: "shown",
      build: 1,
      parked: 0,
    });
    const asked = (await get("/projections/tags/verify?wait=0")).body;
    expect(asked.result).toBeNull();
    const again = `/projections/tags/verify?verification_id=${asked.verification_id}`;
    const verified = await eventually(
      () => get(again),
      ({ body }) => body.result !== null,
    );
    expect(verified.body.result).toMatchObject({ outcome: "equal", first: null });
    expect((await get(again.replace("tags", "runs"))).status).toBe(404);
    expect((await post("/projections/tags/rebuild")).body).toMatchObject({ build: 2 });
    await eventually(
      () => get("/projections"),
      ({ body }) =>
        body.items.some(
          ({ name, build, state }: Record<string, unknown>) =>
            name === "tags" && build === 2 && state === "shown",
        ),
    );

    const { db } = service.platform.database;
    const [event] = (await get(`/streams/organization-${ann.organizationId}`)).body.items;
    const park = async (consumer: string, stream: string | null): Promise<string> => {
      const { rows } = await sql<{ id: string }>`
        insert into parked_events (consumer, position, event_id, type, error, stream, revision)
        values (${consumer}, ${event.position}, ${event.id}, ${event.type}, 'refused', ${stream}, 0)
        returning id`.execute(db);
      return rows[0]?.id ?? "";
    };
    const { version } = items.find(({ name }: { name: string }) => name === "organizations");
    const gone = await park(`organizations@${version}`, "organization-that-is-gone");
    const retried = await post(`/parked/${gone}/retry?wait=20`);
    expect(retried.body).toEqual({ id: gone, outcome: "taken", error: null });
    const ofReactor = await park("reactor:notifier", null);
    expect((await post(`/parked/${ofReactor}/retry`)).status).toBe(409);
    expect((await post(`/parked/${ofReactor}/skip`, {})).status).toBe(422);
    expect((await post(`/parked/${ofReactor}/skip`, { reason: "Sent by hand" })).status).toBe(204);
    expect((await get("/parked")).body.items).toEqual([]);
    expect((await get("/parked?skipped=true")).body.items).toMatchObject([
      { id: ofReactor, skip_reason: "Sent by hand" },
    ]);
    const handled = (await looks()).filter(({ type }) => type === "Handled");
    expect(handled.map(({ data }) => data)).toEqual([
      { what: "skip", subject: ofReactor, reason: "Sent by hand" },
      { what: "retry", subject: gone, reason: null },
      { what: "rebuild", subject: "tags", reason: null },
    ]);
  });

  it("shows a person's identity only for a reason, and records every view", async () => {
    const reveal = (body: object, id = ann.userId) =>
      call(service.url, "POST", `/api/v1/admin/persons/${id}/reveal`, {
        bearer: admin.accessToken,
        body,
      });
    expect((await reveal({})).status).toBe(422);
    expect((await reveal({ reason: " " })).status).toBe(422);
    expect((await reveal({ reason: "Asked for help" }, runId)).status).toBe(404);
    const before = (await looks())[0]?.revision ?? -1;
    const { status, body } = await reveal({ reason: "Asked for help" });
    expect([status, body.email]).toEqual([200, ann.email]);
    await find(ann.email, [`user-${ann.userId}`]);
    const recorded = await looks();
    expect(recorded[0]?.revision).toBeGreaterThan(before + 1);
    expect(recorded).toContainEqual(
      expect.objectContaining({
        type: "PersonRevealed",
        data: { personId: ann.userId, reason: "Asked for help" },
      }),
    );
    expect(recorded).toContainEqual(
      expect.objectContaining({
        type: "Looked",
        data: { at: "find", subjects: expect.arrayContaining([`user-${ann.userId}`]) },
      }),
    );
    const stored: unknown[] = [];
    for await (const event of service.platform.log.readStream(`inspection-${admin.userId}`)) {
      stored.push([event.data, event.metadata]);
    }
    const text = JSON.stringify(stored).toLowerCase();
    expect(text).not.toContain(ann.email.toLowerCase());
    expect(text).not.toContain(key.key.toLowerCase());
  });

  it("records every view of mail, people, organisations, provider events and read models", async () => {
    for (const [path, at, subject] of [
      ["/outbox", "list_mail", expect.any(String)],
      ["/users", "list_users", `user-${ann.userId}`],
      ["/organizations", "list_organizations", `organization-${ann.organizationId}`],
      ["/webhook-events", "list_webhook_events", null],
      ["/projections", "list_projections", "runs"],
      ["/projections/tags/verify", "verify_projection", "tags"],
      ["/parked", "list_parked", null],
    ] as const) {
      expect((await get(path)).status).toBe(200);
      const subjects = subject === null ? expect.any(Array) : expect.arrayContaining([subject]);
      expect((await looks())[0]).toMatchObject({ type: "Looked", data: { at, subjects } });
    }
  });

  describe("through GraphQL", () => {
    const ask = (query: string, bearer: string, variables: object = {}) =>
      call(service.url, "POST", "/api/v1/graphql", { bearer, body: { query, variables } });

    it("answers and records an admin's combined query", async () => {
      const before = (await looks())[0]?.revision ?? -1;
      const { status, body } = await ask(
        `query Q($run: String!, $stream: String!) {
          find(q: $run) { sought items { stream what } }
          stream(stream: $stream, limit: 1) { items { type data } next_from }
          comparison(stream: $stream) { read_models { projection rows { table differing { field } } } }
          plan_history { items { event plan_after } plan_at { plan } }
          webhook_events { items { id status } }
        }`,
        admin.accessToken,
        { run: runId, stream: `test-${testId}` },
      );
      expect([status, body.errors ?? body.detail]).toEqual([200, undefined]);
      expect(body.data.find.items[0]).toEqual({ stream: `run-${runId}`, what: "the run" });
      expect(body.data.stream.items[0].type).toBe("TestCreated");
      expect(body.data.stream.items[0].data.name).toBe("first");
      expect(body.data.plan_history).toMatchObject({
        items: [{ event: "PlanStarted", plan_after: "free" }],
        plan_at: { plan: "free" },
      });
      expect((await looks())[0]?.revision).toBe(before + 5);
    });

    it("refuses admin fields to others and answers the rest", async () => {
      for (const bearer of [ann.accessToken, key.key]) {
        const { body } = await ask(
          `{ find(q: "${runId}") { sought } executions { items { id } } plan { plan } }`,
          bearer,
        );
        expect(body.data.find).toBeNull();
        expect(body.data.executions.items).toContainEqual({ id: executionId });
        const isKey = bearer === key.key;
        expect(body.data.plan).toEqual(isKey ? null : { plan: "free" });
        const statuses = body.errors.map(
          ({ extensions }: { extensions: { status: number } }) => extensions.status,
        );
        expect(statuses).toEqual(isKey ? [401, 403] : [403]);
      }
    });

    it("loads the executions of several runs in one query", async () => {
      for (let n = 0; n < 2; n += 1) {
        const body = { test_ids: [testId] };
        await call(service.url, "POST", "/api/v1/cli/cloud-runs", { bearer: key.key, body });
      }
      const { body } = await eventually(
        () => ask("{ runs { items { id executions { run_id test_name } } } }", key.key),
        (reply) => reply.body.data.runs.items.length >= 2,
      );
      for (const run of body.data.runs.items) {
        expect(run.executions).toEqual([{ run_id: run.id, test_name: "third" }]);
      }
    });

    it("answers introspection", async () => {
      const { status, body } = await ask("{ __schema { queryType { name } } }", ann.accessToken);
      expect([status, body.data.__schema.queryType.name]).toEqual([200, "Query"]);
      expect((await ask("{ __typename }", ann.accessToken)).body.data.__typename).toBe("Query");
    });

    describe("subscriptions", () => {
      const open: GraphqlClient[] = [];
      const client = async (init: object, headers: Record<string, string> = {}) => {
        const made = await createGraphqlClient(service.url, init, headers);
        open.push(made);
        return made;
      };
      afterAll(() => {
        for (const one of open) one.close();
      });
      const events = `subscription Events($id: ID!, $after: Int) {
        run_events(id: $id, after: $after) { sequence name execution_id }
      }`;

      it("delivers each event of a run once and in order", async () => {
        const body = { test_ids: [testId] };
        const queued = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
          bearer: key.key,
          body,
        });
        const [id] = queued.body.run_ids;
        const watcher = await client({ authorization: `Bearer ${key.key}` });
        const seen = watcher.subscribe("a", { query: events, variables: { id } });
        await eventually(
          async () => seen.values.length,
          (count) => count >= 2,
        );
        await call(service.url, "POST", `/api/v1/runner/runs/${id}/cancel`, { bearer: key.key });
        await eventually(
          async () => seen.end,
          (end) => end !== null,
        );
        const told = seen.values.map((value) => (value as Told).data.run_events);
        expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, index) => index + 1));
        expect(told.at(-1)?.name).toBe("run_cancelled");
        expect(seen.end).toEqual({ type: "complete" });
        const rest = watcher.subscribe("b", { query: events, variables: { id, after: 1 } });
        await eventually(
          async () => rest.end,
          (end) => end !== null,
        );
        expect(rest.values.map((value) => (value as Told).data.run_events)).toEqual(told.slice(1));
      });

      it("explains refused subscriptions", async () => {
        const header = { authorization: `Bearer ${admin.accessToken}` };
        const stranger = await client({}, header);
        for (const [query, words] of [
          [events, "another organisation"],
          ["{ __typename }", "supports only subscriptions"],
          ["subscription { nothing }", "nothing"],
          ["subscription { ", "Syntax"],
        ] as const) {
          const seen = stranger.subscribe(words, { query, variables: { id: runId } });
          await eventually(
            async () => seen.end,
            (end) => end !== null,
          );
          expect(JSON.stringify(seen.end)).toContain(words);
        }
      });

      it("closes connections without a valid session", async () => {
        await expect(client({}, { authorization: "Bearer nonsense" })).rejects.toThrow(/401/);
        await expect(client({}, { origin: "https://elsewhere.example" })).rejects.toThrow(/403/);
        await expect(client({})).rejects.toThrow(/4401/);
        const guest = await signUp(service.url);
        const watcher = await client({ authorization: `Bearer ${guest.accessToken}` });
        await call(service.url, "POST", "/api/v1/auth/logout", { bearer: guest.accessToken });
        await eventually(
          async () => watcher.closedWith(),
          (code) => code !== null,
        );
        expect(watcher.closedWith()).toBe(4401);
      });
    });
  });
});

type Told = { data: { run_events: { sequence: number; name: string } } };
