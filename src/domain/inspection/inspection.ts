import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";

// ---------------------------------------------------------------- Events

const looks = [
  "find",
  "list_streams",
  "read_stream",
  "read_event",
  "diff_stream",
  "compare_stream",
  "list_mail",
  "list_users",
  "list_organizations",
  "list_webhook_events",
  "list_projections",
  "verify_projection",
  "list_parked",
] as const;

const schemas = {
  /** Somebody who looks after the service looked at something: of which kind, and at which streams, events, read models or mail. What was typed is not kept. */
  Looked: z.object({ at: z.enum(looks), subjects: z.array(z.string()) }),
  /** Somebody did something about a read model, or about an event that one refused, by its name or id. */
  Handled: z.object({
    what: z.enum(["rebuild", "retry", "skip"]),
    subject: z.string(),
    reason: z.string().nullable(),
  }),
  /** Somebody was shown who a person is. */
  PersonRevealed: z.object({ personId: z.uuid(), reason: z.string() }),
};

export type InspectionEvent = EventOf<typeof schemas>;
type DataOf<Type extends InspectionEvent["type"]> = Extract<
  InspectionEvent,
  { type: Type }
>["data"];
export type Look = DataOf<"Looked">;
export type Handled = DataOf<"Handled">;

// ---------------------------------------------------------------- State

/** Of one who looks: nothing is decided on what was looked at before. */
export type Inspection = {
  readonly looks: number;
  readonly revealed: number;
  readonly handled: number;
};

// ---------------------------------------------------------------- evolve

export const evolve = (inspection: Inspection, event: InspectionEvent): Inspection => {
  switch (event.type) {
    case "Looked":
      return { ...inspection, looks: inspection.looks + 1 };
    case "Handled":
      return { ...inspection, handled: inspection.handled + 1 };
    case "PersonRevealed":
      return { ...inspection, revealed: inspection.revealed + 1 };
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

export type InspectionCommand = { readonly type: "record"; readonly event: InspectionEvent };

// ---------------------------------------------------------------- decide

/** Each look counts: twice the same was looked at twice. */
export const decide = ({ event }: InspectionCommand): readonly InspectionEvent[] => [event];

/** What one who looks after the service has looked at: stream `inspection-{user id}`. */
export const inspectionDecider: Decider<Inspection, InspectionCommand, InspectionEvent> = {
  category: "inspection",
  initial: { looks: 0, revealed: 0, handled: 0 },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
