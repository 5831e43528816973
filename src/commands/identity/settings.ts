import type { UserSettings } from "../../domain/identity/settings.ts";
import { userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import type { IdentityDeps } from "./deps.ts";

/** A person's settings, as the log has them now. */
export type OwnSettings = UserSettings & { readonly hasByoKey: boolean };

/** What a person decides for themselves. */
export const settingsCommands = (deps: IdentityDeps) => {
  const { loop, clock, byoKeys } = deps;

  const load = async (userId: string): Promise<OwnSettings> => {
    const { state } = await loop.load(userDecider, userId);
    if (state.status !== "registered") {
      throw new DomainError("user.unknown", "There is no such user.");
    }
    return { ...state.settings, hasByoKey: state.hasByoKey };
  };

  const mustBeOn = (): void => {
    if (deps.byoKeyEnabled) return;
    throw new DomainError(
      "byoKey.off",
      "Bringing one's own key is turned off. The operator can turn it on (BYO_KEY_ENABLED).",
    );
  };

  return {
    settingsOf: load,

    /** Changes what is named; the rest stays. */
    changeSettings: async (
      context: CommandContext,
      userId: string,
      settings: Partial<UserSettings>,
    ): Promise<{ readonly settings: OwnSettings; readonly receipt: Receipt }> => {
      const command = { type: "changeSettings", userId, settings } as const;
      const changed = await loop.execute(userDecider, userId, command, context);
      return { settings: await load(userId), receipt: receiptOf(changed) };
    },

    /** Keeps a person's own key, in place of the one before; it is never shown again. Throws `byoKey.off`. */
    setByoKey: async (context: CommandContext, userId: string, key: string): Promise<Receipt> => {
      mustBeOn();
      await byoKeys.set(userId, key, clock().toISOString());
      return receiptOf(
        await loop.execute(userDecider, userId, { type: "setByoKey", userId }, context),
      );
    },

    /** Forgets a person's own key. Throws `byoKey.off`. */
    removeByoKey: async (context: CommandContext, userId: string): Promise<Receipt> => {
      mustBeOn();
      await byoKeys.remove(userId);
      return receiptOf(
        await loop.execute(userDecider, userId, { type: "removeByoKey", userId }, context),
      );
    },
  };
};
