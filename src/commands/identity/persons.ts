import { userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { organizationDecider } from "../../domain/organizations/organization.ts";
import type { PersonalData } from "../../stores/identity/personalData.ts";
import type { Client } from "../../stores/identity/refreshTokens.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import { confirmPassword, type IdentityDeps } from "./deps.ts";
import { type OwnSettings, settingsCommands } from "./settings.ts";

/** How long an organisation that lost its last member waits to be deleted, in milliseconds. */
const GRACE_MS = 30 * 24 * 3_600_000;

/** Everything that is kept of a person. */
export type PersonExport = {
  readonly data: PersonalData;
  readonly settings: OwnSettings;
  /** What the log has under the person's id, oldest first. */
  readonly history: readonly {
    readonly type: string;
    readonly at: string;
    readonly data: unknown;
  }[];
};

/** A person's data: handed out, and forgotten. */
export const personCommands = (deps: IdentityDeps) => {
  const { loop, clock, log, persons, personalData, inviteAddresses, sessions, attempts } = deps;
  const { settingsOf } = settingsCommands(deps);

  const organizationOf = async (id: string) => (await loop.load(organizationDecider, id)).state;

  return {
    /** Everything that is kept of a person. Throws `user.unknown`. */
    exportPerson: async (userId: string): Promise<PersonExport> => {
      const data = await personalData.read(userId);
      if (!data) throw new DomainError("user.unknown", "There is no such user.");
      const history = [];
      for await (const event of log.readStream(`user-${userId}`)) {
        history.push({ type: event.type, at: event.metadata.occurred_at, data: event.data });
      }
      return { data, settings: await settingsOf(userId), history };
    },

    /**
     * Forgets a person: out of every organisation, every session ended, every row with their data gone;
     * the log keeps ids that lead nowhere. An organisation of theirs alone is deleted after 30 days.
     * Erasing twice is erasing once. Throws `identity.wrongPassword`, `identity.tooManyAttempts`, and
     * `user.lastOwner` while they own an organisation that others belong to.
     */
    erasePerson: async (
      context: CommandContext,
      input: {
        readonly userId: string;
        readonly password: string;
        readonly client: Client;
        /** Where they are a member. */
        readonly organizationIds: readonly string[];
      },
    ): Promise<Receipt> => {
      const { userId, organizationIds } = input;
      const person = await confirmPassword(deps, input);
      for (const id of organizationIds) {
        const state = await organizationOf(id);
        if (state.status === "none" || state.status === "deleted") continue;
        const isAlone = Object.keys(state.members).length === 1;
        if (state.members[userId] !== "owner" || isAlone) continue;
        throw new DomainError(
          "user.lastOwner",
          `You own the organisation "${state.name}", which others belong to: hand it over to one of them first.`,
        );
      }
      const done = [];
      for (const id of organizationIds) {
        const state = await organizationOf(id);
        if (state.status === "none" || state.status === "deleted") continue;
        const ours = { ...context, organizationId: id };
        if (state.members[userId] === "owner") {
          const dueAt = new Date(clock().getTime() + GRACE_MS).toISOString();
          const command = { type: "scheduleDeletion", dueAt } as const;
          done.push(await loop.execute(organizationDecider, id, command, ours));
        } else {
          const command = { type: "removeMember", userId, by: userId, reason: "erased" } as const;
          done.push(await loop.execute(organizationDecider, id, command, ours));
        }
      }
      // Whoever they were invited by has a seat back, and no address of nobody.
      for (const invite of await inviteAddresses.ofAddress(persons.addressDigest(person.email))) {
        const { inviteId, organizationId } = invite;
        const command = { type: "revokeInvite", inviteId } as const;
        const theirs = { ...context, organizationId };
        await loop
          .execute(organizationDecider, organizationId, command, theirs)
          .then((revoked) => done.push(revoked))
          .catch(unlessOver);
      }
      done.push(await loop.execute(userDecider, userId, { type: "erase", userId }, context));
      await personalData.erase(userId);
      sessions.forgetAll();
      await attempts.forgive(person.email);
      return receiptOf(...done);
    },
  };
};

/** An invite that was accepted or revoked, or whose organisation is gone, is nobody's any more. */
const unlessOver = (error: unknown): void => {
  const isOver = error instanceof DomainError && OVER.has(error.code);
  if (!isOver) throw error;
};

const OVER: ReadonlySet<string> = new Set([
  "invite.unknown",
  "invite.finished",
  "organization.unknown",
  "stream.deleted",
]);
