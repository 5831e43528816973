import { secretsIn } from "../../domain/catalogue/secrets.ts";
import { browserName } from "../../domain/runs/verdict.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Dispatch, DispatchQueue } from "../../stores/runs/dispatchQueue.ts";
import { LEASE_SECONDS } from "../../stores/runs/leases.ts";
import { type Claimed, claimJob } from "../runs/claim.ts";
import type { Resources } from "../runs/resources.ts";
import type { AgentHostDeps, HostedWork, Session } from "./session.ts";
import type { HostedWorks } from "./works.ts";

/** Time that an agent has to accept an offer. */
const ACCEPT_MS = 10_000;
/** Upper limit of the pause after refused offers. */
const MAX_PAUSE_MS = 60_000;
/** Time for which a claimed dispatch may still be listed as waiting. */
const CLAIMED_MS = 5_000;

type OfferDeps = AgentHostDeps & {
  readonly queue: DispatchQueue;
  readonly sessions: ReadonlySet<Session>;
  readonly hosted: HostedWorks;
  readonly signal: AbortSignal;
};

type OfferState = OfferDeps & {
  /** Start of recent claims, by execution and delivery. */
  readonly claimedAt: Map<string, number>;
  looking: Promise<void> | null;
  lookAgain: boolean;
};

export type Offers = {
  /** Looks for work for every agent. Called while looking: looks once more afterwards. */
  lookNow(): void;
  /** Stops offers to an agent for a while: twice as long after each refusal, up to a minute. */
  pauseOffers(session: Session): void;
  /** Resolves when no look is under way. */
  settled(): Promise<void>;
};

/** Offers waiting executions to connected agents with free capacity. */
export const createOffers = (deps: OfferDeps): Offers => {
  const state: OfferState = { ...deps, claimedAt: new Map(), looking: null, lookAgain: false };
  return {
    lookNow: () => {
      state.lookAgain = true;
      state.looking ??= look(state).finally(() => {
        state.looking = null;
      });
    },
    pauseOffers,
    settled: () => state.looking ?? Promise.resolve(),
  };
};

const pauseOffers = (session: Session): void => {
  session.refusals += 1;
  const ms = Math.min(MAX_PAUSE_MS, 500 * 2 ** session.refusals);
  session.pausedUntil = performance.now() + ms;
};

const look = async (state: OfferState): Promise<void> => {
  while (state.lookAgain && !state.signal.aborted) {
    state.lookAgain = false;
    for (const session of state.sessions) {
      await lookFor(state, session).catch((error: unknown) => {
        logFailure(state.logger, error, {}, "waiting executions cannot be read");
      });
    }
  }
};

const lookFor = async (state: OfferState, session: Session): Promise<void> => {
  const { queue, hosted, claimedAt } = state;
  const free = freeCapacity(hosted, session);
  if (free <= 0) return;
  const now = performance.now();
  for (const [key, at] of claimedAt) if (now - at > CLAIMED_MS) claimedAt.delete(key);
  const browsers = session.hello.browsers.filter((name) => browserName.safeParse(name).success);
  const limit = free + claimedAt.size;
  const waiting = await queue.listForAgents(session.organizationId, browsers, limit);
  const isNew = ({ executionId, delivery }: Dispatch): boolean =>
    !hosted.works.has(executionId) && !claimedAt.has(`${executionId}:${delivery}`);
  for (const dispatch of waiting.filter(isNew).slice(0, freeCapacity(hosted, session))) {
    claimedAt.set(`${dispatch.executionId}:${dispatch.delivery}`, performance.now());
    session.claiming += 1;
    offer(state, session, dispatch)
      .catch((error: unknown) => {
        logFailure(state.logger, error, {}, "an execution could not be offered to an agent");
      })
      .finally(() => {
        session.claiming -= 1;
      });
  }
};

const freeCapacity = ({ works }: HostedWorks, session: Session): number => {
  if (!session.isReady || session.isEnded || session.pausedUntil > performance.now()) return 0;
  const held = [...works.values()].filter((work) => work.session === session).length;
  return session.hello.capacity - held - session.claiming;
};

/** Claims an execution for an agent and sends it the dispatch. Gives it back if the agent does not accept in time. */
const offer = async (state: OfferState, session: Session, dispatch: Dispatch): Promise<void> => {
  const { hosted, resourcesOf } = state;
  const { executionId, delivery, runId, organizationId } = dispatch;
  const { keeper, worker } = session;
  const claimed = await claimJob(
    { ...state, keeper, worker },
    { execution_id: executionId, run_id: runId, organization_id: organizationId, delivery },
  );
  if (!claimed) return;
  const work = hosted.start(session, executionId, delivery, claimed, null);
  if (session.isEnded) return hosted.giveBack(work, "The agent disconnected.");
  const resources = resourcesOf(claimed.planned, organizationId);
  const secrets = await readSecrets(state, claimed, resources);
  const dueSteps = await work.dueSteps();
  if (!secrets) return hosted.giveBack(work, "The secrets of the test cannot be read now.");
  if (session.isEnded) return;
  session.line.say({
    ...dispatchMessage(work, claimed),
    secrets: Object.fromEntries(secrets),
    shows_secrets: resources.showsSecrets,
    heals: state.healingOf !== undefined,
    due_steps: [...dueSteps],
  });
  hosted.unlessHeard(work, ACCEPT_MS, () => {
    pauseOffers(session);
    hosted.giveBack(work, "The agent did not accept it in time.");
  });
};

/** The secrets named in the steps; null if they cannot be read. */
const readSecrets = async (
  { logger }: OfferState,
  { steps }: Claimed,
  resources: Resources,
): Promise<ReadonlyMap<string, string> | null> => {
  const named = secretsIn(steps.flatMap(({ target, value }) => [target, value]).join("\n"));
  if (named.length === 0) return new Map();
  try {
    return await resources.secrets(named);
  } catch (error) {
    logFailure(logger, error, {}, "the secrets of a test cannot be read");
    return null;
  }
};

const dispatchMessage = (
  { executionId, delivery, traceparent }: HostedWork,
  { planned, steps }: Claimed,
) => ({
  type: "dispatch" as const,
  execution_id: executionId,
  delivery,
  run_id: planned.runId,
  steps: steps.map(({ ofTest: _, ...step }) => step),
  browsers: [...planned.browsers],
  base_url: planned.baseUrl,
  variables: planned.variables,
  lease_seconds: LEASE_SECONDS,
  retries: planned.retries ?? 0,
  ...{ compares_pictures: true, gives_files: true },
  evidence: [...(planned.evidence ?? [])],
  ...{ step_ms: planned.limits?.stepMs ?? 10_000, test_ms: planned.limits?.testMs ?? 600_000 },
  ...(traceparent === undefined ? {} : { traceparent }),
});
