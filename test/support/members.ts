import type { PlanCode } from "../../src/domain/billing/catalog.ts";
import { organizationDecider } from "../../src/domain/organizations/organization.ts";
import type { Role } from "../../src/domain/organizations/permissions.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Account, call, signUp } from "./client.ts";
import type { TestService } from "./service.ts";

/** A role that can be assigned. Ownership is transferred instead. */
export type GivenRole = Exclude<Role, "owner">;

const contextOf = (organizationId: string) => ({
  actor: { type: "system" as const, id: "test" },
  organizationId,
  correlationId: newId(),
  causationId: newId(),
});

/** Grants a plan to an organisation like an operator. */
export const grant = async (
  service: TestService,
  organizationId: string,
  plan: PlanCode,
): Promise<void> => {
  const { billing } = service.core.commands;
  await billing.grantPlan(contextOf(organizationId), { organizationId, plan, reason: "a test" });
};

/** Signs up a person and adds them to an organisation by events of an invite. */
export const addMember = async (
  service: TestService,
  organizationId: string,
  role: GivenRole,
): Promise<Account> => {
  const account = await signUp(service.url);
  await letIn(service, organizationId, account.userId, role);
  return account;
};

/** Adds a person to an organisation and waits for the read model. */
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

/** Invites an existing account as an editor. */
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
