import { DomainError } from "../../domain/kernel/errors.ts";
import { apiKeysDecider } from "../../domain/organizations/apiKeys.ts";
import {
  type OrganizationCommand,
  organizationDecider,
} from "../../domain/organizations/organization.ts";
import type { Role } from "../../domain/organizations/permissions.ts";
import type { OrganizationSettings } from "../../domain/organizations/settings.ts";
import type { ExistingOrganization } from "../../domain/organizations/state.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { receiptOf } from "../kernel/receipt.ts";
import type { OrganizationDeps, WrittenOrganization } from "./deps.ts";

type Loop = Pick<OrganizationDeps, "loop">;

/** Time between the request to delete an organisation and its deletion, in milliseconds. */
const GRACE_MS = 30 * 24 * 3_600_000;

/** Executes a command that leaves the organisation in existence. */
export const execute = async (
  { loop }: Loop,
  context: CommandContext,
  id: string,
  command: Exclude<OrganizationCommand, { type: "delete" }>,
): Promise<WrittenOrganization> => {
  const written = await loop.execute(organizationDecider, id, command, context);
  const state = written.state as WrittenOrganization["state"];
  return { id, state, at: written.at, receipt: receiptOf(written) };
};

/** Creates an organisation with its owner. Idempotent. */
export const createOrganization = (
  deps: Loop,
  context: CommandContext,
  input: { readonly organizationId: string; readonly name: string; readonly ownerId: string },
): Promise<WrittenOrganization> =>
  execute(deps, context, input.organizationId, { type: "create", ...input });

/**
 * Changes name and settings; absent fields keep their values. Throws DomainError `organization.unknown`,
 * `organization.stale` if the version is not in `expectedVersions`, `organization.closing`.
 */
export const changeOrganization = (
  deps: Loop,
  context: CommandContext,
  organizationId: string,
  changes: {
    readonly name?: string | undefined;
    readonly settings?: Partial<OrganizationSettings> | undefined;
  },
  expectedVersions: readonly number[] | null,
): Promise<WrittenOrganization> =>
  execute(deps, context, organizationId, { type: "change", ...changes, expectedVersions });

/** Schedules the deletion in 30 days. A repeated request keeps the first date. */
export const scheduleDeletion = (
  deps: Pick<OrganizationDeps, "loop" | "clock">,
  context: CommandContext,
  organizationId: string,
): Promise<WrittenOrganization> => {
  const dueAt = new Date(deps.clock().getTime() + GRACE_MS).toISOString();
  return execute(deps, context, organizationId, { type: "scheduleDeletion", dueAt });
};

/** Deletes an organisation whose grace period has ended. Returns whether it is deleted. */
export const deleteWhenDue = async (
  { loop, clock }: Pick<OrganizationDeps, "loop" | "clock">,
  context: CommandContext,
  organizationId: string,
): Promise<boolean> => {
  const command = { type: "delete", at: clock().toISOString() } as const;
  const { state } = await loop.execute(organizationDecider, organizationId, command, context);
  return state.status === "deleted";
};

/** Revokes every API key of a deleted organisation and removes the hashes. Idempotent. */
export const revokeAllApiKeys = async (
  { loop, apiKeys, keyChecks }: OrganizationDeps,
  context: CommandContext,
  organizationId: string,
): Promise<void> => {
  const command = { type: "revokeAll", organizationId } as const;
  await loop.execute(apiKeysDecider, organizationId, command, context);
  await apiKeys.forgetAll(organizationId);
  keyChecks.forgetAll();
};

const load = async ({ loop }: Loop, id: string): Promise<ExistingOrganization | null> => {
  const { state } = await loop.load(organizationDecider, id);
  return state.status === "none" || state.status === "deleted" ? null : state;
};

/** An organisation's name and the role of a user in it, read from the log; null if the user is not a member. */
export const findMembership = async (
  deps: Loop,
  userId: string,
  organizationId: string,
): Promise<{ readonly id: string; readonly name: string; readonly role: Role } | null> => {
  const organization = await load(deps, organizationId);
  const role = organization?.members[userId];
  return organization && role ? { id: organizationId, name: organization.name, role } : null;
};

/** The current name of an organisation. Throws DomainError `organization.unknown`. */
export const nameOf = async (deps: Loop, organizationId: string): Promise<string> => {
  const organization = await load(deps, organizationId);
  if (organization) return organization.name;
  throw new DomainError("organization.unknown", "There is no such organisation.");
};

/** Whether the organisation exists. True while its deletion is scheduled. */
export const exists = async (deps: Loop, organizationId: string): Promise<boolean> =>
  (await load(deps, organizationId)) !== null;
