import { userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { organizationDecider } from "../../domain/organizations/organization.ts";
import type { PersonalData } from "../../stores/identity/personalData.ts";
import type { Client } from "../../stores/identity/refreshTokens.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import { confirmPassword, type IdentityDeps } from "./deps.ts";
import { type OwnSettings, settingsCommands } from "./settings.ts";

/** Time between the erasure of the only member and the deletion of the organisation, in milliseconds. */
const GRACE_MS = 30 * 24 * 3_600_000;

/** All stored data of a person. */
export type PersonExport = {
  readonly data: PersonalData;
  readonly settings: OwnSettings;
  /** The events of the person's stream, oldest first. */
  readonly history: readonly {
    readonly type: string;
    readonly at: string;
    readonly data: unknown;
  }[];
};

/** Export and erasure of a person's data. */
export const personCommands = (deps: IdentityDeps) => ({
  exportPerson: exportPerson.bind(null, deps),
  erasePerson: erasePerson.bind(null, deps),
});

/** Everything stored of a person. Throws DomainError `user.unknown`. */
const exportPerson = async (deps: IdentityDeps, userId: string): Promise<PersonExport> => {
  const data = await deps.personalData.read(userId);
  if (!data) throw new DomainError("user.unknown", "There is no such user.");
  const history = [];
  for await (const event of deps.log.readStream(`user-${userId}`)) {
    history.push({ type: event.type, at: event.metadata.occurred_at, data: event.data });
  }
  return { data, settings: await settingsCommands(deps).settingsOf(userId), history };
};

/**
 * Erases a person: removes them from every organisation, ends every session and deletes their data from the state
 * tables. Events keep only ids. An organisation without other members is deleted after 30 days. Idempotent. Throws
 * DomainError `identity.wrongPassword`, `identity.tooManyAttempts`, and `user.lastOwner` if they own an organisation
 * with other members.
 */
const erasePerson = async (
  deps: IdentityDeps,
  context: CommandContext,
  input: {
    readonly userId: string;
    readonly password: string;
    readonly client: Client;
    /** The organisations of the person. */
    readonly organizationIds: readonly string[];
  },
): Promise<Receipt> => {
  const { userId, organizationIds } = input;
  const person = await confirmPassword(deps, input);
  for (const id of organizationIds) await mustNotOwnShared(deps, userId, id);
  const done = [];
  for (const id of organizationIds) {
    const left = await leave(deps, { ...context, organizationId: id }, userId);
    if (left) done.push(left);
  }
  // Frees the seats of open invites and deletes their address.
  const digest = deps.persons.addressDigest(person.email);
  for (const { inviteId, organizationId } of await deps.inviteAddresses.ofAddress(digest)) {
    const command = { type: "revokeInvite", inviteId } as const;
    await deps.loop
      .execute(organizationDecider, organizationId, command, { ...context, organizationId })
      .then((revoked) => done.push(revoked))
      .catch(ignoreClosed);
  }
  done.push(await deps.loop.execute(userDecider, userId, { type: "erase", userId }, context));
  await deps.personalData.erase(userId);
  deps.sessions.forgetAll();
  await deps.attempts.forgive(person.email);
  return receiptOf(...done);
};

const organizationOf = async ({ loop }: IdentityDeps, id: string) =>
  (await loop.load(organizationDecider, id)).state;

const mustNotOwnShared = async (deps: IdentityDeps, userId: string, id: string): Promise<void> => {
  const state = await organizationOf(deps, id);
  if (state.status === "none" || state.status === "deleted") return;
  const isAlone = Object.keys(state.members).length === 1;
  if (state.members[userId] !== "owner" || isAlone) return;
  throw new DomainError(
    "user.lastOwner",
    `You own the organisation "${state.name}", which has other members. Transfer the ownership to one of them first.`,
  );
};

/** Removes a person from an organisation, or schedules its deletion if they own it. */
const leave = async (
  deps: IdentityDeps,
  context: CommandContext & { readonly organizationId: string },
  userId: string,
) => {
  const id = context.organizationId;
  const state = await organizationOf(deps, id);
  if (state.status === "none" || state.status === "deleted") return null;
  const dueAt = new Date(deps.clock().getTime() + GRACE_MS).toISOString();
  const command =
    state.members[userId] === "owner"
      ? ({ type: "scheduleDeletion", dueAt } as const)
      : ({ type: "removeMember", userId, by: userId, reason: "erased" } as const);
  return deps.loop.execute(organizationDecider, id, command, context);
};

/** Ignores invites that were accepted or revoked, or whose organisation is deleted. */
const ignoreClosed = (error: unknown): void => {
  if (!(error instanceof DomainError && CLOSED.has(error.code))) throw error;
};

const CLOSED: ReadonlySet<string> = new Set([
  "invite.unknown",
  "invite.finished",
  "organization.unknown",
  "stream.deleted",
]);
