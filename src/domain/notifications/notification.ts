import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";

// ---------------------------------------------------------------- Events

const notificationId = z.uuid();
const instant = z.iso.datetime({ precision: 3 });

/** The subject of a mail. */
export const about = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("run"), runId: z.uuid(), scheduleId: z.uuid().nullable() }),
  z.object({ kind: z.literal("tick_refused"), scheduleId: z.uuid(), tick: instant }),
  /** A schedule whose ticks were refused runs again. */
  z.object({ kind: z.literal("runs_again"), scheduleId: z.uuid(), tick: instant }),
]);
export type About = z.output<typeof about>;

/** The addressee, by id: addresses are personal data. */
export const recipient = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("contact"), contactId: z.uuid() }),
  z.object({ kind: z.literal("schedule"), scheduleId: z.uuid() }),
]);
export type Recipient = z.output<typeof recipient>;

const schemas = {
  NotificationRequested: z.object({ notificationId, about, recipient }),
  NotificationSent: z.object({ notificationId }),
  /** It was tried in vain, and will be again. `attempts`: so far. */
  NotificationFailed: z.object({
    notificationId,
    attempts: z.int().positive(),
    reason: z.string(),
    nextTryAt: instant,
  }),
  /** It was refused for good, or tried too long. */
  NotificationAbandoned: z.object({ notificationId, reason: z.string() }),
};

export type NotificationEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type Notification =
  | { readonly status: "none" }
  | { readonly status: "requested"; readonly attempts: number }
  | { readonly status: "sent" | "abandoned" };

// ---------------------------------------------------------------- evolve

export const evolve = (state: Notification, event: NotificationEvent): Notification => {
  switch (event.type) {
    case "NotificationRequested":
      return { status: "requested", attempts: 0 };
    case "NotificationFailed":
      return state.status === "requested"
        ? { status: "requested", attempts: event.data.attempts }
        : state;
    case "NotificationSent":
      return { status: "sent" };
    case "NotificationAbandoned":
      return { status: "abandoned" };
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

type DataOf<Type extends NotificationEvent["type"]> = Extract<
  NotificationEvent,
  { type: Type }
>["data"];

export type NotificationCommand =
  | ({ readonly type: "request" } & DataOf<"NotificationRequested">)
  | ({ readonly type: "noteSent" } & DataOf<"NotificationSent">)
  | ({ readonly type: "noteFailure" } & DataOf<"NotificationFailed">)
  | ({ readonly type: "abandon" } & DataOf<"NotificationAbandoned">);

// ---------------------------------------------------------------- decide

/** One mail: requested once, and its outcome as reported by the outbox. */
export const decide = (
  command: NotificationCommand,
  state: Notification,
): readonly NotificationEvent[] => {
  const { type, ...data } = command;
  switch (type) {
    case "request":
      if (state.status !== "none") return [];
      return [{ type: "NotificationRequested", data: data as DataOf<"NotificationRequested"> }];
    case "noteSent":
      if (state.status !== "requested") return [];
      return [{ type: "NotificationSent", data: { notificationId: data.notificationId } }];
    case "noteFailure": {
      const failure = data as DataOf<"NotificationFailed">;
      if (state.status !== "requested" || failure.attempts <= state.attempts) return [];
      return [{ type: "NotificationFailed", data: failure }];
    }
    case "abandon":
      if (state.status !== "requested") return [];
      return [{ type: "NotificationAbandoned", data: data as DataOf<"NotificationAbandoned"> }];
    default:
      return assertNever(type);
  }
};

export const notificationDecider: Decider<Notification, NotificationCommand, NotificationEvent> = {
  category: "notification",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
