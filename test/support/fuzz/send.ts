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

export const createFuzzer = (deps: {
  readonly url: string;
  readonly callers: Callers;
  readonly organizations: { readonly own: string; readonly other: string };
  /** Existing ids by kind. */
  readonly known: Readonly<Record<string, readonly string[]>>;
  readonly atOnce: number;
}): Fuzzer => {
  const { hostname, port } = new URL(deps.url);
  const agent = new Agent({ keepAlive: true, maxSockets: deps.atOnce });
  const pools = new Map(Object.entries(deps.known).map(([kind, ids]) => [kind, [...ids]]));
  const all = () => [...pools.values()].flat();

  const idFor = ({ $wanted: kind, nth }: Wanted, isUsedUp: boolean): string => {
    if (kind === "email") return `${randomUUID()}@example.test`;
    const pool = pools.get(kind);
    // The first id stays, so that requests always find one.
    if (isUsedUp) return (pool && pool.length > 1 ? pool.pop() : undefined) ?? randomUUID();
    const ids = pool ?? all();
    return ids[nth % ids.length] ?? randomUUID();
  };

  const filled = (value: unknown, isUsedUp = false): unknown => {
    if (isWanted(value)) return idFor(value, isUsedUp);
    if (Array.isArray(value)) return value.map((item) => filled(item));
    if (typeof value !== "object" || value === null || value instanceof Buffer) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item)]));
  };

  /** Replaces lone surrogates, which a URL cannot encode. */
  const inUrl = (value: unknown): string =>
    encodeURIComponent(Buffer.from(String(value), "utf8").toString("utf8"));

  const targetOf = (operation: DescribedOperation, plan: Plan): string => {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      inUrl(filled(plan.params[name] ?? "", operation.method === "DELETE")),
    );
    const pairs = Object.entries(plan.query).map(
      ([name, value]) => `${inUrl(name)}=${inUrl(filled(value))}`,
    );
    if (plan.twist === "badQuery") pairs.push("q=%zz");
    if (plan.twist === "longUrl") pairs.push(`q=${"a".repeat(9_000)}`);
    return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
  };

  const bodyOf = (plan: Plan): string | Buffer | null => {
    if (plan.twist === "bodyOnGet") return '{"name":"a body"}';
    if (plan.body === null) return null;
    return "raw" in plan.body ? plan.body.raw : (JSON.stringify(filled(plan.body.json)) ?? null);
  };

  return {
    send: (operation, plan) =>
      new Promise((resolve, reject) => {
        const body = bodyOf(plan);
        const headers: Record<string, string> = {
          ...(body === null ? {} : { "content-type": "application/json" }),
          ...(plan.twist === "gzip" ? { "content-encoding": "gzip" } : {}),
          // A user who created organisations must name one.
          ...(plan.caller === "user" ? { "x-org-id": "own" } : {}),
          ...plan.headers,
          ...deps.callers[plan.caller](),
        };
        if (headers["x-org-id"] === "own") headers["x-org-id"] = deps.organizations.own;
        if (headers["x-org-id"] === "other") headers["x-org-id"] = deps.organizations.other;
        if (body !== null) headers["content-length"] = String(Buffer.byteLength(body));
        const path = targetOf(operation, plan);
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
      }),
    learn: (operation, body) => {
      const given = body as { id?: unknown; run_ids?: unknown; executions?: unknown } | null;
      const keep = (kind: string, ids: readonly unknown[]) => {
        const pool = pools.get(kind) ?? [];
        pools.set(kind, pool);
        for (const id of ids) {
          if (typeof id === "string" && pool.length < MAX_KNOWN) pool.push(id);
        }
      };
      const last = operation.path.split("/").at(-1) ?? "";
      if (operation.method === "POST") keep(kindOf(last), [given?.id]);
      if (Array.isArray(given?.run_ids)) keep("run", given.run_ids);
      if (Array.isArray(given?.executions)) {
        keep(
          "execution",
          given.executions.map((execution: { id?: unknown }) => execution.id),
        );
      }
    },
    close: () => agent.destroy(),
  };
};
