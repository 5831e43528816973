import {
  type OauthProvider,
  type SignInRule,
  signInRule,
  userDecider,
} from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { derivedId, newId } from "../../platform/ids.ts";
import { ACCESS_TOKEN_SECONDS } from "../../stores/identity/accessTokens.ts";
import type { Person } from "../../stores/identity/persons.ts";
import {
  type Client,
  type IssuedRefreshToken,
  SESSION_LIFETIME_MS,
} from "../../stores/identity/refreshTokens.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { joinReceipts, nothingRecorded, type Receipt, receiptOf } from "../kernel/receipt.ts";
import { accountCommands } from "./account.ts";
import { by, type IdentityDeps, type SignedIn, STRANGERS, tooManyAttempts } from "./deps.ts";
import { oauthCommands } from "./oauth.ts";
import { personCommands } from "./persons.ts";
import { sessionCommands } from "./sessions.ts";
import { settingsCommands } from "./settings.ts";
import { foundAccount } from "./signUp.ts";

type Session = { readonly userId: string; readonly sessionId: string };

export type { SignedIn } from "./deps.ts";

export type IdentityCommands = ReturnType<typeof identityCommands>;

/** A count is recorded this long after its minute, in milliseconds: by then nobody adds to it any more. */
const SETTLED_AFTER_MS = 10_000;

/** Accounts and sessions: signing up and in, refreshing, logging out. */
export const identityCommands = (deps: IdentityDeps) => {
  const { loop, clock, persons, passwords, refreshTokens, signInRefusals, sessions } = deps;

  const signedIn = async (
    person: Person,
    sessionId: string,
    refresh: IssuedRefreshToken,
    receipt: Receipt,
  ): Promise<SignedIn> => ({
    person,
    sessionId,
    accessToken: await deps.accessTokens.issue({ userId: person.id, sessionId }),
    expiresInSeconds: ACCESS_TOKEN_SECONDS,
    refreshToken: refresh.token,
    refreshSeconds: Math.floor((Date.parse(refresh.expiresAt) - clock().getTime()) / 1_000),
    receipt,
  });

  const openSession = async (
    context: CommandContext,
    person: Person,
    method: "signup" | "password" | OauthProvider,
    client: Client,
  ): Promise<SignedIn> => {
    const now = clock();
    const session = {
      userId: person.id,
      sessionId: newId(),
      openedAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + SESSION_LIFETIME_MS).toISOString(),
    };
    const opened = await loop.execute(
      userDecider,
      person.id,
      { type: "openSession", method, ...session },
      context,
    );
    const refresh = await refreshTokens.open({ ...session, method, client });
    return signedIn(person, session.sessionId, refresh, receiptOf(opened));
  };

  const revokeSession = async (
    context: CommandContext,
    session: Session,
    reason: "logout" | "refresh_token_reused",
  ): Promise<Receipt> => {
    // The row first: whatever becomes of the event, the session is over.
    await refreshTokens.revoke(session.sessionId, clock().toISOString());
    sessions.forgetAll();
    return receiptOf(
      await loop.execute(
        userDecider,
        session.userId,
        { type: "revokeSession", reason, ...session },
        by(context, session.userId),
      ),
    );
  };

  return {
    ...accountCommands(deps),
    ...sessionCommands(deps),
    ...settingsCommands(deps),
    ...personCommands(deps),
    ...oauthCommands(deps, openSession),

    /**
     * Signs a person up with an organisation of their own, on the free plan, and opens a session.
     * A signup that broke on the way resumes with the same ids; of several at once for one address, one
     * succeeds. Throws `user.addressTaken`.
     */
    signUp: async (
      context: CommandContext,
      input: {
        readonly email: string;
        readonly password: string;
        readonly name: string;
        readonly organizationName: string | null;
        readonly client: Client;
      },
    ): Promise<SignedIn> => {
      const passwordHash = () => passwords.hash(input.password);
      const founded = await foundAccount(deps, context, {
        ...input,
        credential: { kind: "password", passwordHash },
      });
      const { person } = founded;
      const session = await openSession(by(context, person.id), person, "signup", input.client);
      return { ...session, receipt: joinReceipts([founded.receipt, session.receipt]) };
    },

    /**
     * Opens a session for whoever knows the password. Throws `identity.signInRefused`, the same and after
     * the same work whether the address is known or not, and `identity.tooManyAttempts` when too many
     * failed before: the next may be in some seconds.
     */
    logIn: (
      context: CommandContext,
      input: { readonly email: string; readonly password: string; readonly client: Client },
    ): Promise<SignedIn> =>
      passwords.admit(async () => {
        const attempt = { subject: input.email, origin: input.client.address };
        const next = await deps.attempts.begin(attempt, clock());
        if (next !== null) throw tooManyAttempts(next, clock());
        const credential = await persons.findCredential(input.email);
        const fits = await passwords.verify(credential?.passwordHash ?? null, input.password);
        if (!credential || !fits) {
          await signInRefusals.count({
            principal:
              credential?.person.id ?? derivedId(STRANGERS, persons.addressDigest(input.email)),
            rule: "wrong_password" satisfies SignInRule,
            known: credential !== null,
            at: clock(),
          });
          throw new DomainError(
            "identity.signInRefused",
            "The e-mail address or the password is wrong.",
          );
        }
        await deps.attempts.succeeded(attempt);
        const { person } = credential;
        return openSession(by(context, person.id), person, "password", input.client);
      }),

    /**
     * Changes a refresh token into its successor and a new access token. Throws `identity.sessionEnded`
     * when it is not good any more; one that was used before ends its session.
     */
    refresh: async (context: CommandContext, token: string, client: Client): Promise<SignedIn> => {
      const rotation = await refreshTokens.rotate(token, clock(), client);
      if (rotation.kind === "reused") {
        await revokeSession(context, rotation, "refresh_token_reused");
      }
      if (rotation.kind !== "rotated") throw sessionEnded();
      const person = await persons.find(rotation.userId);
      if (!person) throw sessionEnded();
      return signedIn(person, rotation.sessionId, rotation.next, nothingRecorded);
    },

    /** Ends a session. Ending it twice is ending it once. */
    logOut: (context: CommandContext, session: Session): Promise<Receipt> =>
      revokeSession(context, session, "logout"),

    /** The session of a refresh token, used or not; null when the token is unknown. */
    sessionOfRefreshToken: (token: string): Promise<Session | null> =>
      refreshTokens.sessionOf(token),

    /** The session that an access token names, if the token is good and the session open; null otherwise. */
    sessionOfAccessToken: async (token: string): Promise<Session | null> => {
      const session = await deps.accessTokens.verify(token);
      return session && (await sessions.isOpen(session)) ? session : null;
    },

    /** The session of a refresh token that is good now, without using it; null otherwise. */
    openSessionOfRefreshToken: (token: string): Promise<Session | null> =>
      refreshTokens.peek(token, clock()),

    findPerson: (userId: string): Promise<Person | null> => persons.find(userId),

    /** The keys that verify access tokens (RFC 7517). */
    jwks: deps.accessTokens.jwks,

    /**
     * Records the refused sign-ins of the minutes that have ended: one event for each user, rule and
     * minute, with a count. To be called now and then; what another process records too stands once.
     */
    recordRefusedSignIns: async (): Promise<void> => {
      const settled = new Date(clock().getTime() - SETTLED_AFTER_MS);
      for (const counted of await signInRefusals.ended(settled)) {
        if (counted.known) {
          const { principal: userId, minute, count } = counted;
          const rule = signInRule.parse(counted.rule);
          const eventId = derivedId(userId, `${rule} ${minute}`);
          await loop
            .execute(
              userDecider,
              userId,
              { type: "recordRefusedSignIns", userId, rule, minute, count },
              {
                actor: { type: "system", id: "identity" },
                organizationId: null,
                correlationId: eventId,
                causationId: eventId,
                occurredAt: minute,
              },
              { eventId: () => eventId },
            )
            .catch((error: unknown) => {
              // Erased meanwhile: nobody is left whom it concerns.
              if (!(error instanceof DomainError && error.code === "user.unknown")) throw error;
            });
        }
        await signInRefusals.forget(counted);
      }
    },
  };
};

const sessionEnded = (): DomainError =>
  new DomainError("identity.sessionEnded", "The session has ended. Sign in again.");
