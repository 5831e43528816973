import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { createPasswordThreads } from "./passwordThreads.ts";

/** argon2id with the parameters of OWASP: 19 MiB, two passes, one lane. About 30 ms of one core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Waiting requests per concurrent hash: about three seconds. */
const WAITING_FOR_EACH = 100;

/** The queue is full. Nothing was done, and the call can be retried. */
export class PasswordsBusyError extends Error {
  constructor() {
    super("Too many passwords wait to be checked");
    this.name = "PasswordsBusyError";
  }
}

export type Passwords = {
  /** Rejects with PasswordsBusyError if the queue is full, as `verify` does. */
  hash(password: string): Promise<string>;
  /** Whether the password matches the hash. A null hash never matches, but takes the same time. */
  verify(hash: string | null, password: string): Promise<boolean>;
  /**
   * Executes the work of one sign-in within the concurrency limit, so that its look-ups are limited too. Rejects with
   * PasswordsBusyError if the queue is full.
   */
  admit<T>(signIn: () => Promise<T>): Promise<T>;
};

/**
 * Hashes passwords off the event loop and at low priority, at most `atOnce` concurrently (by default all cores but
 * one): each hash takes 19 MiB, and many sign-ins must not starve other requests. Up to `waiting` further requests
 * queue in FIFO order for a few seconds; when the queue is full, new requests are rejected immediately.
 */
export const createPasswords = (
  options: { readonly atOnce?: number; readonly waiting?: number } = {},
): Passwords => {
  const atOnce = options.atOnce ?? Math.max(1, availableParallelism() - 1);
  const inTurn = limit(atOnce, options.waiting ?? WAITING_FOR_EACH * atOnce);
  // One more than the concurrent hashes, so that its look-ups overlap with hashing.
  const admit = limit(atOnce + 1, options.waiting ?? WAITING_FOR_EACH * atOnce);
  const threads = createPasswordThreads();
  const unmatchable = hashWithoutPassword();

  return {
    hash: (password) =>
      inTurn(async () => {
        const answer = await threads.ask({
          kind: "hash",
          password: canonical(password),
          cost: COST,
        });
        if (answer.kind !== "hashed") throw new Error("A password was not hashed");
        return answer.hash;
      }),
    verify: (stored, password) =>
      inTurn(async () => {
        const hash = stored ?? unmatchable;
        const answer = await threads.ask({ kind: "verify", password: canonical(password), hash });
        return stored !== null && answer.kind === "verified" && answer.fits;
      }),
    admit,
  };
};

/** A hash of the same cost that no password matches: verifying against it takes the same time. */
const hashWithoutPassword = (): string => {
  const random = (bytes: number) => randomBytes(bytes).toString("base64").replaceAll("=", "");
  const cost = `m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}`;
  return `$argon2id$v=19$${cost}$${random(16)}$${random(32)}`;
};

/** Equal passwords from different keyboards have equal bytes. */
const canonical = (password: string): string => password.normalize("NFC");

const limit = (atOnce: number, maxWaiting: number) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting.length >= maxWaiting) throw new PasswordsBusyError();
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
};
