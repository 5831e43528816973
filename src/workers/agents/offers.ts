import { secretsIn } from "../../domain/catalogue/secrets.ts";
import { browserName } from "../../domain/runs/verdict.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Dispatch, dispatchQueue } from "../../stores/runs/dispatchQueue.ts";
import { LEASE_SECONDS } from "../../stores/runs/leases.ts";
import { claimJob } from "../runs/claim.ts";
import type { AgentHostDeps, Session } from "./session.ts";
import type { HostedWorks } from "./works.ts";

/** An agent that has not taken what it was given by then does not get it. */
const ACCEPT_MS = 10_000;
/** One that refuses what it is given is left alone for a while: longer each time, up to a minute. */
const LONGEST_SULK_MS = 60_000;
/** What was claimed just now is still listed for a moment. */
const CLAIMED_MS = 5_000;

/** Offers what waits for agents to those that are connected (`sessions`) and have a place free. */
export const createOffers = (
  deps: AgentHostDeps & {
    readonly queue: ReturnType<typeof dispatchQueue>;
    readonly sessions: ReadonlySet<Session>;
    readonly hosted: HostedWorks;
    readonly signal: AbortSignal;
  },
) => {
  const { queue, logger, sessions, signal } = deps;
  const { works, start, giveBack, unlessHeard } = deps.hosted;
  const claimedAt = new Map<string, number>();

  const trouble = (what: string) => (error: unknown) => logFailure(logger, error, {}, what);

  /** Leaves an agent alone for a while that does not take what it is given. */
  const sulk = (session: Session): void => {
    session.refusals += 1;
    const ms = Math.min(LONGEST_SULK_MS, 500 * 2 ** session.refusals);
    session.sulksUntil = performance.now() + ms;
  };

  const offer = async (session: Session, dispatch: Dispatch): Promise<void> => {
    const { executionId, delivery, runId, organizationId } = dispatch;
    const job = {
      execution_id: executionId,
      run_id: runId,
      organization_id: organizationId,
      delivery,
    };
    const { keeper, worker } = session;
    const claimed = await claimJob({ ...deps, keeper, worker }, job);
    if (!claimed) return;
    const work = start(session, executionId, delivery, claimed, null);
    if (session.isEnded) return giveBack(work, "The agent went away.");
    const { planned, steps } = claimed;
    const resources = deps.resourcesOf(planned, organizationId);
    const named = secretsIn(steps.flatMap(({ target, value }) => [target, value]).join("\n"));
    const secrets =
      named.length === 0
        ? new Map<string, string>()
        : await resources.secrets(named).catch((error: unknown) => {
            trouble("the secrets of a test cannot be read")(error);
            return null;
          });
    const dueSteps = await work.dueSteps();
    if (!secrets) return giveBack(work, "Its secrets cannot be read now.");
    if (session.isEnded) return;
    session.line.say({
      type: "dispatch",
      execution_id: executionId,
      delivery,
      run_id: planned.runId,
      steps: steps.map(({ ofTest: _, ...step }) => step),
      browsers: [...planned.browsers],
      base_url: planned.baseUrl,
      variables: planned.variables,
      lease_seconds: LEASE_SECONDS,
      retries: planned.retries ?? 0,
      secrets: Object.fromEntries(secrets),
      shows_secrets: resources.showsSecrets,
      ...{ compares_pictures: true, gives_files: true, heals: deps.healingOf !== undefined },
      evidence: [...(planned.evidence ?? [])],
      due_steps: [...dueSteps],
      ...{ step_ms: planned.limits?.stepMs ?? 10_000, test_ms: planned.limits?.testMs ?? 600_000 },
      ...(work.traceparent === undefined ? {} : { traceparent: work.traceparent }),
    });
    unlessHeard(work, ACCEPT_MS, () => {
      sulk(session);
      giveBack(work, "The agent did not take it.");
    });
  };

  const freeOf = (session: Session): number => {
    if (!session.isReady || session.isEnded || session.sulksUntil > performance.now()) return 0;
    const held = [...works.values()].filter((work) => work.session === session).length;
    return session.hello.capacity - held - session.claiming;
  };

  const lookFor = async (session: Session): Promise<void> => {
    const free = freeOf(session);
    if (free <= 0) return;
    const now = performance.now();
    for (const [key, at] of claimedAt) if (now - at > CLAIMED_MS) claimedAt.delete(key);
    const browsers = session.hello.browsers.filter((name) => browserName.safeParse(name).success);
    const limit = free + claimedAt.size;
    const waiting = await queue.listForAgents(session.organizationId, browsers, limit);
    const isNew = ({ executionId, delivery }: Dispatch): boolean =>
      !works.has(executionId) && !claimedAt.has(`${executionId}:${delivery}`);
    for (const dispatch of waiting.filter(isNew).slice(0, freeOf(session))) {
      claimedAt.set(`${dispatch.executionId}:${dispatch.delivery}`, performance.now());
      session.claiming += 1;
      offer(session, dispatch)
        .catch(trouble("an execution could not be given to an agent"))
        .finally(() => {
          session.claiming -= 1;
        });
    }
  };

  let looking: Promise<void> | null = null;
  let lookAgain = false;
  const look = async (): Promise<void> => {
    while (lookAgain && !signal.aborted) {
      lookAgain = false;
      for (const session of sessions) {
        await lookFor(session).catch(trouble("agents' work cannot be looked up"));
      }
    }
  };
  const lookNow = (): void => {
    lookAgain = true;
    looking ??= look().finally(() => {
      looking = null;
    });
  };

  return {
    /** Looks for work of every agent, once more if it is looking already. */
    lookNow,
    sulk,
    /** Resolves when nobody looks any more. */
    settled: (): Promise<void> => looking ?? Promise.resolve(),
  };
};
