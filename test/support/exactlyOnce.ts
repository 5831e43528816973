import type { RecordedEvent } from "../../src/platform/eventLog/port.ts";

/** Requests that a service has acknowledged. Each must have had its effect once, and there must be no others. */
export type Promised = {
  /** The organisation of all runs. */
  readonly organizationId: string;
  readonly runs: readonly string[];
  /** The number of steps of each test. All of them pass. */
  readonly steps: number;
  /** Tests that were created and renamed. */
  readonly tests: readonly string[];
  /** Plan changes that were requested and paid. */
  readonly plans: readonly { readonly organizationId: string; readonly changeId: string }[];
  /** How often each mail to the only contact has arrived, by its id. Null without a contact. */
  readonly mails: ReadonlyMap<string, number> | null;
};

type Data = Readonly<Record<string, unknown>>;
type Log = {
  readonly events: readonly RecordedEvent[];
  /** Returns the events of a stream, of one type or all. */
  of(stream: string, type?: string): readonly RecordedEvent[];
};

const dataOf = ({ data }: RecordedEvent): Data => data as Data;

const byStream = (events: readonly RecordedEvent[]): Log => {
  const streams = new Map<string, RecordedEvent[]>();
  for (const event of events) {
    const stream = streams.get(event.stream);
    if (stream) stream.push(event);
    else streams.set(event.stream, [event]);
  }
  return {
    events,
    of: (stream, type) => {
      const found = streams.get(stream) ?? [];
      return type === undefined ? found : found.filter((event) => event.type === type);
    },
  };
};

const once = (what: string, times: number): string[] =>
  times === 1 ? [] : [`${what}: ${times} times, not once`];

/** Returns the runs that have not ended. */
export const openRuns = (
  events: readonly RecordedEvent[],
  runs: readonly string[],
): readonly string[] => {
  const ended = new Set(
    events.filter(({ type }) => /^Run(Finished|Cancelled)$/.test(type)).map(({ stream }) => stream),
  );
  return runs.filter((id) => !ended.has(`run-${id}`));
};

/** Returns each violation of the promises in words. Empty if there is none. */
export const brokenPromises = (
  events: readonly RecordedEvent[],
  promised: Promised,
): readonly string[] => {
  const log = byStream(events);
  return [
    ...disorder(events),
    ...strangers(log, promised),
    ...promised.runs.flatMap((id) => ofRun(log, id, promised.steps)),
    ...ofQuota(log, promised),
    ...promised.tests.flatMap((id) => [
      ...once(`test ${id} created`, log.of(`test-${id}`, "TestCreated").length),
      ...once(`test ${id} renamed`, log.of(`test-${id}`, "TestRenamed").length),
    ]),
    ...promised.plans.flatMap(({ organizationId, changeId }) =>
      ofPlan(log, organizationId, changeId),
    ),
    ...(promised.mails === null ? [] : ofMails(log, promised.runs, promised.mails)),
  ];
};

/** Positions increase, ids are unique, and the revisions of each stream count from 0 without a gap. */
const disorder = (events: readonly RecordedEvent[]): readonly string[] => {
  const problems: string[] = [];
  const ids = new Set<string>();
  const heads = new Map<string, bigint>();
  let last = -1n;
  for (const { id, stream, revision, position } of events) {
    if (position <= last) problems.push(`position ${position} comes after ${last}`);
    if (ids.has(id)) problems.push(`event ${id} is there twice`);
    const due = (heads.get(stream) ?? -1n) + 1n;
    if (revision !== due) problems.push(`${stream}: revision ${revision} in the place of ${due}`);
    last = position;
    ids.add(id);
    heads.set(stream, revision);
  }
  return problems;
};

/** Runs without an acknowledged request, which a duplicated request would have created. */
const strangers = ({ events }: Log, { organizationId, runs }: Promised): readonly string[] => {
  const known = new Set(runs.map((id) => `run-${id}`));
  return events
    .filter(
      ({ type, metadata }) => type === "RunQueued" && metadata.organization_id === organizationId,
    )
    .filter(({ stream }) => !known.has(stream))
    .map(({ stream }) => `${stream}: nobody was told of it`);
};

const executionsOf = (log: Log, runId: string): readonly string[] =>
  log
    .of(`run-${runId}`, "RunQueued")
    .flatMap(({ data }) => (data as { executions: { executionId: string }[] }).executions)
    .map(({ executionId }) => executionId);

const ofRun = (log: Log, runId: string, steps: number): readonly string[] => {
  const stream = `run-${runId}`;
  const ends = log.of(stream, "RunFinished");
  const ended = log.of(stream, "RunExecutionFinished");
  return [
    ...once(`${stream} queued`, log.of(stream, "RunQueued").length),
    ...once(`${stream} ended`, ends.length),
    ...ends.flatMap(({ data }) => {
      const { status } = data as { status: string };
      return status === "passed" ? [] : [`${stream}: ${status}`];
    }),
    ...executionsOf(log, runId).flatMap((id) => [
      ...once(
        `outcome of ${id} in ${stream}`,
        ended.filter((event) => dataOf(event).executionId === id).length,
      ),
      ...ofExecution(log.of(`execution-${id}`), `execution-${id}`, steps),
    ]),
  ];
};

/** One worker at a time, no duplicate event, none of a worker without a lease, and every step in the last delivery. */
const ofExecution = (
  events: readonly RecordedEvent[],
  stream: string,
  steps: number,
): readonly string[] => {
  const problems: string[] = [];
  const facts = new Set<string>();
  let held: unknown = null;
  let passed: unknown[] = [];
  for (const event of events) {
    const { delivery, attempt, browser, number } = dataOf(event);
    switch (event.type) {
      case "ExecutionClaimed":
        if (held !== null) problems.push(`${stream}: delivery ${delivery} while ${held} was held`);
        held = delivery;
        passed = [];
        break;
      case "ExecutionReturned":
      case "ExecutionLeaseExpired":
        held = null;
        break;
      default: {
        if (!/^(Step|Browser|Attempt|Screenshot)/.test(event.type)) break;
        const fact = [event.type, delivery, attempt, browser, number].join(" ");
        if (facts.has(fact)) problems.push(`${stream}: ${fact} is there twice`);
        if (delivery !== held) problems.push(`${stream}: ${fact} while ${held} was held`);
        facts.add(fact);
        if (event.type === "StepPassed") passed.push(number);
      }
    }
  }
  const due = Array.from({ length: steps }, (_, n) => n + 1);
  if (passed.join() !== due.join())
    problems.push(`${stream}: steps [${passed}] passed, not [${due}]`);
  const ends = events.filter(({ type }) => type === "ExecutionFinished").length;
  return [...problems, ...once(`${stream} finished`, ends)];
};

/**
 * Each run was reserved once, and each of its executions has used one unit. An attempt that ended after its
 * reservation was abandoned and has released all units. The totals equal the executed runs.
 */
const ofQuota = (log: Log, { organizationId, runs }: Promised): readonly string[] => {
  const usage = log.events.filter(({ stream }) => stream.startsWith(`usage-${organizationId}_`));
  const allOf = (type: string) => usage.filter((event) => event.type === type);
  const reserved = allOf("RunsReserved").flatMap(({ data }) =>
    (data as { runs: { runId: string }[] }).runs.map(({ runId }) => runId),
  );
  const used = allOf("ReservationUsed").map((event) => dataOf(event).executionId);
  const released = allOf("ReservationReleased").map((event) => dataOf(event).runId);
  const refunded = allOf("UnitRefunded").map((event) => dataOf(event).executionId);
  const executions = runs.flatMap((id) => executionsOf(log, id));
  const known = new Set(runs);
  const givenUp = reserved.filter((id) => !known.has(id));
  const last = usage.at(-1);
  const { used: sum = 0, reserved: left = 0 } = last ? dataOf(last) : {};
  return [
    ...runs.flatMap((id) => once(`run ${id} reserved`, countOf(reserved, id))),
    ...executions.flatMap((id) => once(`unit of ${id} used`, countOf(used, id))),
    ...givenUp.flatMap((id) => [
      ...once(`run ${id} given up`, log.of(`run-${id}`, "RunAbandoned").length),
      ...once(`reservation of run ${id}, which was given up, given back`, countOf(released, id)),
    ]),
    ...runs.flatMap((id) =>
      countOf(released, id) === 0 ? [] : [`reservation of run ${id} given back, and it was run`],
    ),
    // Every execution passes, so no unit is given back.
    ...refunded.map((id) => `unit of ${id} given back, and it was run`),
    ...(sum === executions.length && left === 0 && used.length === executions.length
      ? []
      : [`${sum} units used and ${left} reserved, of ${executions.length} that were run`]),
  ];
};

const ofPlan = (log: Log, organizationId: string, changeId: string): readonly string[] => {
  const stream = `plan-${organizationId}`;
  const created = log.of(stream, "PlanChangeCreated");
  const applied = log.of(stream, "PlanChangeApplied");
  const isOfChange = (event: RecordedEvent) => dataOf(event).changeId === changeId;
  return [
    ...once(`${stream}: change ${changeId} asked for`, created.filter(isOfChange).length),
    ...once(`${stream}: plan changed`, applied.length),
    ...once(`${stream}: change ${changeId} applied`, applied.filter(isOfChange).length),
  ];
};

const ofMails = (
  log: Log,
  runs: readonly string[],
  mails: ReadonlyMap<string, number>,
): readonly string[] => {
  const wanted = new Map<string, string[]>();
  for (const { type, data } of log.events) {
    if (type !== "NotificationRequested") continue;
    const { notificationId, about } = data as { notificationId: string; about: { runId?: string } };
    wanted.set(about.runId ?? "", [...(wanted.get(about.runId ?? "") ?? []), notificationId]);
  }
  return runs.flatMap((runId) => {
    const ids = wanted.get(runId) ?? [];
    return [
      ...once(`mail about run ${runId} asked for`, ids.length),
      ...ids.flatMap((id) => [
        ...once(
          `mail ${id} noted as sent`,
          log.of(`notification-${id}`, "NotificationSent").length,
        ),
        ...(mails.has(id) ? [] : [`mail ${id} never came`]),
      ]),
    ];
  });
};

const countOf = (all: readonly unknown[], one: unknown): number =>
  all.filter((each) => each === one).length;
