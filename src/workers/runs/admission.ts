import type { AdmissionView, Dispatch } from "../../stores/runs/dispatchQueue.ts";

/** How many executions of an organisation may be under way at once: its plan's entitlement. */
export type ParallelismOf = (organizationId: string) => number;

/** When an organisation was last given a slot, as a number that grows; absent: never. */
export type Turns = ReadonlyMap<string, number>;

/**
 * Picks what to admit to the work queue: never more than there are free slots, never more for an
 * organisation than its plan's parallelism, and fairly. Each slot goes to the organisation that has
 * the fewest under way, among equals to the one that has waited longest for a turn; within an
 * organisation first come, first served.
 */
export const admit = (
  view: AdmissionView,
  parallelismOf: ParallelismOf,
  turns: Turns,
): readonly Dispatch[] => {
  const queues = byOrganization(view.waiting);
  const active = new Map(view.active);
  const lastTurn = new Map(turns);
  let turn = Math.max(0, ...lastTurn.values());
  const chosen: Dispatch[] = [];
  while (chosen.length < view.freeSlots) {
    const next = fairest(queues, active, lastTurn, parallelismOf);
    const dispatch = next === null ? undefined : queues.get(next)?.shift();
    if (next === null || dispatch === undefined) break;
    turn += 1;
    lastTurn.set(next, turn);
    active.set(next, (active.get(next) ?? 0) + 1);
    chosen.push(dispatch);
  }
  return chosen;
};

/** So many more than there are slots for are asked for their plan at once: some of the first may be at their limit. */
const ASKED_AHEAD = 64;

/**
 * Picks the same, and asks for the parallelism of those alone that come next: thousands of organisations may wait, and
 * whoever asks holds up every other admission. Rejects when one cannot be had.
 */
export const admitAsking = async (
  view: AdmissionView,
  parallelismOf: (organizationId: string) => Promise<number>,
  turns: Turns,
): Promise<readonly Dispatch[]> => {
  const known = new Map<string, number>();
  const ahead = { ...view, freeSlots: view.freeSlots + ASKED_AHEAD };
  for (;;) {
    // Who is not known yet counts as one without a limit: picked with that, it is asked for, and all are picked anew.
    const next = admit(ahead, (id) => known.get(id) ?? Number.POSITIVE_INFINITY, turns);
    const chosen = next.slice(0, view.freeSlots);
    if (chosen.every(({ organizationId }) => known.has(organizationId))) return chosen;
    const unknown = new Set(next.map(({ organizationId }) => organizationId));
    for (const id of known.keys()) unknown.delete(id);
    await Promise.all([...unknown].map(async (id) => known.set(id, await parallelismOf(id))));
  }
};

/** Organisations in the order in which their oldest execution came. */
const byOrganization = (waiting: readonly Dispatch[]): Map<string, Dispatch[]> => {
  const queues = new Map<string, Dispatch[]>();
  for (const dispatch of waiting) {
    const queue = queues.get(dispatch.organizationId);
    if (queue) queue.push(dispatch);
    else queues.set(dispatch.organizationId, [dispatch]);
  }
  return queues;
};

const fairest = (
  queues: ReadonlyMap<string, readonly Dispatch[]>,
  active: ReadonlyMap<string, number>,
  lastTurn: Turns,
  parallelismOf: ParallelismOf,
): string | null => {
  let best: { organization: string; active: number; turn: number } | null = null;
  for (const [organization, queue] of queues) {
    const underWay = active.get(organization) ?? 0;
    if (queue.length === 0 || underWay >= parallelismOf(organization)) continue;
    const turn = lastTurn.get(organization) ?? 0;
    if (best === null || underWay < best.active || (underWay === best.active && turn < best.turn)) {
      best = { organization, active: underWay, turn };
    }
  }
  return best?.organization ?? null;
};
