import { newId } from "../../src/platform/ids.ts";
import { type Account, call } from "./client.ts";
import type { TestService } from "./service.ts";

const ADDRESSES = ["ops@example.test", "deputy@example.test"] as const;

/** Settings of a service with administrators. */
export const adminSettings = { ADMIN_EMAILS: "Ops@Example.test, deputy@example.test" } as const;

/** Verifies the address of an account with a token like the mailed one. */
export const verifyAddress = async (service: TestService, userId: string): Promise<void> => {
  let mailed = "";
  await service.core.accounts.mailToken({
    id: newId(),
    purpose: "verify_email",
    userId,
    at: new Date(),
    pretence: true,
    write: (token) => {
      mailed = token;
      return { to: { name: "", address: "nobody@example.test" }, subject: "", text: "", html: "" };
    },
  });
  const body = { token: mailed };
  const reply = await call(service.url, "POST", "/api/v1/auth/verify-email", { body });
  if (reply.status !== 204) throw new Error(`verify: ${reply.status}`);
};

/** Signs up with an unverified address from ADMIN_EMAILS. */
export const signUpAsAdmin = async (service: TestService, which: 0 | 1 = 0): Promise<Account> => {
  const [email, password] = [ADDRESSES[which], "the operator's own"];
  const { body, headers } = await call(service.url, "POST", "/api/v1/auth/signup", {
    body: { email, password, name: "Operator" },
  });
  return {
    email,
    password,
    userId: body.user.id,
    organizationId: body.organization.id,
    accessToken: body.access_token,
    cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "",
  };
};

const known = new WeakMap<TestService, Promise<Account>>();

/** Returns the administrator of a service. Repeated calls return the same account. */
export const adminOf = (service: TestService): Promise<Account> => {
  const before = known.get(service);
  if (before) return before;
  const making = signUpAsAdmin(service).then(async (account) => {
    await verifyAddress(service, account.userId);
    return account;
  });
  known.set(service, making);
  return making;
};
