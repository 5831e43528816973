import { describe, it } from "vitest";
import { type UserEvent, userDecider } from "../../../../src/domain/identity/user.ts";
import { scenario } from "../../../support/scenario.ts";

const userId = "019a0000-0000-7000-8000-000000000001";
const sessionId = "019a0000-0000-7000-8000-000000000002";
const openedAt = "2026-03-01T00:00:00.000Z";
const expiresAt = "2026-06-01T00:00:00.000Z";

const user = scenario(userDecider);
const registered: UserEvent = { type: "UserRegistered", data: { userId } };
const opened: UserEvent = {
  type: "SessionOpened",
  data: { userId, sessionId, method: "password", openedAt, expiresAt },
};
const revoked = (reason: "logout" | "refresh_token_reused"): UserEvent => ({
  type: "SessionRevoked",
  data: { userId, sessionId, reason },
});

describe("registering", () => {
  it("given nobody, when a user registers, then it is recorded", () => {
    user.given([]).when({ type: "register", userId }).then([registered]);
  });
  it("given the user, when it registers again, then nothing is recorded", () => {
    user.given([registered]).when({ type: "register", userId }).thenNothing();
  });
});

describe("sessions", () => {
  const open = {
    type: "openSession",
    userId,
    sessionId,
    method: "password",
    openedAt,
    expiresAt,
  } as const;
  const logout = { type: "revokeSession", userId, sessionId, reason: "logout" } as const;
  const reuse = { ...logout, reason: "refresh_token_reused" } as const;

  it("given nobody, when a session is opened, then it is refused", () => {
    user.given([]).when(open).thenRefused("user.unknown");
  });
  it("given a user, when a session is opened, then it is recorded, and once only", () => {
    user.given([registered]).when(open).then([opened]);
    user.given([registered, opened]).when(open).thenNothing();
  });
  it("given an open session, when it logs out, then it is revoked, and once only", () => {
    user
      .given([registered, opened])
      .when(logout)
      .then([revoked("logout")]);
    user
      .given([registered, opened, revoked("logout")])
      .when(logout)
      .thenNothing();
  });
  it("given an open session, when its refresh token is reused, then that is recorded and ends it", () => {
    user
      .given([registered, opened])
      .when(reuse)
      .then([
        { type: "RefreshTokenReused", data: { userId, sessionId } },
        revoked("refresh_token_reused"),
      ]);
  });
  it("given a session that has ended, when its refresh token is reused, then nothing is recorded", () => {
    user
      .given([registered, opened, revoked("logout")])
      .when(reuse)
      .thenNothing();
  });
});

describe("refused sign-ins", () => {
  const refusals = (minute: string, count: number) =>
    ({ userId, rule: "wrong_password", minute, count }) as const;
  const at = (minute: string, count: number) =>
    ({ type: "recordRefusedSignIns", ...refusals(minute, count) }) as const;
  const first: UserEvent = {
    type: "SignInsRefused",
    data: refusals("2026-03-01T10:00:00.000Z", 7),
  };

  it("given a minute of refusals, when they are recorded, then as one event with a count", () => {
    user.given([registered]).when(at("2026-03-01T10:00:00.000Z", 7)).then([first]);
  });
  it("given a minute that is recorded, when it is recorded again, then nothing happens", () => {
    user.given([registered, first]).when(at("2026-03-01T10:00:00.000Z", 7)).thenNothing();
  });
  it("given a minute that is recorded, when a later one comes, then it is recorded too", () => {
    user
      .given([registered, first])
      .when(at("2026-03-01T10:01:00.000Z", 1))
      .then([{ type: "SignInsRefused", data: refusals("2026-03-01T10:01:00.000Z", 1) }]);
  });
});
