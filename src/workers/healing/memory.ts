import { fingerprintSchema } from "../../domain/healing/fingerprint.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/logger.ts";
import type { FingerprintsState } from "../../stores/healing/fingerprints.ts";
import type { HealingMemory } from "../executor/healing/memory.ts";

/** A fingerprint is renewed after this time, because pages change gradually. */
const FRESH_MS = 24 * 3_600_000;

export type HealingOf = (test: {
  readonly organizationId: string;
  readonly testId: string;
}) => HealingMemory;

/**
 * Stores fingerprints of elements across runs. Loads those of a test while its browser starts. If loading or storing fails,
 * the execution continues without healing.
 */
export const healingFrom =
  (deps: {
    readonly fingerprints: FingerprintsState;
    /** Whether the organisation has healing enabled. */
    readonly isAllowed: (organizationId: string) => Promise<boolean>;
    /** Rejected targets by step id. */
    readonly rejectedOf: (testId: string) => Promise<ReadonlyMap<string, readonly string[]>>;
    readonly clock: Clock;
    readonly logger: Logger;
  }): HealingOf =>
  ({ organizationId, testId }) => {
    const { fingerprints, clock, logger } = deps;
    const warn = (error: unknown) =>
      logFailure(logger, error, {}, "fingerprints of elements cannot be read or stored");
    const known = fingerprints.ofTest(testId).catch((error: unknown) => {
      warn(error);
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
          fingerprints.keep(testId, id, { target, fingerprint, takenAt }).catch(warn);
        },
        isAllowed: () => deps.isAllowed(organizationId).catch(() => false),
        rejected: async () => (await deps.rejectedOf(testId)).get(id) ?? [],
      };
    };
  };
