import { type CallFailure, timedOut } from "../failures.ts";
import { sizeOf } from "../protocol/fields.ts";
import type { Append, AppendResult } from "../records.ts";
import type { ConflictQueue } from "./conflictQueue.ts";

/** Limits of one transaction. */
const MAX_GROUP = 256;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;

/** The caller of an append. `deadline` is in milliseconds since the epoch. */
export type Caller = { readonly deadline: number | undefined; isGone(): boolean };

/** An append that waits for its result. */
export type PendingAppend = {
  readonly append: Append;
  readonly caller: Caller;
  readonly bytes: number;
  settled: boolean;
  /** Reports the result. Only the first call has an effect. */
  settle(result: AppendResult | CallFailure): void;
};

export const createPendingAppend = (
  append: Append,
  caller: Caller,
  resolve: (result: AppendResult) => void,
  reject: (failure: CallFailure) => void,
): PendingAppend => {
  const pending: PendingAppend = {
    append,
    caller,
    bytes: append.events.reduce((sum, event) => sum + sizeOf(event), 0),
    settled: false,
    settle: (result) => {
      if (pending.settled) return;
      pending.settled = true;
      if (result instanceof Error) reject(result);
      else resolve(result);
    },
  };
  return pending;
};

/** Takes the appends of the next transaction from the queue. Appends that must wait stay in it. */
export const takeGroup = (
  queue: readonly PendingAppend[],
  conflicts: ConflictQueue,
): { readonly group: PendingAppend[]; readonly rest: PendingAppend[] } => {
  const group: PendingAppend[] = [];
  const barred: PendingAppend[] = [];
  let bytes = 0;
  let considered = 0;
  for (const pending of queue) {
    const isFull =
      group.length === MAX_GROUP || (group.length > 0 && bytes + pending.bytes > MAX_GROUP_BYTES);
    if (isFull) break;
    considered += 1;
    if (pending.caller.isGone()) pending.settle(timedOut());
    if (pending.settled) continue;
    if (conflicts.mustWait(pending.append)) {
      barred.push(pending);
      continue;
    }
    group.push(pending);
    bytes += pending.bytes;
  }
  return { group, rest: [...barred, ...queue.slice(considered)] };
};

/** Fails the appends whose deadline has passed. */
export const failOverdue = (appends: Iterable<PendingAppend>): void => {
  const now = Date.now();
  for (const { caller, settle } of appends) {
    if (caller.deadline !== undefined && caller.deadline <= now) settle(timedOut());
  }
};
