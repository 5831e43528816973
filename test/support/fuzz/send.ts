import { randomUUID } from "node:crypto";
import { Agent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { DescribedOperation } from "./document.ts";
import { type Caller, kindOf, type Plan } from "./plans.ts";
import { isWanted, type Wanted } from "./values.ts";

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
};

/** Authentication headers of each caller. */
export type Callers = Readonly<Record<Caller, () => Readonly<Record<string, string>>>>;

export type Fuzzer = {
  /** Sends a planned request with known ids. */
  send(operation: DescribedOperation, plan: Plan): Promise<Answer>;
  /** Remembers ids from a response for later requests. */
  learn(operation: DescribedOperation, body: unknown): void;
  close(): void;
};

/** Maximum number of ids per kind, small enough that ids repeat. */
const MAX_KNOWN = 200;

type FuzzerDeps = {
  readonly url: string;
  readonly callers: Callers;
  readonly organizations: { readonly own: string; readonly other: string };
  /** Existing ids by kind. */
  readonly known: Readonly<Record<string, readonly string[]>>;
  readonly atOnce: number;
};

/** Ids by kind. */
type Pools = Map<string, string[]>;

export const createFuzzer = (deps: FuzzerDeps): Fuzzer => {
  const agent = new Agent({ keepAlive: true, maxSockets: deps.atOnce });
  const pools: Pools = new Map(Object.entries(deps.known).map(([kind, ids]) => [kind, [...ids]]));
  return {
    send: (operation, plan) => send(deps, agent, pools, operation, plan),
    learn: (operation, body) => learn(pools, operation, body),
    close: () => agent.destroy(),
  };
};

const send = (
  deps: FuzzerDeps,
  agent: Agent,
  pools: Pools,
  operation: DescribedOperation,
  plan: Plan,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(deps.url);
    const body = bodyOf(pools, plan);
    const headers = headersOf(deps, plan, body);
    const path = targetOf(pools, operation, plan);
    const sent = httpRequest(
      { agent, hostname, port, method: operation.method, path, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes: Buffer.concat(chunks),
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body ?? undefined);
  });

const headersOf = (
  { callers, organizations }: FuzzerDeps,
  plan: Plan,
  body: string | Buffer | null,
): Record<string, string> => {
  const headers: Record<string, string> = {
    ...(body === null ? {} : { "content-type": "application/json" }),
    ...(plan.twist === "gzip" ? { "content-encoding": "gzip" } : {}),
    // A user who created organisations must name one.
    ...(plan.caller === "user" ? { "x-org-id": "own" } : {}),
    ...plan.headers,
    ...callers[plan.caller](),
  };
  if (headers["x-org-id"] === "own") headers["x-org-id"] = organizations.own;
  if (headers["x-org-id"] === "other") headers["x-org-id"] = organizations.other;
  if (body !== null) headers["content-length"] = String(Buffer.byteLength(body));
  return headers;
};

const targetOf = (pools: Pools, operation: DescribedOperation, plan: Plan): string => {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    inUrl(filled(pools, plan.params[name] ?? "", operation.method === "DELETE")),
  );
  const pairs = Object.entries(plan.query).map(
    ([name, value]) => `${inUrl(name)}=${inUrl(filled(pools, value))}`,
  );
  if (plan.twist === "badQuery") pairs.push("q=%zz");
  if (plan.twist === "longUrl") pairs.push(`q=${"a".repeat(9_000)}`);
  return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
};

/** Replaces lone surrogates, which a URL cannot encode. */
const inUrl = (value: unknown): string =>
  encodeURIComponent(Buffer.from(String(value), "utf8").toString("utf8"));

const bodyOf = (pools: Pools, plan: Plan): string | Buffer | null => {
  if (plan.twist === "bodyOnGet") return '{"name":"a body"}';
  if (plan.body === null) return null;
  if ("raw" in plan.body) return plan.body.raw;
  return JSON.stringify(filled(pools, plan.body.json)) ?? null;
};

/** Replaces the wanted ids in a value. `isUsedUp`: the request deletes the id. */
const filled = (pools: Pools, value: unknown, isUsedUp = false): unknown => {
  if (isWanted(value)) return idFor(pools, value, isUsedUp);
  if (Array.isArray(value)) return value.map((item) => filled(pools, item));
  if (typeof value !== "object" || value === null || value instanceof Buffer) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(pools, item)]));
};

const idFor = (pools: Pools, { $wanted: kind, nth }: Wanted, isUsedUp: boolean): string => {
  if (kind === "email") return `${randomUUID()}@example.test`;
  const pool = pools.get(kind);
  // The first id stays, so that requests always find one.
  if (isUsedUp) return (pool && pool.length > 1 ? pool.pop() : undefined) ?? randomUUID();
  const ids = pool ?? [...pools.values()].flat();
  return ids[nth % ids.length] ?? randomUUID();
};

const learn = (pools: Pools, operation: DescribedOperation, body: unknown): void => {
  const given = body as { id?: unknown; run_ids?: unknown; executions?: unknown } | null;
  const last = operation.path.split("/").at(-1) ?? "";
  if (operation.method === "POST") keep(pools, kindOf(last), [given?.id]);
  if (Array.isArray(given?.run_ids)) keep(pools, "run", given.run_ids);
  if (Array.isArray(given?.executions)) {
    const ids = given.executions.map((execution: { id?: unknown }) => execution.id);
    keep(pools, "execution", ids);
  }
};

const keep = (pools: Pools, kind: string, ids: readonly unknown[]): void => {
  const pool = pools.get(kind) ?? [];
  pools.set(kind, pool);
  for (const id of ids) {
    if (typeof id === "string" && pool.length < MAX_KNOWN) pool.push(id);
  }
};
