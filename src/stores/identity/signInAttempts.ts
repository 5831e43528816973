import { type Kysely, sql } from "kysely";
import { hmac } from "../../platform/crypto.ts";
import { normalizeAddress } from "./persons.ts";

export type AttemptTables = {
  sign_in_attempts: {
    digest: string;
    count: number;
    last_at: string;
    blocked_until: string;
  };
  persons: { id: string; address_hmac: string };
  refresh_families: { user_id: string; address: string; expires_at: string };
};

/** `subject`: an e-mail address or user; `origin`: a network address. */
export type Attempt = { readonly subject: string; readonly origin: string };

export type SignInAttempts = {
  /** Counts an attempt before the password is checked. Returns null if it may proceed, else when the next may. */
  begin(attempt: Attempt, now: Date): Promise<Date | null>;
  /** Removes a successful attempt from the counts. */
  succeeded(attempt: Attempt): Promise<void>;
  /** Resets the counts of a subject that has proved ownership of its address by mail. */
  forgive(subject: string): Promise<void>;
  /** Deletes counters that have reset. */
  sweep(now: Date): Promise<void>;
};

/**
 * Failures allowed before the first wait, and the longest wait in seconds; the wait doubles each time. Counted per
 * origin and subject, per subject, and per origin.
 */
const LIMITS = {
  pair: { free: 5, longest: 900 },
  subject: { free: 20, longest: 60 },
  origin: { free: 100, longest: 900 },
} as const;

/** Counters reset after this time without an attempt, in milliseconds. */
const RETENTION_MS = 3_600_000;

/**
 * Slows down password guessing across all processes. A wait ends by itself, and an origin from which the person has
 * signed in before is exempt from the limit per subject, so that the owner is never locked out. Only digests under
 * the master key are stored.
 */
export const signInAttempts = (deps: Deps): SignInAttempts => {
  const { db } = deps;
  return {
    begin: (attempt, now) => begin(deps, attempt, now),

    succeeded: async (attempt) => {
      const digests = [pairDigest(deps, attempt), subjectDigest(deps, attempt.subject)];
      await db.deleteFrom("sign_in_attempts").where("digest", "in", digests).execute();
      // Only this attempt: a sign-in to one account must not allow more guesses at others.
      await db
        .updateTable("sign_in_attempts")
        .set({ count: sql<number>`greatest(count - 1, 0)` })
        .where("digest", "=", digestOf(deps, "origin", attempt.origin))
        .execute();
    },

    forgive: async (subject) => {
      await db
        .deleteFrom("sign_in_attempts")
        .where("digest", "=", subjectDigest(deps, subject))
        .execute();
    },

    sweep: async (now) => {
      await db
        .deleteFrom("sign_in_attempts")
        .where("last_at", "<", new Date(now.getTime() - RETENTION_MS).toISOString())
        .execute();
    },
  };
};

type Deps = { readonly db: Kysely<AttemptTables>; readonly masterKey: Buffer };

const digestOf = ({ masterKey }: Deps, kind: keyof typeof LIMITS, text: string): string =>
  hmac(masterKey, `sign_in.${kind}`, text);

const pairDigest = (deps: Deps, { subject, origin }: Attempt): string =>
  digestOf(deps, "pair", `${normalizeAddress(subject)} ${origin}`);

const subjectDigest = (deps: Deps, subject: string): string =>
  digestOf(deps, "subject", normalizeAddress(subject));

/** Whether the person with the address has a session from the origin. */
const isKnownOrigin = async (
  { db, masterKey }: Deps,
  { subject, origin }: Attempt,
  now: Date,
): Promise<boolean> => {
  const addressDigest = hmac(masterKey, "person.address", normalizeAddress(subject));
  const row = await db
    .selectFrom("refresh_families")
    .innerJoin("persons", "persons.id", "refresh_families.user_id")
    .select("persons.id")
    .where("persons.address_hmac", "=", addressDigest)
    .where("refresh_families.address", "=", origin)
    .where("refresh_families.expires_at", ">", now.toISOString())
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
};

type Counter = { readonly digest: string; readonly free: number; readonly longest: number };

const begin = async (deps: Deps, attempt: Attempt, now: Date): Promise<Date | null> => {
  const isKnown = await isKnownOrigin(deps, attempt, now);
  const subject = { digest: subjectDigest(deps, attempt.subject), ...LIMITS.subject };
  const counters: Counter[] = [
    { digest: pairDigest(deps, attempt), ...LIMITS.pair },
    { digest: digestOf(deps, "origin", attempt.origin), ...LIMITS.origin },
    ...(isKnown ? [] : [subject]),
  ];
  // A fixed lock order prevents deadlocks between attempts.
  counters.sort((a, b) => (a.digest < b.digest ? -1 : 1));
  return deps.db
    .transaction()
    .execute(async (trx) => {
      let next: Date | null = null;
      for (const counter of counters) {
        const until = await count(trx, counter, now);
        if (until !== null && (next === null || until > next)) next = until;
      }
      // A blocked attempt is not counted.
      if (next !== null) throw new Blocked(next);
      return null;
    })
    .catch((error: unknown) => {
      if (error instanceof Blocked) return error.until;
      throw error;
    });
};

/** Counts an attempt. Returns the end of the wait if the counter is blocked, else null. */
const count = async (
  trx: Kysely<AttemptTables>,
  { digest, free, longest }: Counter,
  now: Date,
): Promise<Date | null> => {
  const at = now.toISOString();
  const forgotten = new Date(now.getTime() - RETENTION_MS).toISOString();
  const { rows } = await sql`
    insert into sign_in_attempts as known (digest, count, last_at, blocked_until)
    values (${digest}, 1, ${at}, ${at})
    on conflict (digest) do update set
      count = case when known.last_at < ${forgotten} then 1 else known.count + 1 end,
      last_at = ${at},
      blocked_until = ${at}::timestamptz + make_interval(secs => case
        when known.last_at < ${forgotten} or known.count < ${free} then 0
        else least(${longest}::float8, power(2, least(known.count - ${free}, 20))) end)
    where known.blocked_until <= ${at}
    returning known.blocked_until`.execute(trx);
  if (rows.length > 0) return null;
  const blocked = await trx
    .selectFrom("sign_in_attempts")
    .select("blocked_until")
    .where("digest", "=", digest)
    .executeTakeFirstOrThrow();
  return new Date(blocked.blocked_until);
};

/** Rolls back the counts of the transaction. */
class Blocked extends Error {
  readonly until: Date;

  constructor(until: Date) {
    super("blocked");
    this.until = until;
  }
}

/** Counts nothing: for benchmarks and RATE_LIMIT=off. */
export const noSignInAttempts: SignInAttempts = {
  begin: async () => null,
  succeeded: async () => undefined,
  forgive: async () => undefined,
  sweep: async () => undefined,
};
