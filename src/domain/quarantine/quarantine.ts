import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";

/** The maximum length of a quarantine, in days. */
export const MAX_QUARANTINE_DAYS = 365;
const DAY_MS = 86_400_000;

// ---------------------------------------------------------------- Events

const testId = z.uuid();
const schemas = {
  /** The test's results do not count for its runs until `until`. A later event replaces it. */
  QuarantineStarted: z.object({
    testId,
    until: z.iso.datetime({ precision: 3 }),
    reason: z.string(),
  }),
  /** The quarantine was ended early. At its end time it ends without an event. */
  QuarantineEnded: z.object({ testId }),
};

export type QuarantineEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type Quarantine = { readonly until: string; readonly reason: string } | null;

/** Whether a quarantine is active at an instant (ISO 8601). */
export const isQuarantined = (quarantine: Quarantine, at: string): boolean =>
  quarantine !== null && quarantine.until > at;

// ---------------------------------------------------------------- Commands

/** `at` is the time of the request (ISO 8601). */
export type QuarantineCommand = { readonly testId: string; readonly at: string } & (
  | { readonly type: "start"; readonly until: string; readonly reason: string }
  | { readonly type: "end" }
);

// ---------------------------------------------------------------- decide

const decide = (command: QuarantineCommand, quarantine: Quarantine): readonly QuarantineEvent[] => {
  const { testId: id, at } = command;
  switch (command.type) {
    case "start": {
      const { until, reason } = command;
      if (until <= at) {
        throw new DomainError(
          "quarantine.untilPast",
          `until: is over already; name a time after ${at}.`,
        );
      }
      if (Date.parse(until) - Date.parse(at) > MAX_QUARANTINE_DAYS * DAY_MS) {
        throw new DomainError(
          "quarantine.tooLong",
          `until: must be within ${MAX_QUARANTINE_DAYS} days. It can be set again later.`,
        );
      }
      if (quarantine?.until === until && quarantine.reason === reason) return [];
      return [{ type: "QuarantineStarted", data: { testId: id, until, reason } }];
    }
    case "end":
      return isQuarantined(quarantine, at)
        ? [{ type: "QuarantineEnded", data: { testId: id } }]
        : [];
    default:
      return assertNever(command);
  }
};

/** The quarantine of one test. */
export const quarantineDecider: Decider<Quarantine, QuarantineCommand, QuarantineEvent> = {
  category: "quarantine",
  initial: null,
  codec: defineCodec(schemas),
  evolve: (_, event) =>
    event.type === "QuarantineStarted"
      ? { until: event.data.until, reason: event.data.reason }
      : null,
  decide,
};
