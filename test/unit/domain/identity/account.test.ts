import { describe, it } from "vitest";
import {
  type UserCommand,
  type UserEvent,
  userDecider,
} from "../../../../src/domain/identity/user.ts";
import { scenario } from "../../../support/scenario.ts";

const uuid = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const userId = uuid(1);
const user = scenario(userDecider);
const registered: UserEvent = { type: "UserRegistered", data: { userId } };
const opened = (n: number): UserEvent => ({
  type: "SessionOpened",
  data: {
    userId,
    sessionId: uuid(n),
    method: "password",
    openedAt: "2026-03-01T00:00:00.000Z",
    expiresAt: "2026-06-01T00:00:00.000Z",
  },
});
const ended = (n: number, reason: "revoked" | "password_changed" | "erased"): UserEvent => ({
  type: "SessionRevoked",
  data: { userId, sessionId: uuid(n), reason },
});
const signedIn = [registered, opened(10), opened(11), opened(12)];

describe("an account", () => {
  it("records the verification of an address once", () => {
    const verified: UserEvent = { type: "EmailVerified", data: { userId } };
    user.given([registered]).when({ type: "verifyEmail", userId }).then([verified]);
    user.given([registered, verified]).when({ type: "verifyEmail", userId }).thenNothing();
  });

  it("ends the other sessions on a password change, once", () => {
    const change: UserCommand = {
      type: "changePassword",
      userId,
      changeId: uuid(5),
      by: "change",
      keep: uuid(11),
    };
    const changed: UserEvent = {
      type: "PasswordChanged",
      data: { userId, changeId: uuid(5), by: "change" },
    };
    const events = [changed, ended(10, "password_changed"), ended(12, "password_changed")];
    user.given(signedIn).when(change).then(events);
    user
      .given([...signedIn, ...events])
      .when(change)
      .thenNothing();
  });

  it("ends all sessions on a password reset", () => {
    user
      .given(signedIn)
      .when({ type: "changePassword", userId, changeId: uuid(5), by: "reset", keep: null })
      .then([
        { type: "PasswordChanged", data: { userId, changeId: uuid(5), by: "reset" } },
        ended(10, "password_changed"),
        ended(11, "password_changed"),
        ended(12, "password_changed"),
      ]);
  });

  it("ends the other sessions on request, once", () => {
    const revoke: UserCommand = { type: "revokeOthers", userId, keep: uuid(11) };
    const events = [ended(10, "revoked"), ended(12, "revoked")];
    user.given(signedIn).when(revoke).then(events);
    user
      .given([...signedIn, ...events])
      .when(revoke)
      .thenNothing();
  });

  it("refuses to link a second identity of the same provider", () => {
    const link = {
      type: "linkIdentity",
      userId,
      provider: "google",
      identityId: uuid(20),
    } as const;
    const linked: UserEvent = {
      type: "ExternalIdentityLinked",
      data: { userId, provider: "google", identityId: uuid(20) },
    };
    user.given([registered]).when(link).then([linked]);
    user.given([registered, linked]).when(link).thenNothing();
    user
      .given([registered, linked])
      .when({ ...link, identityId: uuid(21) })
      .thenRefused("user.identityLinked");
  });

  it("records nothing for unchanged settings and an unchanged API key of a model", () => {
    const change: UserCommand = { type: "changeSettings", userId, settings: { theme: "dark" } };
    const changed: UserEvent = {
      type: "UserSettingsChanged",
      data: { userId, settings: { timeZone: "UTC", theme: "dark", productMail: false } },
    };
    user.given([registered]).when(change).then([changed]);
    user.given([registered, changed]).when(change).thenNothing();
    const set: UserEvent = { type: "ByoKeySet", data: { userId } };
    user.given([registered]).when({ type: "setByoKey", userId }).then([set]);
    user.given([registered, set]).when({ type: "setByoKey", userId }).thenNothing();
    const removed: UserEvent = { type: "ByoKeyRemoved", data: { userId } };
    user.given([registered, set]).when({ type: "removeByoKey", userId }).then([removed]);
    user.given([registered]).when({ type: "removeByoKey", userId }).thenNothing();
  });

  it("ends every session on erasure and refuses later commands", () => {
    const erase: UserCommand = { type: "erase", userId };
    const erased: UserEvent = { type: "UserErased", data: { userId } };
    user
      .given([registered, opened(10)])
      .when(erase)
      .then([ended(10, "erased"), erased]);
    user.given([registered, erased]).when(erase).thenNothing();
    user
      .given([registered, erased])
      .when({ type: "verifyEmail", userId })
      .thenRefused("user.unknown");
  });
});
