import { randomUUID } from "node:crypto";
import { newId } from "../../../src/platform/ids.ts";
import { adminOf } from "../admins.ts";
import { type Account, call, makeKey, signUp } from "../client.ts";
import { addMember, type GivenRole, inviteOf, letIn } from "../members.ts";
import type { TestOidcServer } from "../oidcServer.ts";
import type { TestService } from "../service.ts";
import type { Owner } from "./owner.ts";

type MailedPurpose = "verify_email" | "reset_password";

/** Creates accounts, credentials, members and organisations. */
export const freshIdentity = (
  owner: Owner,
  people: ReadonlyMap<GivenRole, Account>,
  oidc?: TestOidcServer,
) => {
  const { service, account } = owner;
  return {
    account: () => signUp(service.url),
    /** An administrator of the service. */
    admin: () => adminOf(service),
    /** Query and cookie with which a provider redirects back after a first sign-in. */
    oauthAnswer: () => oauthAnswer(service, oidc),
    /** A session of the organisation's account besides its first. */
    sessionId: () => openSession(service, account),
    /** The token that is mailed to a new account. */
    mailedToken: (purpose: MailedPurpose) => mailedToken(service, purpose),
    keyId: async (): Promise<string> => (await makeKey(service.url, account, randomUUID())).id,
    /** The user id of a new member. */
    memberId: async () => (await addMember(service, account.organizationId, "viewer")).userId,
    /** Another organisation with the same members in the same roles. */
    organizationId: async (): Promise<string> => {
      const { body } = await owner.withSession("POST", "/organizations", { name: "Gone soon" });
      for (const [role, { userId }] of people) await letIn(service, body.id, userId, role);
      return body.id;
    },
    /** An invite for an existing account, with the mailed token. */
    invite: async () => inviteOf(service, account, await signUp(service.url)),
  };
};

const openSession = async (service: TestService, account: Account): Promise<string> => {
  const { email, password } = account;
  const login = await call(service.url, "POST", "/api/v1/auth/login", {
    body: { email, password },
  });
  const list = await call(service.url, "GET", "/api/v1/auth/sessions", {
    bearer: login.body.access_token,
  });
  return list.body.items.find(({ current }: { current: boolean }) => current).id;
};

const oauthAnswer = async (service: TestService, oidc: TestOidcServer | undefined) => {
  if (!oidc) throw new Error("makeOrganization needs an OpenID provider for oauthAnswer");
  const start = "/api/v1/auth/oauth/google/start";
  const { headers } = await call(service.url, "GET", start);
  const email = `${randomUUID()}@example.test`;
  const sub = oidc.add({ email, emailVerified: true, name: "Ann Example" });
  const back = await oidc.signInAt(headers.get("location") ?? "", sub);
  const cookie = (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { query: Object.fromEntries(new URL(back).searchParams), headers: { cookie } };
};

const mailedToken = async (service: TestService, purpose: MailedPurpose): Promise<string> => {
  const { userId } = await signUp(service.url);
  let mailed = "";
  await service.core.accounts.mailToken({
    id: newId(),
    purpose,
    userId,
    at: new Date(),
    pretence: true,
    write: (token) => {
      mailed = token;
      return { to: { name: "Ann", address: "ann@example.test" }, subject: "", text: "", html: "" };
    },
  });
  return mailed;
};
