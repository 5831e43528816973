import { type OauthProvider, userDecider } from "../../domain/identity/user.ts";
import { newId } from "../../platform/ids.ts";
import { ACCESS_TOKEN_SECONDS } from "../../stores/identity/accessTokens.ts";
import type { Person } from "../../stores/identity/persons.ts";
import {
  type Client,
  type IssuedRefreshToken,
  SESSION_LIFETIME_MS,
} from "../../stores/identity/refreshTokens.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import type { IdentityDeps, SignedIn } from "./deps.ts";

/** Issues an access token to go with a refresh token. */
export const issueTokens = async (
  { accessTokens, clock }: Pick<IdentityDeps, "accessTokens" | "clock">,
  session: {
    readonly person: Person;
    readonly sessionId: string;
    readonly refresh: IssuedRefreshToken;
    readonly receipt: Receipt;
  },
): Promise<SignedIn> => {
  const { person, sessionId, refresh, receipt } = session;
  return {
    person,
    sessionId,
    accessToken: await accessTokens.issue({ userId: person.id, sessionId }),
    expiresInSeconds: ACCESS_TOKEN_SECONDS,
    refreshToken: refresh.token,
    refreshSeconds: Math.floor((Date.parse(refresh.expiresAt) - clock().getTime()) / 1_000),
    receipt,
  };
};

/** Opens a session for an authenticated person. */
export const openSession = async (
  deps: IdentityDeps,
  context: CommandContext,
  person: Person,
  method: "signup" | "password" | OauthProvider,
  client: Client,
): Promise<SignedIn> => {
  const now = deps.clock();
  const session = {
    userId: person.id,
    sessionId: newId(),
    openedAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + SESSION_LIFETIME_MS).toISOString(),
  };
  const command = { type: "openSession", method, ...session } as const;
  const opened = await deps.loop.execute(userDecider, person.id, command, context);
  const refresh = await deps.refreshTokens.open({ ...session, method, client });
  const { sessionId } = session;
  return issueTokens(deps, { person, sessionId, refresh, receipt: receiptOf(opened) });
};
