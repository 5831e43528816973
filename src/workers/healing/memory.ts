import { fingerprintSchema } from "../../domain/healing/fingerprint.ts";
import { logTrouble } from "../../platform/availability.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/logger.ts";
import type { FingerprintsState } from "../../stores/healing/fingerprints.ts";
import type { HealingMemory } from "../executor/healing/memory.ts";

/** What an element is like is taken anew after so long: pages change little by little. */
const FRESH_MS = 24 * 3_600_000;

/** What is known of the elements of a test. */
export type HealingOf = (test: {
  readonly organizationId: string;
  readonly testId: string;
}) => HealingMemory;

/**
 * Remembers elements from run to run. What is known of a test is read at once, beside the start of its
 * browser; whoever cannot read or keep it only does without healing.
 */
export const healingFrom =
  (deps: {
    readonly fingerprints: FingerprintsState;
    /** Whether an organisation lets steps go on with what is enough like their element. */
    readonly isAllowed: (organizationId: string) => Promise<boolean>;
    /** Targets that somebody rejected, by step. */
    readonly rejectedOf: (testId: string) => Promise<ReadonlyMap<string, readonly string[]>>;
    readonly clock: Clock;
    readonly logger: Logger;
  }): HealingOf =>
  ({ organizationId, testId }) => {
    const { fingerprints, clock, logger } = deps;
    const trouble = (error: unknown) =>
      logTrouble(logger, error, {}, "what steps had cannot be read or kept");
    const known = fingerprints.ofTest(testId).catch((error: unknown) => {
      trouble(error);
      return null;
    });

    return ({ id, target }) => {
      const last = async () => {
        const found = (await known)?.get(id);
        return found?.target === target ? found : null;
      };
      return {
        known: async () => {
          const parsed = fingerprintSchema.safeParse((await last())?.fingerprint);
          return parsed.success ? parsed.data : null;
        },
        isDue: async () => {
          if ((await known) === null) return false;
          const found = await last();
          return found === null || clock().getTime() - Date.parse(found.takenAt) > FRESH_MS;
        },
        keep: (fingerprint) => {
          const takenAt = clock().toISOString();
          fingerprints.keep(testId, id, { target, fingerprint, takenAt }).catch(trouble);
        },
        isAllowed: () => deps.isAllowed(organizationId).catch(() => false),
        rejected: async () => (await deps.rejectedOf(testId)).get(id) ?? [],
      };
    };
  };
