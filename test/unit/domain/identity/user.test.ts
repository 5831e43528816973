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
  it("records a new user", () => {
    user.given([]).when({ type: "register", userId }).then([registered]);
  });
  it("records nothing on a repeat", () => {
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

  it("are refused for an unknown user", () => {
    user.given([]).when(open).thenRefused("user.unknown");
  });
  it("are opened once", () => {
    user.given([registered]).when(open).then([opened]);
    user.given([registered, opened]).when(open).thenNothing();
  });
  it("are revoked on a sign-out, once", () => {
    user
      .given([registered, opened])
      .when(logout)
      .then([revoked("logout")]);
    user
      .given([registered, opened, revoked("logout")])
      .when(logout)
      .thenNothing();
  });
  it("end if a used refresh token is presented again", () => {
    user
      .given([registered, opened])
      .when(reuse)
      .then([
        { type: "RefreshTokenReused", data: { userId, sessionId } },
        revoked("refresh_token_reused"),
      ]);
  });
  it("record nothing for a reused token after their end", () => {
    user
      .given([registered, opened, revoked("logout")])
      .when(reuse)
      .thenNothing();
  });
});

describe("refused sign-ins of a minute", () => {
  const refusals = (minute: string, count: number) =>
    ({ userId, rule: "wrong_password", minute, count }) as const;
  const at = (minute: string, count: number) =>
    ({ type: "recordRefusedSignIns", ...refusals(minute, count) }) as const;
  const first: UserEvent = {
    type: "SignInsRefused",
    data: refusals("2026-03-01T10:00:00.000Z", 7),
  };

  it("are recorded as one event with a count", () => {
    user.given([registered]).when(at("2026-03-01T10:00:00.000Z", 7)).then([first]);
  });
  it("are recorded once", () => {
    user.given([registered, first]).when(at("2026-03-01T10:00:00.000Z", 7)).thenNothing();
  });
  it("are recorded again for a later minute", () => {
    user
      .given([registered, first])
      .when(at("2026-03-01T10:01:00.000Z", 1))
      .then([{ type: "SignInsRefused", data: refusals("2026-03-01T10:01:00.000Z", 1) }]);
  });
});
