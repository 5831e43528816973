import type { Clock } from "../../platform/clock.ts";
import type { RefreshTokensState } from "../../stores/identity/refreshTokens.ts";
import {
  type ApiKeysState,
  apiKeyHash,
  type StoredApiKey,
} from "../../stores/organizations/apiKeyHashes.ts";
import { createLru } from "../kernel/lru.ts";

/**
 * How long another process may go on taking a credential that was revoked here, in milliseconds: within a
 * second, the look-up included. In this process a revocation holds from the next call.
 */
const TRUST_MS = 800;
const CAPACITY = 10_000;

/**
 * As long as that for API keys, whose revocation waits until no process can remember the key any more: it
 * holds from the next call in each of them.
 */
export const KEY_TRUST_MS = 250;

/**
 * Remembers what was found a moment ago (never that nothing was), so that a busy credential costs one
 * look-up a second, however many ask for it at the same time.
 */
export const createLookupCache = <Value>(trustMs = TRUST_MS) => {
  type Known = { readonly value: Value; readonly until: number };
  type UnderWay = { readonly finding: Promise<Value | null>; readonly until: number };
  const newMemory = () => ({
    known: createLru<string, Known>(CAPACITY),
    underWay: new Map<string, UnderWay>(),
  });
  let memory = newMemory();
  return {
    get: async (key: string, find: () => Promise<Value | null>): Promise<Value | null> => {
      // What was looked up before everything was forgotten goes into a memory that nobody asks any more.
      const { known, underWay } = memory;
      const now = performance.now();
      const hit = known.get(key);
      if (hit && hit.until > now) return hit.value;
      const asked = underWay.get(key);
      if (asked && asked.until > now) return asked.finding;
      const until = now + trustMs;
      const finding = find();
      const mine = { finding, until };
      underWay.set(key, mine);
      try {
        const value = await finding;
        if (value === null) known.delete(key);
        else known.set(key, { value, until });
        return value;
      } finally {
        if (underWay.get(key) === mine) underWay.delete(key);
      }
    },
    forgetAll: (): void => {
      memory = newMemory();
    },
  };
};

export type SessionChecks = {
  /** Whether a user's session is open, as of at most a second ago. */
  isOpen(session: { readonly sessionId: string; readonly userId: string }): Promise<boolean>;
  /** Makes the next check look again, after a session was revoked. */
  forgetAll(): void;
};

/** Checks of sessions, remembered for a moment. */
export const createSessionChecks = (deps: {
  readonly refreshTokens: Pick<RefreshTokensState, "isOpen">;
  readonly clock: Clock;
}): SessionChecks => {
  const open = createLookupCache<true>();
  return {
    isOpen: async ({ sessionId, userId }) => {
      const find = async () =>
        (await deps.refreshTokens.isOpen(sessionId, userId, deps.clock())) || null;
      return (await open.get(`${sessionId} ${userId}`, find)) ?? false;
    },
    forgetAll: open.forgetAll,
  };
};

export type ApiKeyChecks = {
  /** The key's identity when it may be used, as of at most KEY_TRUST_MS ago; null otherwise. */
  find(key: string): Promise<StoredApiKey | null>;
  /** Makes the next check look again, after a key was revoked. */
  forgetAll(): void;
};

/** Checks of API keys, remembered for a moment, by hash: no key stays in memory. */
export const createApiKeyChecks = (deps: {
  readonly apiKeys: Pick<ApiKeysState, "findUsable">;
  readonly clock: Clock;
}): ApiKeyChecks => {
  const usable = createLookupCache<StoredApiKey>(KEY_TRUST_MS);
  return {
    find: async (key) => {
      const hash = apiKeyHash(key);
      const now = deps.clock();
      const found = await usable.get(hash.toString("base64"), () =>
        deps.apiKeys.findUsable(hash, now),
      );
      return found?.expiresAt && found.expiresAt <= now.toISOString() ? null : found;
    },
    forgetAll: usable.forgetAll,
  };
};
