import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { hmac, randomToken } from "../../platform/crypto.ts";
import { newId } from "../../platform/ids.ts";

export type OauthFlowTables = {
  oauth_flows: {
    id: string;
    state_hash: Buffer;
    browser_hash: Buffer;
    provider: string;
    return_to: string;
    expires_at: string;
  };
};

/** The time limit of a sign-in at a provider, in seconds. */
export const OAUTH_FLOW_SECONDS = 600;

/** The values sent to the provider and the values to verify its answer with. */
export type OauthSecrets = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
};

export type OauthFlowsState = {
  /** Starts the sign-in of a browser. `browser` is the value of its cookie. */
  begin(flow: {
    readonly provider: string;
    readonly browser: string;
    readonly returnTo: string;
    readonly at: Date;
  }): Promise<OauthSecrets>;
  /** Takes a sign-in to end it: once, in the browser that began it, in time, for the same provider. Else null. */
  take(answer: {
    readonly provider: string;
    readonly browser: string;
    readonly state: string;
    readonly at: Date;
  }): Promise<(OauthSecrets & { readonly returnTo: string }) | null>;
  /** Deletes expired sign-ins. */
  sweep(now: Date): Promise<void>;
};

/**
 * Sign-ins that were begun at other providers. State and cookie are kept as SHA-256; nonce and PKCE's verifier
 * are kept nowhere: they are made from the sign-in's id, under the master key.
 */
export const oauthFlowsState = (deps: {
  readonly db: Kysely<OauthFlowTables>;
  readonly masterKey: Buffer;
}): OauthFlowsState => {
  const { db, masterKey } = deps;
  const secretsOf = (id: string, state: string): OauthSecrets => ({
    state,
    nonce: hmac(masterKey, "oauth.nonce", id),
    verifier: hmac(masterKey, "oauth.verifier", id),
  });
  return {
    begin: async ({ provider, browser, returnTo, at }) => {
      const id = newId();
      const state = randomToken();
      await db
        .insertInto("oauth_flows")
        .values({
          id,
          state_hash: hashOf(state),
          browser_hash: hashOf(browser),
          provider,
          return_to: returnTo,
          expires_at: new Date(at.getTime() + OAUTH_FLOW_SECONDS * 1_000).toISOString(),
        })
        .execute();
      return secretsOf(id, state);
    },
    take: async ({ provider, browser, state, at }) => {
      // A wrong cookie does not consume the state of another browser.
      const taken = await db
        .deleteFrom("oauth_flows")
        .where("state_hash", "=", hashOf(state))
        .where("browser_hash", "=", hashOf(browser))
        .where("provider", "=", provider)
        .where("expires_at", ">", at.toISOString())
        .returning(["id", "return_to"])
        .executeTakeFirst();
      return taken ? { ...secretsOf(taken.id, state), returnTo: taken.return_to } : null;
    },
    sweep: async (now) => {
      await db.deleteFrom("oauth_flows").where("expires_at", "<", now.toISOString()).execute();
    },
  };
};

const hashOf = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();
