import { type SignInRule, userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { derivedId } from "../../platform/ids.ts";
import type { Client } from "../../stores/identity/refreshTokens.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { joinReceipts, nothingRecorded, type Receipt, receiptOf } from "../kernel/receipt.ts";
import {
  asUser,
  type IdentityDeps,
  type SignedIn,
  tooManyAttempts,
  UNKNOWN_ADDRESS_IDS,
} from "./deps.ts";
import { issueTokens, openSession } from "./openSession.ts";
import { createAccount } from "./signUp.ts";

export type Session = { readonly userId: string; readonly sessionId: string };

/**
 * Creates an account with its own organisation on the free plan, and opens a session. An interrupted signup resumes
 * with the same ids. Of concurrent signups with one address, one succeeds. Throws DomainError `user.addressTaken`.
 */
export const signUp = async (
  deps: IdentityDeps,
  context: CommandContext,
  input: {
    readonly email: string;
    readonly password: string;
    readonly name: string;
    readonly organizationName: string | null;
    readonly client: Client;
  },
): Promise<SignedIn> => {
  const passwordHash = () => deps.passwords.hash(input.password);
  const { person, receipt } = await createAccount(deps, context, {
    ...input,
    credential: { kind: "password", passwordHash },
  });
  const own = asUser(context, person.id);
  const session = await openSession(deps, own, person, "signup", input.client);
  return { ...session, receipt: joinReceipts([receipt, session.receipt]) };
};

/**
 * Opens a session by password. Throws DomainError `identity.signInRefused`, with the same message and after the same
 * work whether or not the address is known, and `identity.tooManyAttempts` with `retryAfter` in seconds.
 */
export const logIn = (
  deps: IdentityDeps,
  context: CommandContext,
  input: { readonly email: string; readonly password: string; readonly client: Client },
): Promise<SignedIn> =>
  deps.passwords.admit(async () => {
    const { attempts, clock, passwords, persons } = deps;
    const attempt = { subject: input.email, origin: input.client.address };
    const next = await attempts.begin(attempt, clock());
    if (next !== null) throw tooManyAttempts(next, clock());
    const credential = await persons.findCredential(input.email);
    const matches = await passwords.verify(credential?.passwordHash ?? null, input.password);
    if (!credential || !matches) {
      await countRefusal(deps, input.email, credential?.person.id ?? null);
      throw new DomainError(
        "identity.signInRefused",
        "The e-mail address or the password is wrong.",
      );
    }
    await attempts.succeeded(attempt);
    const { person } = credential;
    return openSession(deps, asUser(context, person.id), person, "password", input.client);
  });

const countRefusal = (
  { signInRefusals, persons, clock }: IdentityDeps,
  email: string,
  userId: string | null,
): Promise<void> =>
  signInRefusals.count({
    principal: userId ?? derivedId(UNKNOWN_ADDRESS_IDS, persons.addressDigest(email)),
    rule: "wrong_password" satisfies SignInRule,
    known: userId !== null,
    at: clock(),
  });

/**
 * Exchanges a refresh token for its successor and a new access token. Reuse of an old token ends its session.
 * Throws DomainError `identity.sessionEnded`.
 */
export const refresh = async (
  deps: IdentityDeps,
  context: CommandContext,
  token: string,
  client: Client,
): Promise<SignedIn> => {
  const rotation = await deps.refreshTokens.rotate(token, deps.clock(), client);
  if (rotation.kind === "reused") {
    await endSession(deps, context, rotation, "refresh_token_reused");
  }
  if (rotation.kind !== "rotated") throw sessionEnded();
  const person = await deps.persons.find(rotation.userId);
  if (!person) throw sessionEnded();
  const { sessionId, next } = rotation;
  return issueTokens(deps, { person, sessionId, refresh: next, receipt: nothingRecorded });
};

/** Ends a session. Idempotent. */
export const logOut = (
  deps: IdentityDeps,
  context: CommandContext,
  session: Session,
): Promise<Receipt> => endSession(deps, context, session, "logout");

const endSession = async (
  { loop, clock, refreshTokens, sessions }: IdentityDeps,
  context: CommandContext,
  { userId, sessionId }: Session,
  reason: "logout" | "refresh_token_reused",
): Promise<Receipt> => {
  // The row before the event: the session ends even if the append fails.
  await refreshTokens.revoke(sessionId, clock().toISOString());
  sessions.forgetAll();
  const command = { type: "revokeSession", userId, sessionId, reason } as const;
  return receiptOf(await loop.execute(userDecider, userId, command, asUser(context, userId)));
};

const sessionEnded = (): DomainError =>
  new DomainError("identity.sessionEnded", "The session has ended. Sign in again.");
