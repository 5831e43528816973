import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { PlanCode } from "../../domain/billing/catalog.ts";
import { getValue } from "../../domain/billing/persistentMap.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import type { PlanEvent } from "../../domain/billing/planEvents.ts";
import { countLine, type Mark, type Marking, noMarking } from "../../domain/billing/planMarks.ts";
import {
  type ChangeRequest,
  type ChangeStatus,
  type CurrentPlan,
  currentPlan,
} from "../../domain/billing/planState.ts";
import { nextDue } from "../../domain/billing/planTicks.ts";
import type { ProviderName } from "../../domain/billing/subscription.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import { type AnyRecorded, defineBatchProjection, type Target } from "../kernel/projection.ts";
import { insertRows } from "../kernel/rows.ts";
import { createPlanMarks, markRow, type PlanMarksTables } from "./marks.ts";
import { packed, type StoredPlan, unpacked } from "./state.ts";

export type BillingTables = PlanMarksTables & {
  organization_plans: {
    organization_id: string;
    plan: PlanCode;
    /** The event that set it. */
    set_by: string | null;
    since: string | null;
    state: StoredPlan;
    /** When something happens to it by time alone. */
    next_due_at: string | null;
    /** How far its history is counted, for the marks in it. */
    marking: Marking;
  };
  plan_changes: {
    id: string;
    organization_id: string;
    status: ChangeStatus;
    change: ChangeRequest;
    /** Why it failed. */
    reason: string | null;
  };
  plan_subscriptions: {
    provider: ProviderName;
    subscription_id: string;
    organization_id: string;
  };
};

const organizationOf = (stream: string): string => stream.slice(stream.indexOf("-") + 1);

/** The plan of each organisation with all that shows of it, its change requests, and whose subscription is whose. */
export const billingProjection = defineBatchProjection<BillingTables, PlanEvent>({
  name: "billing",
  version: 6,
  tables: ["organization_plans", "plan_changes", "plan_subscriptions", "plan_marks"],
  create: async (db) => {
    await db.schema
      .createTable("organization_plans")
      .addColumn("organization_id", "uuid", (c) => c.primaryKey())
      .addColumn("plan", "text", (c) => c.notNull())
      .addColumn("set_by", "uuid")
      .addColumn("since", "timestamptz")
      .addColumn("state", "jsonb", (c) => c.notNull())
      .addColumn("next_due_at", "timestamptz")
      .addColumn("marking", "jsonb", (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex("organization_plans_due")
      .on("organization_plans")
      .column("next_due_at")
      .execute();
    await db.schema
      .createTable("plan_changes")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("status", "text", (c) => c.notNull())
      .addColumn("change", "jsonb", (c) => c.notNull())
      .addColumn("reason", "text")
      .execute();
    await db.schema
      .createTable("plan_subscriptions")
      .addColumn("provider", "text", (c) => c.notNull())
      .addColumn("subscription_id", "text", (c) => c.notNull())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addPrimaryKeyConstraint("plan_subscriptions_pkey", ["provider", "subscription_id"])
      .execute();
    await createPlanMarks(db);
  },
  codecs: [planDecider.codec],
  types: planDecider.codec.types as readonly PlanEvent["type"][],
  fold: async (into, events, stored) => {
    const plans = await readPlans(into, [...new Set(events.map(({ stream }) => stream))]);
    const changes = new Map<string, BillingTables["plan_changes"]>();
    const subscriptions = new Map<string, BillingTables["plan_subscriptions"]>();
    const marks: BillingTables["plan_marks"][] = [];
    for (const [nth, event] of events.entries()) {
      foldOne(event, plans, changes, subscriptions);
      const mark = count(plans.get(event.stream), stored[nth]);
      if (mark) marks.push(markRow(organizationOf(event.stream), mark));
    }
    const rows = [...plans.values()].map(({ organizationId, current, since, marking }) => ({
      organization_id: organizationId,
      plan: current.plan,
      set_by: current.setBy,
      since,
      state: packed(current),
      next_due_at: nextDue(current),
      marking,
    }));
    await insertRows(into, "organization_plans", rows, {
      key: ["organization_id"],
      set: ["plan", "set_by", "since", "state", "next_due_at", "marking"],
    });
    await insertRows(into, "plan_changes", [...changes.values()], {
      key: ["id"],
      set: ["status", "change", "reason"],
    });
    await insertRows(into, "plan_subscriptions", [...subscriptions.values()], {
      key: ["provider", "subscription_id"],
      set: ["organization_id"],
    });
    await insertRows(into, "plan_marks", marks, "ignore");
  },
});

type Folding = { organizationId: string; current: CurrentPlan; since: string | null; marking: Marking };

const readPlans = async (into: Target, streams: readonly string[]): Promise<Map<string, Folding>> => {
  const rows = await (into.db as Kysely<BillingTables>)
    .selectFrom("organization_plans")
    .select(["organization_id", "since", "state", "marking"])
    .where("organization_id", "in", streams.map(organizationOf))
    .execute();
  const known = new Map(rows.map((row) => [row.organization_id, row]));
  return new Map(
    streams.map((stream) => {
      const organizationId = organizationOf(stream);
      const row = known.get(organizationId);
      const current = row ? unpacked(row.state) : currentPlan(planDecider.initial);
      const marking = row?.marking ?? noMarking;
      return [stream, { organizationId, current, since: row?.since ?? null, marking }];
    }),
  );
};

/**
 * Counts an event into its history. Where one was left out (an operator may decide so), no more marks are made: the
 * chain of hashes goes over all.
 */
const count = (folding: Folding | undefined, stored: RecordedEvent | undefined): Mark | null => {
  if (!folding || !stored || BigInt(folding.marking.sequence) !== stored.revision) return null;
  const { marking, mark } = countLine(folding.marking, stored, folding.current, digest);
  folding.marking = marking;
  return mark;
};

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const foldOne = (
  event: AnyRecorded<PlanEvent>,
  plans: Map<string, Folding>,
  changes: Map<string, BillingTables["plan_changes"]>,
  subscriptions: Map<string, BillingTables["plan_subscriptions"]>,
): void => {
  const folding = plans.get(event.stream);
  if (!folding) return;
  const { organizationId } = folding;
  const before = folding.current;
  // The log gives type and data apart; together they are the event.
  const current = currentPlan(planDecider.evolve(before, event as unknown as PlanEvent));
  folding.current = current;
  if (current.setBy !== before.setBy) folding.since = event.metadata.occurred_at;
  for (const [id, subscription] of current.subscriptions) {
    if (before.subscriptions.has(id)) continue;
    const { provider } = subscription;
    subscriptions.set(`${provider} ${id}`, {
      provider,
      subscription_id: id,
      organization_id: organizationId,
    });
  }
  const changed = (event.data as { readonly changeId?: string | null }).changeId ?? "";
  const change = getValue(current.changes, changed);
  if (change && change !== getValue(before.changes, changed)) {
    const { id, status } = change;
    const reason = event.type === "PlanChangeFailed" ? event.data.reason : null;
    changes.set(id, { id, organization_id: organizationId, status, change, reason });
  }
};

/** Plans of organisations, as the read model has them. */
export const billingQueries = (db: Kysely<BillingTables>) => ({
  /** The plan in force; the free one before any was set. */
  planOf: async (
    organizationId: string,
  ): Promise<{ plan: PlanCode; setBy: string | null; since: string | null }> => {
    const row = await db
      .selectFrom("organization_plans")
      .select(["plan", "set_by", "since"])
      .where("organization_id", "=", organizationId)
      .executeTakeFirst();
    return row
      ? { plan: row.plan, setBy: row.set_by, since: row.since }
      : { plan: "free", setBy: null, since: null };
  },

  /** All that an organisation holds; of its change requests the open one alone. */
  currentPlan: async (organizationId: string): Promise<CurrentPlan> => {
    const row = await db
      .selectFrom("organization_plans")
      .select("state")
      .where("organization_id", "=", organizationId)
      .executeTakeFirst();
    return row ? unpacked(row.state) : currentPlan(planDecider.initial);
  },

  /** A change request, whosever it is; null when there is none. */
  findChange: async (
    id: string,
  ): Promise<{ organizationId: string; change: ChangeRequest } | null> => {
    const row = await db
      .selectFrom("plan_changes")
      .select(["organization_id", "change"])
      .where("id", "=", id)
      .executeTakeFirst();
    return row ? { organizationId: row.organization_id, change: row.change } : null;
  },

  /** Whose a provider's subscription is; null as long as none of its events named an organisation. */
  organizationOfSubscription: async (
    provider: ProviderName,
    subscriptionId: string,
  ): Promise<string | null> => {
    const row = await db
      .selectFrom("plan_subscriptions")
      .select("organization_id")
      .where("provider", "=", provider)
      .where("subscription_id", "=", subscriptionId)
      .executeTakeFirst();
    return row?.organization_id ?? null;
  },

  /** Organisations to whose plan something has happened by time, longest ago first. */
  listDue: async (at: string, limit: number): Promise<readonly string[]> => {
    const rows = await db
      .selectFrom("organization_plans")
      .select("organization_id")
      .where("next_due_at", "<=", sql<string>`${at}::timestamptz`)
      .orderBy("next_due_at")
      .limit(limit)
      .execute();
    return rows.map((row) => row.organization_id);
  },
});

export type BillingQueries = ReturnType<typeof billingQueries>;
