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

/** Who tries: an e-mail address (or something else that a password is asked for) from a network address. */
export type Attempt = { readonly subject: string; readonly origin: string };

export type SignInAttempts = {
  /** Counts an attempt before the password is looked at. Answers null when it may go on, else when the next may. */
  begin(attempt: Attempt, now: Date): Promise<Date | null>;
  /** The password was right: the attempt does not count. */
  succeeded(attempt: Attempt): Promise<void>;
  /** Whoever proves by mail that the address is theirs starts anew. */
  forgive(subject: string): Promise<void>;
  /** Forgets attempts of long ago. */
  sweep(now: Date): Promise<void>;
};

/**
 * How many may fail before the next has to wait, and how long it waits at most, in seconds; the wait
 * doubles each time. From one origin at one address; at one address from anywhere; from one origin.
 */
const LIMITS = {
  pair: { free: 5, longest: 900 },
  subject: { free: 20, longest: 60 },
  origin: { free: 100, longest: 900 },
} as const;

/** After so long without an attempt all is forgotten, in milliseconds. */
const MEMORY_MS = 3_600_000;

/**
 * Slows down whoever guesses passwords, in every process alike. A wait ends by itself, and whoever has
 * signed in from an origin before is not held up there by what others try elsewhere: an owner is never
 * locked out for good. What is kept are digests under the master key.
 */
export const signInAttempts = (deps: {
  readonly db: Kysely<AttemptTables>;
  readonly masterKey: Buffer;
}): SignInAttempts => {
  const { db, masterKey } = deps;
  const digestOf = (kind: keyof typeof LIMITS, text: string) =>
    hmac(masterKey, `sign_in.${kind}`, text);
  const pairDigest = ({ subject, origin }: Attempt) =>
    digestOf("pair", `${normalizeAddress(subject)} ${origin}`);
  const subjectDigest = (subject: string) => digestOf("subject", normalizeAddress(subject));

  const isKnownHere = async ({ subject, origin }: Attempt, now: Date): Promise<boolean> => {
    const row = await db
      .selectFrom("refresh_families")
      .innerJoin("persons", "persons.id", "refresh_families.user_id")
      .select("persons.id")
      .where(
        "persons.address_hmac",
        "=",
        hmac(masterKey, "person.address", normalizeAddress(subject)),
      )
      .where("refresh_families.address", "=", origin)
      .where("refresh_families.expires_at", ">", now.toISOString())
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  };

  return {
    begin: async (attempt, now) => {
      const keys = [
        { digest: pairDigest(attempt), ...LIMITS.pair },
        { digest: digestOf("origin", attempt.origin), ...LIMITS.origin },
        ...((await isKnownHere(attempt, now))
          ? []
          : [{ digest: subjectDigest(attempt.subject), ...LIMITS.subject }]),
      ].sort((a, b) => (a.digest < b.digest ? -1 : 1));
      return db
        .transaction()
        .execute(async (trx) => {
          const at = now.toISOString();
          const forgotten = new Date(now.getTime() - MEMORY_MS).toISOString();
          let next: Date | null = null;
          // In the order of their digests: two attempts never wait for each other's rows.
          for (const { digest, free, longest } of keys) {
            const { rows } = await sql<{ blocked_until: string; before: string }>`
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
            if (rows.length > 0) continue;
            const held = await trx
              .selectFrom("sign_in_attempts")
              .select("blocked_until")
              .where("digest", "=", digest)
              .executeTakeFirstOrThrow();
            const until = new Date(held.blocked_until);
            if (next === null || until > next) next = until;
          }
          // What must wait was no attempt: it is not counted anywhere.
          if (next !== null) throw new Held(next);
          return null;
        })
        .catch((error: unknown) => {
          if (error instanceof Held) return error.until;
          throw error;
        });
    },

    succeeded: async (attempt) => {
      await db
        .deleteFrom("sign_in_attempts")
        .where("digest", "in", [pairDigest(attempt), subjectDigest(attempt.subject)])
        .execute();
      // Of an origin this one alone: who signs in to one account does not get to guess at all others.
      await db
        .updateTable("sign_in_attempts")
        .set({ count: sql<number>`greatest(count - 1, 0)` })
        .where("digest", "=", digestOf("origin", attempt.origin))
        .execute();
    },

    forgive: async (subject) => {
      await db
        .deleteFrom("sign_in_attempts")
        .where("digest", "=", subjectDigest(subject))
        .execute();
    },

    sweep: async (now) => {
      await db
        .deleteFrom("sign_in_attempts")
        .where("last_at", "<", new Date(now.getTime() - MEMORY_MS).toISOString())
        .execute();
    },
  };
};

/** Undoes what the transaction has counted. */
class Held extends Error {
  readonly until: Date;

  constructor(until: Date) {
    super("held");
    this.until = until;
  }
}

/** Counts nothing: for benchmarks, and wherever RATE_LIMIT is off. */
export const noSignInAttempts: SignInAttempts = {
  begin: async () => null,
  succeeded: async () => undefined,
  forgive: async () => undefined,
  sweep: async () => undefined,
};
