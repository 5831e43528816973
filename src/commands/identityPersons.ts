import { userDecider } from "../domain/identity/user.ts";
import { DomainError } from "../domain/kernel/errors.ts";
import { organizationDecider } from "../domain/organizations/organization.ts";
import type { PersonalData } from "../platform/state/personalData.ts";
import type { Client } from "../platform/state/refreshTokens.ts";
import { confirmPassword, type IdentityDeps } from "./identityDeps.ts";
import { type OwnSettings, settingsCommands } from "./identitySettings.ts";
import type { CommandContext } from "./kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "./kernel/receipt.ts";

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
  const { loop, clock, log, personalData, sessions, attempts } = deps;
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
      done.push(await loop.execute(userDecider, userId, { type: "erase", userId }, context));
      await personalData.erase(userId);
      sessions.forgetAll();
      await attempts.forgive(person.email);
      return receiptOf(...done);
    },
  };
};
