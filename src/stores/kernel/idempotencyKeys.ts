import { type Kysely, sql } from "kysely";
import { hmac, open, seal } from "../../platform/crypto.ts";
import { newId } from "../../platform/ids.ts";

/** How long an answer is given again, in hours (operations.md, "Writes"). */
const KEPT_HOURS = 24;
/** Who works on a request says so at least this often, in seconds; after that another may go on with it. */
const HELD_SECONDS = 5;
/** How many rows one sweep deletes at most. */
const SWEEP_AT_ONCE = 5_000;

/** A request that came with a key, and what tells it from others. */
export type KeyedRequest = {
  /** Who asks, such as `api_key:<id>`. */
  readonly principal: string;
  readonly organizationId: string | null;
  readonly method: string;
  /** The path as it was called, with its ids, without the query. */
  readonly path: string;
  readonly key: string;
  /** Everything else that the answer depends on: query, body, preconditions. Only its digest is kept. */
  readonly content: string;
};

/** The right to act on a request. `seed`: what its ids are made from, the same whoever acts on it and when. */
export type Claim = { readonly digest: string; readonly seed: string; readonly holder: string };

export type Begun =
  /** Nobody acts on it now. `again`: somebody did, and nobody knows how far that went. */
  | { readonly kind: "claimed"; readonly claim: Claim; readonly again: boolean }
  | { readonly kind: "answered"; readonly answer: string }
  /** Somebody acts on it at this moment. */
  | { readonly kind: "inFlight" }
  /** The key was used for a request of other content. */
  | { readonly kind: "otherContent" };

export type IdempotencyKeys = {
  begin(request: KeyedRequest): Promise<Begun>;
  /** Says that the claim's holder still works on it. */
  renew(claim: Claim): Promise<void>;
  /** Keeps the answer for whoever asks again. The first one stays. */
  answer(claim: Claim, answer: string): Promise<void>;
  /** Lets go of a request that may have done something: whoever asks again goes on with it, under the same ids. */
  leaveOpen(claim: Claim): Promise<void>;
  /** Forgets a request that did nothing: the key is free again. */
  forget(claim: Claim): Promise<void>;
  /** Takes those who acted when a process died for gone. For a deployment of one process, at its start. */
  leaveAllOpen(): Promise<void>;
  /** Deletes what is older than a day. Answers how many rows. */
  sweep(): Promise<number>;
};

type Row = {
  readonly body_digest: string;
  readonly seed: string;
  readonly holder: string;
  readonly answer_sealed: string | null;
  /** Somebody acts on it. */
  readonly is_held: boolean;
  /** It was begun more than a day ago. */
  readonly is_over: boolean;
};

/** The rows of requests with an Idempotency-Key. The database's clock decides what is over. */
export const idempotencyKeys = (deps: {
  readonly db: Kysely<unknown>;
  readonly masterKey: Buffer;
}): IdempotencyKeys => {
  const { db, masterKey } = deps;

  /** False where there is a row already. It waits for no lock: whoever holds one is at work on that row. */
  const insert = async (request: KeyedRequest, claim: Claim, bodyDigest: string) => {
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

  const find = async (digest: string): Promise<Row | null> => {
    const { rows } = await sql<Row>`
      select body_digest, seed, holder, answer_sealed, held_until > now() and answer_sealed is null as is_held,
        begun_at < now() - make_interval(hours => ${KEPT_HOURS}) as is_over
      from idempotency_keys where digest = ${digest}`.execute(db);
    return rows[0] ?? null;
  };

  /** Begins anew on a row of which nothing counts any more. */
  const renewRow = async (row: Row, claim: Claim, bodyDigest: string): Promise<boolean> => {
    const { rows } = await sql`
      update idempotency_keys
      set body_digest = ${bodyDigest}, seed = ${claim.seed}, holder = ${claim.holder},
        held_until = now() + make_interval(secs => ${HELD_SECONDS}), begun_at = now(),
        answer_sealed = null
      where digest = ${claim.digest} and holder = ${row.holder}
      returning digest`.execute(db);
    return rows.length > 0;
  };

  /** Of several who would go on with what was left open, one does. */
  const takeOver = async (digest: string, row: Row, holder: string): Promise<boolean> => {
    const { rows } = await sql`
      update idempotency_keys
      set holder = ${holder}, held_until = now() + make_interval(secs => ${HELD_SECONDS})
      where digest = ${digest} and holder = ${row.holder} and answer_sealed is null
        and held_until <= now()
      returning digest`.execute(db);
    return rows.length > 0;
  };

  return {
    begin: async (request) => {
      const { principal, organizationId, method, path, key } = request;
      const whose = JSON.stringify([principal, organizationId, method, path, key]);
      const digest = hmac(masterKey, "idempotency.key", whose);
      const bodyDigest = hmac(masterKey, "idempotency.content", request.content);
      const claim: Claim = { digest, seed: newId(), holder: newId() };
      if (await insert(request, claim, bodyDigest)) return { kind: "claimed", claim, again: false };
      const row = await find(digest);
      // Forgotten between the two: whoever had it is done with it at this moment.
      if (!row) return { kind: "inFlight" };
      if (row.is_over && !row.is_held) {
        const isOurs = await renewRow(row, claim, bodyDigest);
        return isOurs ? { kind: "claimed", claim, again: false } : { kind: "inFlight" };
      }
      if (row.body_digest !== bodyDigest) return { kind: "otherContent" };
      if (row.answer_sealed !== null) {
        return { kind: "answered", answer: open(masterKey, row.answer_sealed, context(digest)) };
      }
      if (row.is_held || !(await takeOver(digest, row, claim.holder))) return { kind: "inFlight" };
      return { kind: "claimed", claim: { ...claim, seed: row.seed }, again: true };
    },

    renew: async ({ digest, holder }) => {
      await sql`
        update idempotency_keys set held_until = now() + make_interval(secs => ${HELD_SECONDS})
        where digest = ${digest} and holder = ${holder} and answer_sealed is null`.execute(db);
    },

    answer: async ({ digest, seed }, answer) => {
      const sealed = seal(masterKey, answer, context(digest));
      await sql`
        update idempotency_keys set answer_sealed = ${sealed}
        where digest = ${digest} and seed = ${seed} and answer_sealed is null`.execute(db);
    },

    leaveOpen: async ({ digest, holder }) => {
      await sql`
        update idempotency_keys set held_until = now()
        where digest = ${digest} and holder = ${holder}`.execute(db);
    },

    forget: async ({ digest, holder }) => {
      await sql`
        delete from idempotency_keys
        where digest = ${digest} and holder = ${holder} and answer_sealed is null`.execute(db);
    },

    leaveAllOpen: async () => {
      await sql`
        update idempotency_keys set held_until = now()
        where answer_sealed is null and held_until > now()`.execute(db);
    },

    sweep: async () => {
      const { numAffectedRows } = await sql`
        delete from idempotency_keys where digest in (
          select digest from idempotency_keys
          where begun_at < now() - make_interval(hours => ${KEPT_HOURS})
          limit ${SWEEP_AT_ONCE} for update skip locked)`.execute(db);
      return Number(numAffectedRows ?? 0n);
    },
  };
};

const context = (digest: string): string => `idempotency:${digest}`;
