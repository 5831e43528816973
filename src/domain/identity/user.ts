import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { type UserSettings, userSettings } from "./settings.ts";

// ---------------------------------------------------------------- Events

/** Why a sign-in was refused. Refusals for unknown addresses are not recorded: they belong to no stream. */
export const signInRule = z.enum(["wrong_password"]);
export type SignInRule = z.output<typeof signInRule>;

/** The supported OpenID Connect providers. */
export const oauthProvider = z.enum(["google", "microsoft"]);
export type OauthProvider = z.output<typeof oauthProvider>;

const schemas = {
  UserRegistered: z.object({ userId: z.uuid() }),
  SessionOpened: z.object({
    userId: z.uuid(),
    sessionId: z.uuid(),
    method: z.enum(["signup", "password", "google", "microsoft"]),
    openedAt: z.iso.datetime(),
    /** Absolute end of the session; refreshing does not extend it. */
    expiresAt: z.iso.datetime(),
  }),
  SessionRevoked: z.object({
    userId: z.uuid(),
    sessionId: z.uuid(),
    reason: z.enum(["logout", "refresh_token_reused", "revoked", "password_changed", "erased"]),
  }),
  /** A refresh token was used again after the grace period, so it was probably stolen. */
  RefreshTokenReused: z.object({ userId: z.uuid(), sessionId: z.uuid() }),
  /** The current address is verified. Events do not contain the address. */
  EmailVerified: z.object({ userId: z.uuid() }),
  /** `changeId` identifies the change, for deduplication. */
  PasswordChanged: z.object({
    userId: z.uuid(),
    changeId: z.uuid(),
    by: z.enum(["change", "reset"]),
  }),
  /** `identityId` is the row with the provider's subject. Events do not contain the subject. */
  ExternalIdentityLinked: z.object({
    userId: z.uuid(),
    provider: oauthProvider,
    identityId: z.uuid(),
  }),
  UserSettingsChanged: z.object({ userId: z.uuid(), settings: userSettings }),
  ByoKeySet: z.object({ userId: z.uuid() }),
  ByoKeyRemoved: z.object({ userId: z.uuid() }),
  /** The person's data is deleted from the state tables. The stream is kept. */
  UserErased: z.object({ userId: z.uuid() }),
  /** All refusals by one rule within one minute in one event, so that guessing does not fill the log. */
  SignInsRefused: z.object({
    userId: z.uuid(),
    rule: signInRule,
    minute: z.iso.datetime(),
    count: z.int().positive(),
  }),
};

export type UserEvent = EventOf<typeof schemas>;
type DataOf<Type extends UserEvent["type"]> = Extract<UserEvent, { type: Type }>["data"];

// ---------------------------------------------------------------- State

export type User =
  | { readonly status: "none" }
  | {
      readonly status: "registered";
      /** End of each open session by session id. */
      readonly sessions: Readonly<Record<string, string>>;
      /** The last recorded minute by rule. */
      readonly refusedUntil: Readonly<Partial<Record<SignInRule, string>>>;
      readonly emailVerified: boolean;
      readonly lastPasswordChange: string | null;
      /** Id of the linked identity by provider. */
      readonly identities: Readonly<Partial<Record<OauthProvider, string>>>;
      readonly settings: UserSettings;
      readonly hasByoKey: boolean;
    }
  | { readonly status: "erased" };

// ---------------------------------------------------------------- evolve

export const evolve = (user: User, event: UserEvent): User => {
  if (event.type === "UserRegistered") {
    return {
      status: "registered",
      sessions: {},
      refusedUntil: {},
      emailVerified: false,
      lastPasswordChange: null,
      identities: {},
      settings: userSettings.parse({}),
      hasByoKey: false,
    };
  }
  if (user.status !== "registered") return user;
  switch (event.type) {
    case "SessionOpened": {
      const { sessionId, openedAt, expiresAt } = event.data;
      const alive = Object.entries(user.sessions).filter(([, end]) => end > openedAt);
      return { ...user, sessions: { ...Object.fromEntries(alive), [sessionId]: expiresAt } };
    }
    case "SessionRevoked": {
      const { [event.data.sessionId]: _, ...sessions } = user.sessions;
      return { ...user, sessions };
    }
    case "RefreshTokenReused":
      return user;
    case "PasswordChanged": {
      const { changeId, by } = event.data;
      // A reset proves ownership of the address. Identities linked before the first proof may belong to somebody else.
      const isFirstProof = by === "reset" && !user.emailVerified;
      const identities = isFirstProof ? {} : user.identities;
      return { ...user, lastPasswordChange: changeId, identities };
    }
    case "EmailVerified":
      return { ...user, emailVerified: true };
    case "ExternalIdentityLinked": {
      const { provider, identityId } = event.data;
      return { ...user, identities: { ...user.identities, [provider]: identityId } };
    }
    case "UserSettingsChanged":
      return { ...user, settings: event.data.settings };
    case "ByoKeySet":
      return { ...user, hasByoKey: true };
    case "ByoKeyRemoved":
      return { ...user, hasByoKey: false };
    case "UserErased":
      return { status: "erased" };
    case "SignInsRefused": {
      const { rule, minute } = event.data;
      return { ...user, refusedUntil: { ...user.refusedUntil, [rule]: minute } };
    }
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

export type UserCommand =
  | { readonly type: "register"; readonly userId: string }
  | ({ readonly type: "openSession" } & DataOf<"SessionOpened">)
  | ({ readonly type: "revokeSession" } & DataOf<"SessionRevoked">)
  | ({ readonly type: "recordRefusedSignIns" } & DataOf<"SignInsRefused">)
  | { readonly type: "verifyEmail"; readonly userId: string }
  /** Ends every session except `keep`. */
  | {
      readonly type: "changePassword";
      readonly userId: string;
      readonly changeId: string;
      readonly by: "change" | "reset";
      readonly keep: string | null;
    }
  | ({ readonly type: "linkIdentity" } & DataOf<"ExternalIdentityLinked">)
  /** Ends every session except `keep`. */
  | {
      readonly type: "revokeOthers";
      readonly userId: string;
      readonly keep: string | null;
    }
  | {
      readonly type: "changeSettings";
      readonly userId: string;
      readonly settings: Partial<UserSettings>;
    }
  | { readonly type: "setByoKey"; readonly userId: string }
  | { readonly type: "removeByoKey"; readonly userId: string }
  | { readonly type: "erase"; readonly userId: string };

// ---------------------------------------------------------------- decide

export const decide = (command: UserCommand, user: User): readonly UserEvent[] => {
  if (command.type === "register") {
    return user.status === "none"
      ? [{ type: "UserRegistered", data: { userId: command.userId } }]
      : [];
  }
  if (user.status === "erased" && command.type === "erase") return [];
  if (user.status !== "registered") {
    throw new DomainError("user.unknown", "There is no such user.");
  }
  const { userId } = command;
  switch (command.type) {
    case "openSession": {
      const { type: _, ...data } = command;
      return user.sessions[data.sessionId] === undefined ? [{ type: "SessionOpened", data }] : [];
    }
    case "revokeSession":
      return revokeSession(command, user);
    case "recordRefusedSignIns": {
      const { type: _, ...data } = command;
      const recorded = user.refusedUntil[data.rule];
      return recorded === undefined || recorded < data.minute
        ? [{ type: "SignInsRefused", data }]
        : [];
    }
    case "verifyEmail":
      return user.emailVerified ? [] : [{ type: "EmailVerified", data: { userId } }];
    case "changePassword": {
      const { by, keep, changeId } = command;
      if (user.lastPasswordChange === changeId) return [];
      const changed: UserEvent = { type: "PasswordChanged", data: { userId, changeId, by } };
      return [changed, ...revokeAll(user.sessions, userId, keep, "password_changed")];
    }
    case "linkIdentity":
      return linkIdentity(command, user);
    case "revokeOthers":
      return revokeAll(user.sessions, userId, command.keep, "revoked");
    case "changeSettings": {
      const settings = { ...user.settings, ...command.settings };
      const isSame = JSON.stringify(settings) === JSON.stringify(user.settings);
      return isSame ? [] : [{ type: "UserSettingsChanged", data: { userId, settings } }];
    }
    case "setByoKey":
      return user.hasByoKey ? [] : [{ type: "ByoKeySet", data: { userId } }];
    case "removeByoKey":
      return user.hasByoKey ? [{ type: "ByoKeyRemoved", data: { userId } }] : [];
    case "erase":
      return [
        ...revokeAll(user.sessions, userId, null, "erased"),
        { type: "UserErased", data: { userId } },
      ];
    default:
      return assertNever(command);
  }
};

type Registered = Extract<User, { status: "registered" }>;

const revokeSession = (
  { type: _, ...data }: Extract<UserCommand, { type: "revokeSession" }>,
  user: Registered,
): readonly UserEvent[] => {
  const { userId, sessionId, reason } = data;
  if (user.sessions[sessionId] === undefined) return [];
  const revoked: UserEvent = { type: "SessionRevoked", data };
  return reason === "refresh_token_reused"
    ? [{ type: "RefreshTokenReused", data: { userId, sessionId } }, revoked]
    : [revoked];
};

const linkIdentity = (
  { type: _, ...data }: Extract<UserCommand, { type: "linkIdentity" }>,
  user: Registered,
): readonly UserEvent[] => {
  const linked = user.identities[data.provider];
  if (linked === data.identityId) return [];
  if (linked === undefined) return [{ type: "ExternalIdentityLinked", data }];
  throw new DomainError(
    "user.identityLinked",
    "Another account of this provider is already linked. Sign in with that account.",
  );
};

const revokeAll = (
  sessions: Readonly<Record<string, string>>,
  userId: string,
  keep: string | null,
  reason: DataOf<"SessionRevoked">["reason"],
): UserEvent[] =>
  Object.keys(sessions)
    .filter((sessionId) => sessionId !== keep)
    .map((sessionId) => ({ type: "SessionRevoked", data: { userId, sessionId, reason } }));

export const userDecider: Decider<User, UserCommand, UserEvent> = {
  category: "user",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
