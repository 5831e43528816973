import type { Clock } from "../../platform/clock.ts";
import type { RefreshTokensState } from "../../stores/identity/refreshTokens.ts";
import {
  type ApiKeysState,
  apiKeyHash,
  type StoredApiKey,
} from "../../stores/organizations/apiKeyHashes.ts";
import { createLru } from "../kernel/lru.ts";

/**
 * How long other processes may accept a revoked session, in milliseconds: less than a second including the lookup. In
 * this process, a revocation applies from the next call.
 */
const TRUST_MS = 800;
const CAPACITY = 10_000;

/** As TRUST_MS, for API keys. A revocation waits this long, so that it then applies in every process. */
export const KEY_TRUST_MS = 250;

/** Caches found values for `trustMs` milliseconds (never misses) and shares concurrent lookups. */
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
      // A lookup that began before `forgetAll` stores its result in the discarded cache.
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
  /** Clears the cache, after a session was revoked. */
  forgetAll(): void;
};

/** Cached checks of sessions. */
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
  /** The key if it was valid at most KEY_TRUST_MS ago; null otherwise. */
  find(key: string): Promise<StoredApiKey | null>;
  /** Clears the cache, after a key was revoked. */
  forgetAll(): void;
};

/** Cached checks of API keys, by hash: keys are not kept in memory. */
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
