import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { createPasswordThreads } from "./passwordThreads.ts";

/** argon2id as OWASP asks for it: 19 MiB, two passes, one lane. About 30 ms of one core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** So many for each that is worked on: about three seconds. */
const WAITING_FOR_EACH = 100;

/** More wait for their turn than could have it in good time. Nothing was done; it can be tried again. */
export class PasswordsBusyError extends Error {
  constructor() {
    super("Too many passwords wait to be checked");
    this.name = "PasswordsBusyError";
  }
}

export type Passwords = {
  /** Rejects with PasswordsBusyError, as `verify` does, when too many wait. */
  hash(password: string): Promise<string>;
  /** Whether the password fits; with null for the hash, never, but after the same work. */
  verify(hash: string | null, password: string): Promise<boolean>;
  /**
   * Does what one sign-in needs when its turn has come, so that the look-ups of a crowd do not come all at once
   * either. Rejects with PasswordsBusyError when too many wait.
   */
  admit<T>(signIn: () => Promise<T>): Promise<T>;
};

/**
 * Password hashing off the event loop, at most `atOnce` at a time (all cores but one) and behind everything else
 * that wants a core: each takes 19 MiB, and a crowd that signs in must not starve the others. Up to `waiting`
 * others wait in the order they came, some seconds at most; whoever comes then is refused at once, instead of
 * being answered too late.
 */
export const createPasswords = (
  options: { readonly atOnce?: number; readonly waiting?: number } = {},
): Passwords => {
  const atOnce = options.atOnce ?? Math.max(1, availableParallelism() - 1);
  const inTurn = limit(atOnce, options.waiting ?? WAITING_FOR_EACH * atOnce);
  // One more than are hashed: its look-ups are done while the others' hashes are.
  const admit = limit(atOnce + 1, options.waiting ?? WAITING_FOR_EACH * atOnce);
  const threads = createPasswordThreads();
  const nobodys = hashOfNothing();

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
        const hash = stored ?? nobodys;
        const answer = await threads.ask({ kind: "verify", password: canonical(password), hash });
        return stored !== null && answer.kind === "verified" && answer.fits;
      }),
    admit,
  };
};

/** A hash of the same cost that no password has: checking against it takes as long as against anybody's. */
const hashOfNothing = (): string => {
  const random = (bytes: number) => randomBytes(bytes).toString("base64").replaceAll("=", "");
  const cost = `m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}`;
  return `$argon2id$v=19$${cost}$${random(16)}$${random(32)}`;
};

/** The same password typed on two keyboards is the same bytes. */
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
