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
  /** An operator viewed streams, events, read models or mail. Search texts are not stored. */
  Looked: z.object({ at: z.enum(looks), subjects: z.array(z.string()) }),
  /** An operator acted on a read model, or on an event that one refused. */
  Handled: z.object({
    what: z.enum(["rebuild", "retry", "skip"]),
    subject: z.string(),
    reason: z.string().nullable(),
  }),
  /** An operator viewed a person's identity. */
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

/** Empty, because no decision depends on earlier views. */
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

/** Every view is recorded, also a repeated one. */
export const decide = ({ event }: InspectionCommand): readonly InspectionEvent[] => [event];

/** The actions of one operator, stream `inspection-{user id}`. */
export const inspectionDecider: Decider<Inspection, InspectionCommand, InspectionEvent> = {
  category: "inspection",
  initial: { looks: 0, revealed: 0, handled: 0 },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
