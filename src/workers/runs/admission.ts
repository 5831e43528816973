import type { AdmissionView, Dispatch } from "../../stores/runs/dispatchQueue.ts";

/** The number of executions of an organisation that may run at once: an entitlement of its plan. */
export type ParallelismOf = (organizationId: string) => number;

/** When an organisation was last given a slot, as a number that grows; absent: never. */
export type Turns = ReadonlyMap<string, number>;

/**
 * Selects executions for the work queue: at most the free slots, at most the parallelism of each organisation's plan,
 * and fairly. Each slot goes to the organisation with the fewest running executions, among equals to the one that has
 * waited longest for a turn; within an organisation the order is FIFO.
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

/**
 * The number of executions beyond the free slots for which plans are requested together: organisations of the first may be
 * at their limit.
 */
const ASKED_AHEAD = 64;

/**
 * Selects the same executions, and requests the parallelism only of the organisations that come next: thousands may
 * wait, and each request blocks other admissions. Rejects if a request fails.
 */
export const admitAsking = async (
  view: AdmissionView,
  parallelismOf: (organizationId: string) => Promise<number>,
  turns: Turns,
): Promise<readonly Dispatch[]> => {
  const known = new Map<string, number>();
  const ahead = { ...view, freeSlots: view.freeSlots + ASKED_AHEAD };
  for (;;) {
    // Assumes no limit for an organisation of unknown parallelism; if it is selected, its limit is requested and the
    // selection is repeated.
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
