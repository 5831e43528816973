import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";

// ---------------------------------------------------------------- Events

/** Why a sign-in was refused. An address that nobody has belongs to no user, so it is in no stream. */
export const signInRule = z.enum(["wrong_password"]);
export type SignInRule = z.output<typeof signInRule>;

const schemas = {
  UserRegistered: z.object({ userId: z.uuid() }),
  SessionOpened: z.object({
    userId: z.uuid(),
    sessionId: z.uuid(),
    method: z.enum(["signup", "password"]),
    openedAt: z.iso.datetime(),
    /** When the session ends however often it is refreshed. */
    expiresAt: z.iso.datetime(),
  }),
  SessionRevoked: z.object({
    userId: z.uuid(),
    sessionId: z.uuid(),
    reason: z.enum(["logout", "refresh_token_reused"]),
  }),
  /** A refresh token came a second time, later than a lost answer explains: one of two holders is a thief. */
  RefreshTokenReused: z.object({ userId: z.uuid(), sessionId: z.uuid() }),
  /** All refusals of one rule within one minute, as one event: whoever guesses does not fill the log. */
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
      /** Open sessions: id → when it ends at the latest. */
      readonly sessions: Readonly<Record<string, string>>;
      /** The last minute whose refusals are recorded, by rule. */
      readonly refusedUntil: Readonly<Partial<Record<SignInRule, string>>>;
    };

// ---------------------------------------------------------------- evolve

export const evolve = (user: User, event: UserEvent): User => {
  if (event.type === "UserRegistered") {
    return { status: "registered", sessions: {}, refusedUntil: {} };
  }
  if (user.status === "none") return user;
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
  | ({ readonly type: "recordRefusedSignIns" } & DataOf<"SignInsRefused">);

// ---------------------------------------------------------------- decide

export const decide = (command: UserCommand, user: User): readonly UserEvent[] => {
  if (command.type === "register") {
    return user.status === "none"
      ? [{ type: "UserRegistered", data: { userId: command.userId } }]
      : [];
  }
  if (user.status === "none") throw new DomainError("user.unknown", "There is no such user.");
  switch (command.type) {
    case "openSession": {
      const { type: _, ...data } = command;
      return user.sessions[data.sessionId] === undefined ? [{ type: "SessionOpened", data }] : [];
    }
    case "revokeSession": {
      const { type: _, ...data } = command;
      const { userId, sessionId, reason } = data;
      if (user.sessions[sessionId] === undefined) return [];
      const revoked: UserEvent = { type: "SessionRevoked", data };
      return reason === "refresh_token_reused"
        ? [{ type: "RefreshTokenReused", data: { userId, sessionId } }, revoked]
        : [revoked];
    }
    case "recordRefusedSignIns": {
      const { type: _, ...data } = command;
      const recorded = user.refusedUntil[data.rule];
      return recorded === undefined || recorded < data.minute
        ? [{ type: "SignInsRefused", data }]
        : [];
    }
    default:
      return assertNever(command);
  }
};

export const userDecider: Decider<User, UserCommand, UserEvent> = {
  category: "user",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
