import { type Kysely, sql } from "kysely";
import { hmac, open, seal } from "../../platform/crypto.ts";
import { newId } from "../../platform/ids.ts";

/** The time for which a response is kept, in hours. */
const KEPT_HOURS = 24;
/** The duration of a claim in seconds. It must be renewed within this time; then another process may take it over. */
const HELD_SECONDS = 5;
/** The maximum of rows that one sweep deletes. */
const SWEEP_AT_ONCE = 5_000;

/** A request with an idempotency key. */
export type KeyedRequest = {
  /** The caller, such as `api_key:<id>`. */
  readonly principal: string;
  readonly organizationId: string | null;
  readonly method: string;
  /** The request path without the query. */
  readonly path: string;
  readonly key: string;
  /** All other inputs of the request: query, body, preconditions. Only its digest is stored. */
  readonly content: string;
};

/** The right to execute a request. `seed`: the source of its ids, equal for all executions. */
export type Claim = { readonly digest: string; readonly seed: string; readonly holder: string };

export type Begun =
  /** The caller may execute the request. `again`: an earlier execution has an unknown outcome. */
  | { readonly kind: "claimed"; readonly claim: Claim; readonly again: boolean }
  | { readonly kind: "answered"; readonly answer: string }
  /** Another process executes the request at present. */
  | { readonly kind: "inFlight" }
  /** The key was used for a request with other content. */
  | { readonly kind: "otherContent" };

export type IdempotencyKeys = ReturnType<typeof idempotencyKeys>;

type Row = {
  readonly body_digest: string;
  readonly seed: string;
  readonly holder: string;
  readonly answer_sealed: string | null;
  /** The request holds the claim. */
  readonly is_held: boolean;
  /** It has expired. */
  readonly is_over: boolean;
};

type KeyDeps = {
  readonly db: Kysely<unknown>;
  readonly masterKey: Buffer;
};

/** The rows of requests with an Idempotency-Key. The database's clock decides which claims have expired. */
export const idempotencyKeys = (deps: KeyDeps) => ({
  begin: begin.bind(null, deps),
  renew: renew.bind(null, deps),
  answer: answer.bind(null, deps),
  leaveOpen: leaveOpen.bind(null, deps),
  forget: forget.bind(null, deps),
  leaveAllOpen: leaveAllOpen.bind(null, deps),
  sweep: sweep.bind(null, deps),
});

/** Resolves with false if there is a row already. */
const insert = async ({ db }: KeyDeps, request: KeyedRequest, claim: Claim, bodyDigest: string) => {
  const { principal, organizationId, method, path } = request;
  const { rows } = await sql`
    insert into idempotency_keys
      (digest, principal, organization_id, method, path, body_digest, seed, holder, held_until)
    values (${claim.digest}, ${principal}, ${organizationId}, ${method}, ${path}, ${bodyDigest},
      ${claim.seed}, ${claim.holder}, now() + make_interval(secs => ${HELD_SECONDS}))
    on conflict (digest) do nothing
    returning digest`.execute(db);
  return rows.length > 0;
};

const find = async ({ db }: KeyDeps, digest: string): Promise<Row | null> => {
  const { rows } = await sql<Row>`
    select body_digest, seed, holder, answer_sealed, held_until > now() and answer_sealed is null as is_held,
      begun_at < now() - make_interval(hours => ${KEPT_HOURS}) as is_over
    from idempotency_keys where digest = ${digest}`.execute(db);
  return rows[0] ?? null;
};

/** Reuses an expired row. */
const renewRow = async (
  { db }: KeyDeps,
  row: Row,
  claim: Claim,
  bodyDigest: string,
): Promise<boolean> => {
  const { rows } = await sql`
    update idempotency_keys
    set body_digest = ${bodyDigest}, seed = ${claim.seed}, holder = ${claim.holder},
      held_until = now() + make_interval(secs => ${HELD_SECONDS}), begun_at = now(),
      answer_sealed = null
    where digest = ${claim.digest} and holder = ${row.holder}
    returning digest`.execute(db);
  return rows.length > 0;
};

/** Takes over a released claim. One of several concurrent callers succeeds. */
const takeOver = async (
  { db }: KeyDeps,
  digest: string,
  row: Row,
  holder: string,
): Promise<boolean> => {
  const { rows } = await sql`
    update idempotency_keys
    set holder = ${holder}, held_until = now() + make_interval(secs => ${HELD_SECONDS})
    where digest = ${digest} and holder = ${row.holder} and answer_sealed is null
      and held_until <= now()
    returning digest`.execute(db);
  return rows.length > 0;
};

const begin = async (deps: KeyDeps, request: KeyedRequest): Promise<Begun> => {
  const { masterKey } = deps;
  const { principal, organizationId, method, path, key } = request;
  const whose = JSON.stringify([principal, organizationId, method, path, key]);
  const digest = hmac(masterKey, "idempotency.key", whose);
  const bodyDigest = hmac(masterKey, "idempotency.content", request.content);
  const claim: Claim = { digest, seed: newId(), holder: newId() };
  if (await insert(deps, request, claim, bodyDigest)) {
    return { kind: "claimed", claim, again: false };
  }
  const row = await find(deps, digest);
  // Deleted between the two statements: its holder is just finishing.
  if (!row) return { kind: "inFlight" };
  if (row.is_over && !row.is_held) {
    const isClaimed = await renewRow(deps, row, claim, bodyDigest);
    return isClaimed ? { kind: "claimed", claim, again: false } : { kind: "inFlight" };
  }
  if (row.body_digest !== bodyDigest) return { kind: "otherContent" };
  if (row.answer_sealed !== null) {
    return { kind: "answered", answer: open(masterKey, row.answer_sealed, context(digest)) };
  }
  if (row.is_held || !(await takeOver(deps, digest, row, claim.holder))) {
    return { kind: "inFlight" };
  }
  return { kind: "claimed", claim: { ...claim, seed: row.seed }, again: true };
};

/** Extends a claim. */
const renew = async ({ db }: KeyDeps, { digest, holder }: Claim): Promise<void> => {
  await sql`
    update idempotency_keys set held_until = now() + make_interval(secs => ${HELD_SECONDS})
    where digest = ${digest} and holder = ${holder} and answer_sealed is null`.execute(db);
};

/** Stores the response for repetitions of the request. A stored response is not replaced. */
const answer = async (
  { masterKey, db }: KeyDeps,
  { digest, seed }: Claim,
  answer: string,
): Promise<void> => {
  const sealed = seal(masterKey, answer, context(digest));
  await sql`
    update idempotency_keys set answer_sealed = ${sealed}
    where digest = ${digest} and seed = ${seed} and answer_sealed is null`.execute(db);
};

/** Releases a request that may have had effects: a repetition executes it with the same ids. */
const leaveOpen = async ({ db }: KeyDeps, { digest, holder }: Claim): Promise<void> => {
  await sql`
    update idempotency_keys set held_until = now()
    where digest = ${digest} and holder = ${holder}`.execute(db);
};

/** Deletes a request without effects: its key can be used again. */
const forget = async ({ db }: KeyDeps, { digest, holder }: Claim): Promise<void> => {
  await sql`
    delete from idempotency_keys
    where digest = ${digest} and holder = ${holder} and answer_sealed is null`.execute(db);
};

/** Releases all claims. Only for the start of a single-process deployment: previous holders are dead. */
const leaveAllOpen = async ({ db }: KeyDeps): Promise<void> => {
  await sql`
    update idempotency_keys set held_until = now()
    where answer_sealed is null and held_until > now()`.execute(db);
};

/** Deletes rows older than a day. Resolves with their number. */
const sweep = async ({ db }: KeyDeps): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where digest in (
      select digest from idempotency_keys
      where begun_at < now() - make_interval(hours => ${KEPT_HOURS})
      limit ${SWEEP_AT_ONCE} for update skip locked)`.execute(db);
  return Number(numAffectedRows ?? 0n);
};

const context = (digest: string): string => `idempotency:${digest}`;
