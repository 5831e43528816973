import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";

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
};

/**
 * Password hashing off the event loop, at most `atOnce` at a time (all cores but one): each takes 19 MiB and a
 * core, and a crowd that signs in must not starve everything else. Up to `waiting` others wait in the order they
 * came, some seconds at most; whoever comes then is refused at once, instead of being answered too late.
 */
export const createPasswords = (
  options: { readonly atOnce?: number; readonly waiting?: number } = {},
): Passwords => {
  const atOnce = options.atOnce ?? Math.max(1, availableParallelism() - 1);
  const inTurn = limit(atOnce, options.waiting ?? WAITING_FOR_EACH * atOnce);
  let dummy: Promise<string> | null = null;
  const dummyHash = (): Promise<string> => {
    dummy ??= hash(randomBytes(32), COST);
    return dummy;
  };
  // Made now: else the first unknown address would take twice as long to refuse.
  void dummyHash().catch(() => undefined);

  return {
    hash: (password) => inTurn(() => hash(canonical(password), COST)),
    verify: (stored, password) =>
      inTurn(async () => {
        const fits = await verify(stored ?? (await dummyHash()), canonical(password));
        return stored !== null && fits;
      }),
  };
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
