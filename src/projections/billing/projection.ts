import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { getValue } from "../../domain/billing/persistentMap.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import type { PlanEvent } from "../../domain/billing/planEvents.ts";
import { countLine, type Mark, type Marking, noMarking } from "../../domain/billing/planMarks.ts";
import { type CurrentPlan, currentPlan } from "../../domain/billing/planState.ts";
import { nextDue } from "../../domain/billing/planTicks.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import { type AnyRecorded, defineBatchProjection, type Target } from "../kernel/projection.ts";
import { insertRows } from "../kernel/rows.ts";
import { columnsOfChange } from "./changeColumns.ts";
import { rowOfMark } from "./marks.ts";
import {
  type BillingTables,
  billingTables,
  columnsOfMarking,
  columnsOfState,
  createBillingTables,
  markingColumnNames,
  markingOfColumns,
  planStateColumnNames,
  stateOfColumns,
} from "./tables.ts";

const organizationOf = (stream: string): string => stream.slice(stream.indexOf("-") + 1);

/** The plans of organisations, their change requests and subscriptions, and checkpoints of their histories. */
export const billingProjection = defineBatchProjection<BillingTables, PlanEvent>({
  name: "billing",
  version: 7,
  tables: billingTables,
  create: createBillingTables,
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
      if (mark) marks.push(rowOfMark(organizationOf(event.stream), mark));
    }
    await insertRows(into, "organization_plans", [...plans.values()].map(rowOfPlan), {
      key: ["organization_id"],
      set: [...planStateColumnNames, "since", "next_due_at", ...markingColumnNames],
    });
    await insertRows(into, "plan_changes", [...changes.values()], {
      key: ["id"],
      set: ["status", "effective_at", "reason"],
    });
    await insertRows(into, "plan_subscriptions", [...subscriptions.values()], {
      key: ["provider", "subscription_id"],
      set: ["organization_id"],
    });
    await insertRows(into, "plan_marks", marks, "ignore");
  },
});

const rowOfPlan = ({
  organizationId,
  current,
  since,
  marking,
}: Folding): BillingTables["organization_plans"] => ({
  organization_id: organizationId,
  ...columnsOfState(current),
  since,
  next_due_at: nextDue(current),
  ...columnsOfMarking(marking),
});

type Folding = {
  organizationId: string;
  current: CurrentPlan;
  since: string | null;
  marking: Marking;
};

const readPlans = async (
  into: Target,
  streams: readonly string[],
): Promise<Map<string, Folding>> => {
  const rows = await (into.db as Kysely<BillingTables>)
    .selectFrom("organization_plans")
    .select(["organization_id", "since", ...planStateColumnNames, ...markingColumnNames])
    .where("organization_id", "in", streams.map(organizationOf))
    .execute();
  const known = new Map(rows.map((row) => [row.organization_id, row]));
  return new Map(
    streams.map((stream) => {
      const organizationId = organizationOf(stream);
      const row = known.get(organizationId);
      const current = row ? stateOfColumns(row) : currentPlan(planDecider.initial);
      const marking = row ? markingOfColumns(row) : noMarking;
      return [stream, { organizationId, current, since: row?.since ?? null, marking }];
    }),
  );
};

/**
 * Counts an event of a history. After an event that an operator chose to skip, no more marks are made, because the
 * hash chain covers every event.
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
    const reason = event.type === "PlanChangeFailed" ? event.data.reason : null;
    const columns = columnsOfChange(change);
    changes.set(change.id, { ...columns, organization_id: organizationId, reason });
  }
};
