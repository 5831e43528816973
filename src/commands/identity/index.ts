import type { Person } from "../../stores/identity/persons.ts";
import { accountCommands } from "./account.ts";
import type { IdentityDeps } from "./deps.ts";
import { oauthCommands } from "./oauth.ts";
import { personCommands } from "./persons.ts";
import { recordRefusedSignIns } from "./refusedSignIns.ts";
import { sessionCommands } from "./sessions.ts";
import { settingsCommands } from "./settings.ts";
import { logIn, logOut, refresh, type Session, signUp } from "./signIn.ts";

export type { SignedIn } from "./deps.ts";

export type IdentityCommands = ReturnType<typeof identityCommands>;

/** Commands of accounts, sessions and personal data. */
export const identityCommands = (deps: IdentityDeps) => ({
  ...accountCommands(deps),
  ...sessionCommands(deps),
  ...settingsCommands(deps),
  ...personCommands(deps),
  ...oauthCommands(deps),
  signUp: signUp.bind(null, deps),
  logIn: logIn.bind(null, deps),
  refresh: refresh.bind(null, deps),
  logOut: logOut.bind(null, deps),
  recordRefusedSignIns: recordRefusedSignIns.bind(null, deps),

  /** The session of a refresh token, used or not; null if the token is unknown. */
  sessionOfRefreshToken: (token: string): Promise<Session | null> =>
    deps.refreshTokens.sessionOf(token),

  /** The session of a valid refresh token, without rotating the token; null otherwise. */
  openSessionOfRefreshToken: (token: string): Promise<Session | null> =>
    deps.refreshTokens.peek(token, deps.clock()),

  /** The session of a valid access token; null if the token is invalid or the session has ended. */
  sessionOfAccessToken: async (token: string): Promise<Session | null> => {
    const session = await deps.accessTokens.verify(token);
    return session && (await deps.sessions.isOpen(session)) ? session : null;
  },

  findPerson: (userId: string): Promise<Person | null> => deps.persons.find(userId),

  /** The public keys that verify access tokens (RFC 7517). */
  jwks: deps.accessTokens.jwks,
});
