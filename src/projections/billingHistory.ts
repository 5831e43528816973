import { createHash } from "node:crypto";
import type { PlanCode } from "../domain/billing/catalog.ts";
import { heldBy, type OrganizationPlan, planDecider } from "../domain/billing/plan.ts";
import type { Terms } from "../domain/billing/proration.ts";
import { webhookDecider } from "../domain/billing/webhook.ts";
import type { Actor } from "../domain/kernel/events.ts";
import type { EventLog, RecordedEvent } from "../platform/eventLog/port.ts";

/** A line of a plan's history. `hash` is over the line before and the event as it is stored. */
export type HistoryLine = {
  readonly sequence: number;
  readonly id: string;
  readonly event: string;
  readonly occurredAt: string;
  readonly recordedAt: string;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string;
  /** The provider's event behind it, with the SHA-256 of its body as it came. */
  readonly providerEvent: { readonly id: string; readonly bodySha256: string | null } | null;
  readonly planBefore: PlanCode;
  readonly planAfter: PlanCode;
  readonly hash: string;
  readonly previousHash: string | null;
};

/** Which lines: by when it happened (`asOf`, `from`, `to`, exclusive), and by when it was written down (`knownAt`). */
export type HistoryRange = {
  readonly asOf: string | null;
  readonly knownAt: string | null;
  readonly from: string | null;
  readonly to: string | null;
};

export type PlanHistory = {
  readonly lines: readonly HistoryLine[];
  /** The plan at `asOf`, as far as it was known at `knownAt`. */
  readonly planAt: { readonly plan: PlanCode; readonly own: Terms };
};

export type BillingHistory = ReturnType<typeof billingHistory>;

/** The history of plans, read from the log itself: what is shown is what is stored. */
export const billingHistory = (log: EventLog) => {
  const bodyOf = async (provider: string, eventId: string): Promise<string | null> => {
    const stream = `${webhookDecider.category}-${provider}_${eventId}`;
    for await (const { type, data } of log.readStream(stream, { limit: 1 })) {
      if (type === "WebhookReceived") return (data as { bodySha256: string }).bodySha256;
    }
    return null;
  };

  return {
    historyOf: async (organizationId: string, range: HistoryRange): Promise<PlanHistory> => {
      const lines: HistoryLine[] = [];
      let state: OrganizationPlan = planDecider.initial;
      let known: OrganizationPlan = planDecider.initial;
      let previousHash: string | null = null;
      for await (const recorded of log.readStream(`${planDecider.category}-${organizationId}`)) {
        const { type, metadata } = recorded;
        const event = planDecider.codec.decode({
          type,
          data: recorded.data,
          schemaVersion: metadata.schema_version,
        });
        const planBefore = heldBy(state).plan;
        state = planDecider.evolve(state, event);
        const hash = hashOf(previousHash, recorded);
        const { occurred_at: occurredAt, recorded_at: recordedAt } = metadata;
        const isKnown =
          (range.asOf === null || occurredAt <= range.asOf) &&
          (range.knownAt === null || recordedAt <= range.knownAt);
        if (isKnown) known = planDecider.evolve(known, event);
        const isAsked =
          (range.from === null || occurredAt >= range.from) &&
          (range.to === null || occurredAt < range.to);
        if (isKnown && isAsked) {
          const told = providerEventOf(event.data);
          lines.push({
            sequence: Number(recorded.revision) + 1,
            id: recorded.id,
            event: type,
            occurredAt,
            recordedAt,
            actor: metadata.actor,
            correlationId: metadata.$correlationId,
            causationId: metadata.$causationId,
            providerEvent: told && {
              id: told.eventId,
              bodySha256: await bodyOf(told.provider, told.eventId),
            },
            planBefore,
            planAfter: heldBy(state).plan,
            hash,
            previousHash,
          });
        }
        previousHash = hash;
      }
      const { plan, own } = heldBy(known);
      return { lines, planAt: { plan, own: own.terms } };
    },
  };
};

/** SHA-256 over the hash before, a line feed, and the event as it is stored: its id, type, data and metadata. */
const hashOf = (previous: string | null, { id, type, data, metadata }: RecordedEvent): string =>
  createHash("sha256")
    .update(`${previous ?? ""}\n${id}\n${type}\n`)
    .update(JSON.stringify(data))
    .update("\n")
    .update(JSON.stringify(metadata))
    .digest("hex");

const providerEventOf = (data: unknown): { provider: string; eventId: string } | null => {
  const { fact, provider, providerEventId } = data as {
    fact?: { provider: string; eventId: string } | null;
    provider?: string;
    providerEventId?: string;
  };
  if (fact) return fact;
  return provider !== undefined && providerEventId !== undefined
    ? { provider, eventId: providerEventId }
    : null;
};
