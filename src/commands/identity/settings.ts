import type { UserSettings } from "../../domain/identity/settings.ts";
import { userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import type { IdentityDeps } from "./deps.ts";

/** Current settings of a person. */
export type OwnSettings = UserSettings & { readonly hasByoKey: boolean };

/** Commands of a person's settings. */
export const settingsCommands = (deps: IdentityDeps) => {
  const { loop, clock, byoKeys } = deps;

  const load = async (userId: string): Promise<OwnSettings> => {
    const { state } = await loop.load(userDecider, userId);
    if (state.status !== "registered") {
      throw new DomainError("user.unknown", "There is no such user.");
    }
    return { ...state.settings, hasByoKey: state.hasByoKey };
  };

  const mustBeEnabled = (): void => {
    if (deps.byoKeyEnabled) return;
    throw new DomainError(
      "byoKey.off",
      "Own keys are disabled. The operator can enable them with the setting BYO_KEY_ENABLED.",
    );
  };

  return {
    settingsOf: load,

    /** Changes the given settings. */
    changeSettings: async (
      context: CommandContext,
      userId: string,
      settings: Partial<UserSettings>,
    ): Promise<{ readonly settings: OwnSettings; readonly receipt: Receipt }> => {
      const command = { type: "changeSettings", userId, settings } as const;
      const changed = await loop.execute(userDecider, userId, command, context);
      return { settings: await load(userId), receipt: receiptOf(changed) };
    },

    /** Stores a person's own key, replacing an earlier one. Throws DomainError `byoKey.off`. */
    setByoKey: async (context: CommandContext, userId: string, key: string): Promise<Receipt> => {
      mustBeEnabled();
      await byoKeys.set(userId, key, clock().toISOString());
      return receiptOf(
        await loop.execute(userDecider, userId, { type: "setByoKey", userId }, context),
      );
    },

    /** Deletes a person's own key. Throws DomainError `byoKey.off`. */
    removeByoKey: async (context: CommandContext, userId: string): Promise<Receipt> => {
      mustBeEnabled();
      await byoKeys.remove(userId);
      return receiptOf(
        await loop.execute(userDecider, userId, { type: "removeByoKey", userId }, context),
      );
    },
  };
};
