import type { PlanCode } from "../../src/domain/billing/catalog.ts";
import { organizationDecider } from "../../src/domain/organizations/organization.ts";
import type { Role } from "../../src/domain/organizations/permissions.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Account, call, signUp } from "./client.ts";
import type { TestService } from "./service.ts";

/** A role that is given, not handed over. */
export type GivenRole = Exclude<Role, "owner">;

const contextOf = (organizationId: string) => ({
  actor: { type: "system" as const, id: "test" },
  organizationId,
  correlationId: newId(),
  causationId: newId(),
});

/** Grants an organisation a plan, as an operator may. */
export const grant = async (
  service: TestService,
  organizationId: string,
  plan: PlanCode,
): Promise<void> => {
  const { billing } = service.core.commands;
  await billing.grantPlan(contextOf(organizationId), { organizationId, plan, reason: "a test" });
};

/** A new person, who joins an organisation by an invite that is written straight into the log. */
export const addMember = async (
  service: TestService,
  organizationId: string,
  role: GivenRole,
): Promise<Account> => {
  const account = await signUp(service.url);
  await letIn(service, organizationId, account.userId, role);
  return account;
};

/** Has a person join an organisation, and waits until the read models say so. */
export const letIn = async (
  service: TestService,
  organizationId: string,
  userId: string,
  role: GivenRole,
): Promise<void> => {
  const { loop, queries } = service.core;
  const context = contextOf(organizationId);
  const inviteId = newId();
  const at = new Date().toISOString();
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const seats = { limit: 1_000, reason: null };
  const write = (command: Parameters<typeof organizationDecider.decide>[0]) =>
    loop.execute(organizationDecider, organizationId, command, context);
  await write({ type: "invite", inviteId, role, at, expiresAt, seats });
  await write({ type: "acceptInvite", inviteId, userId, at, seats });
  while (!(await queries.organizations.findMembership(userId, organizationId))) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

export type MailedInvite = { readonly id: string; readonly token: string; readonly guest: Account };

/** Invites somebody who has an account, as an editor. */
export const inviteOf = async (
  service: TestService,
  owner: Account,
  guest: Account,
): Promise<MailedInvite> => {
  const { body } = await call(service.url, "POST", "/api/v1/invites", {
    bearer: owner.accessToken,
    organizationId: owner.organizationId,
    body: { email: guest.email, role: "editor" },
  });
  const token = service.core.inviteAddresses.tokenOf({
    inviteId: body.id,
    expiresAt: body.expires_at,
  });
  return { id: body.id, token, guest };
};
