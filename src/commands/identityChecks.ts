import type { Clock } from "../platform/clock.ts";
import {
  type ApiKeysState,
  apiKeyHash,
  type StoredApiKey,
} from "../platform/state/apiKeyHashes.ts";
import type { RefreshTokensState } from "../platform/state/refreshTokens.ts";
import { createLru, type Lru } from "./kernel/lru.ts";

/**
 * How long another process may go on taking a credential that was revoked here, in milliseconds: within a
 * second, the look-up included. In this process a revocation holds from the next call.
 */
const TRUST_MS = 800;
const CAPACITY = 10_000;

/** Remembers what was found a moment ago (never that nothing was), so that a busy credential costs one look-up a second. */
export const remembering = <Value>() => {
  type Known = { readonly value: Value; readonly until: number };
  let known: Lru<string, Known> = createLru(CAPACITY);
  return {
    get: async (key: string, find: () => Promise<Value | null>): Promise<Value | null> => {
      const hit = known.get(key);
      if (hit && hit.until > performance.now()) return hit.value;
      const at = known;
      const until = performance.now() + TRUST_MS;
      const value = await find();
      // What was looked up before everything was forgotten goes into the map that nobody asks any more.
      if (value === null) at.delete(key);
      else at.set(key, { value, until });
      return value;
    },
    forgetAll: (): void => {
      known = createLru(CAPACITY);
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
  const open = remembering<true>();
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
  /** The key's identity when it may be used, as of at most a second ago; null otherwise. */
  find(key: string): Promise<StoredApiKey | null>;
  /** Makes the next check look again, after a key was revoked. */
  forgetAll(): void;
};

/** Checks of API keys, remembered for a moment, by hash: no key stays in memory. */
export const createApiKeyChecks = (deps: {
  readonly apiKeys: Pick<ApiKeysState, "findUsable">;
  readonly clock: Clock;
}): ApiKeyChecks => {
  const usable = remembering<StoredApiKey>();
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
