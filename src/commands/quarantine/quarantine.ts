import { testDecider } from "../../domain/catalogue/tests/test.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import {
  type Quarantine,
  type QuarantineCommand,
  quarantineDecider,
} from "../../domain/quarantine/quarantine.ts";
import type { Clock } from "../../platform/clock.ts";
import { organizationOf } from "../catalogue/changes.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import type { CommandContext } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";

export type QuarantineCommands = ReturnType<typeof quarantineCommands>;

/** Commands on the quarantines of tests. */
export const quarantineCommands = (deps: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  /** A test known only from imported results. */
  readonly findImportedTest: (id: string) => Promise<{ readonly organization_id: string } | null>;
}) => {
  const { loop, clock } = deps;

  /** Throws `test.unknown`, `test.foreign`. */
  const mustBeOurs = async (context: CommandContext, testId: string): Promise<void> => {
    const { state } = await loop.load(testDecider, testId);
    const imported = state.status === "none" ? await deps.findImportedTest(testId) : null;
    const owner = state.status === "active" ? state.organizationId : imported?.organization_id;
    if (owner === undefined) {
      throw new DomainError("test.unknown", `There is no test ${testId}.`);
    }
    if (owner !== organizationOf(context)) {
      throw new DomainError("test.foreign", "The test belongs to another organisation.");
    }
  };

  const execute = async (context: CommandContext, command: QuarantineCommand) => {
    await mustBeOurs(context, command.testId);
    const { testId } = command;
    return loop.execute(quarantineDecider, testId, command, context);
  };

  return {
    /**
     * Quarantines a test for runs requested from now on. Replaces an active quarantine.
     * Throws DomainError `test.unknown`, `test.foreign`, `quarantine.untilPast`, `quarantine.tooLong`.
     */
    startQuarantine: async (
      context: CommandContext,
      testId: string,
      terms: { readonly until: string; readonly reason: string },
    ): Promise<{ readonly state: NonNullable<Quarantine>; readonly receipt: Receipt }> => {
      const at = clock().toISOString();
      const done = await execute(context, { type: "start", testId, at, ...terms });
      return { state: done.state ?? terms, receipt: receiptOf(done) };
    },

    /** Ends a quarantine. Records nothing if there is none. Throws DomainError `test.unknown`, `test.foreign`. */
    endQuarantine: async (context: CommandContext, testId: string): Promise<Receipt> => {
      const at = clock().toISOString();
      return receiptOf(await execute(context, { type: "end", testId, at }));
    },
  };
};
