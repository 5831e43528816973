import { setTimeout as delay } from "node:timers/promises";
import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow, type Row } from "../harness/rows.ts";
import { quantile } from "../harness/statistics.ts";
import { seededDatabase } from "../parts/history.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";
import { query } from "../parts/postgres.ts";

const BENCH = "find";
const EVENTS = 200_000;
const REQUESTS = 300;
const WARM_UPS = 20;
const TIMEOUT_MS = 300_000;
const OPERATOR = { email: "ops@example.test", password: "the operator's own", name: "Operator" };

/** Latency of GET /admin/find. The service records each lookup before it responds. */
export const run: RunBench = async (context) => {
  const seed = await seededDatabase(context, EVENTS);
  const service = await startHostedService(context, {
    seed,
    roles: ["api", "projections"],
    environment: { ADMIN_EMAILS: OPERATOR.email },
  });
  const bearer = await operatorOf(service);
  context.log("waiting for the event index and the read models …");
  await waitUntilIndexed(service);
  const ids = (kind: string) => idsOf(service, kind);
  const [runs, executions, events] = await Promise.all([
    ids("run"),
    ids("execution"),
    eventIds(service),
  ]);
  const lookups: readonly (readonly [what: string, q: (n: number) => string, finds: boolean])[] = [
    ["a run's id", (n) => runs[n] ?? "", true],
    ["an execution's id", (n) => executions[n] ?? "", true],
    ["an event's id", (n) => events[n] ?? "", true],
    ["an e-mail address", () => service.account.email, true],
    ["the prefix of a key", () => service.key.slice(0, 12), true],
    ["an unknown id", (n) => `evt_${n}`, false],
  ];
  const rows: Row[] = [];
  for (const [what, q, finds] of lookups) {
    context.log(`${what} …`);
    const samples: number[] = [];
    for (let n = 0; n < REQUESTS + WARM_UPS; n += 1) {
      const started = performance.now();
      const path = `/api/v1/admin/find?q=${encodeURIComponent(q(n))}`;
      const { status, body } = await call(service.url, "GET", path, { bearer });
      if (status !== 200 || body.items.length > 0 !== finds) {
        throw new Error(`${what}: returned ${status} with ${JSON.stringify(body)}`);
      }
      if (n >= WARM_UPS) samples.push(performance.now() - started);
    }
    const about = {
      bench: BENCH,
      what: `${what}, p99`,
      unit: "ms",
      goal: { of: "value", atMost: 100 },
      note: `GET /admin/find over HTTP, ${REQUESTS} times, among ${EVENTS.toLocaleString("en-US")} events of runs and executions; each lookup is appended to the log first`,
    } as const;
    rows.push(plainRow(about, samples, (all) => quantile(all, 0.99)));
  }
  return rows;
};

/** Creates a person whose verified address is in ADMIN_EMAILS. Returns an access token. */
const operatorOf = async ({ url, databaseUrl }: HostedService): Promise<string> => {
  const { body } = await call(url, "POST", "/api/v1/auth/signup", { body: OPERATOR });
  await query(databaseUrl, "UPDATE persons SET verified_at = now() WHERE id = $1", [body.user.id]);
  return body.access_token;
};

const waitUntilIndexed = async ({ databaseUrl }: HostedService): Promise<void> => {
  const deadline = performance.now() + TIMEOUT_MS;
  const lagQuery = `SELECT count(*)::int AS lagging FROM (
    SELECT position FROM projection_checkpoints WHERE state = 'shown'
    UNION ALL SELECT (SELECT position FROM reactor_checkpoints WHERE name = 'event-index')
  ) AS checkpoints WHERE position IS NULL OR position < ${EVENTS}`;
  for (;;) {
    const [row] = await query<{ lagging: number }>(databaseUrl, lagQuery);
    if (row?.lagging === 0) return;
    if (performance.now() > deadline) throw new Error("The event index did not catch up");
    await delay(200);
  }
};

const idsOf = async ({ databaseUrl }: HostedService, kind: string): Promise<readonly string[]> => {
  const rows = await query<{ id: string }>(
    databaseUrl,
    `SELECT substr(stream, length($1) + 2) AS id FROM event_index_streams
     WHERE stream LIKE $1 || '-%' ORDER BY md5(stream) LIMIT ${REQUESTS + WARM_UPS}`,
    [kind],
  );
  return rows.map(({ id }) => id);
};

const eventIds = async ({ databaseUrl }: HostedService): Promise<readonly string[]> => {
  const rows = await query<{ id: string }>(
    databaseUrl,
    `SELECT event_id AS id FROM event_index ORDER BY md5(event_id::text) LIMIT ${REQUESTS + WARM_UPS}`,
  );
  return rows.map(({ id }) => id);
};
