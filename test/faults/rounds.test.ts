import { afterAll, describe, expect, it } from "vitest";
import type { RecordedEvent } from "../../src/platform/eventLog/port.ts";
import { call, eventually } from "../support/client.ts";
import { brokenPromises, openRuns, type Promised } from "../support/exactlyOnce.ts";
import { differingReadModels } from "../support/readModels.ts";
import { rewritten } from "./follow.ts";
import { type Customer, createCustomer, RUNS_AT_ONCE, startLoad } from "./load.ts";
import { mayRepeatMail, planRound, type Round, wordsOf } from "./plan.ts";
import { startWorld, type World } from "./world.ts";

/** In CI the rounds are the same each time, so that a commit is judged alike on every machine; elsewhere they are others. */
const seed = Number(
  process.env.FAULT_SEED ?? (process.env.CI ? 20_261_122 : Math.floor(Math.random() * 1_000_000)),
);
const count = Number(process.env.FAULT_ROUNDS ?? 20);
const rounds = Array.from({ length: count }, (_, n) => ({ n: n + 1, ...planRound(seed + n) }));

/** The time within which every run ends after the faults. FAULT_END_SECONDS extends it on a shared machine. */
const END_MS = Number(process.env.FAULT_END_SECONDS ?? 30) * 1_000;
/** Rounds per log. The whole log is folded after each round, so it is replaced before it is too long. */
const ROUNDS_OF_A_WORLD = 10;
const MAIL_MS = 60_000;
/** A round that is not over by then hangs. */
const ROUND_MS = 240_000 + END_MS;
const MOST_PROBLEMS = 10;

type Played = { world: World; customer: Customer; rounds: number };

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`;

/**
 * Parts are killed and wires cut while runs are in flight. After each round nothing that was acknowledged is lost,
 * nothing was done twice, every run has ended, and the read models are what the log says.
 * FAULT_ROUNDS, FAULT_SEED: the first round's seed; each following one has the next.
 */
describe(`rounds of faults, from FAULT_SEED=${seed}`, () => {
  let played: Played | null = null;
  const total = { passed: 0, runs: 0, acknowledged: 0, repeatedMails: 0, slowest: 0 };

  const begin = async (): Promise<Played> => {
    const world = await startWorld();
    try {
      return { world, customer: await createCustomer(world), rounds: 0 };
    } catch (error) {
      await world.stop();
      throw error;
    }
  };
  const end = async (): Promise<void> => {
    const { world } = played ?? {};
    played = null;
    await world?.stop();
  };
  afterAll(async () => {
    await end();
    const { passed, runs, acknowledged, repeatedMails, slowest } = total;
    say(
      `faults: ${passed} of ${count} rounds as it should be, from seed ${seed}: ${runs} runs ended, the last ${(slowest / 1_000).toFixed(1)} s after all was back; ${acknowledged} acknowledged writes kept, once each; ${repeatedMails} mails came again`,
    );
  }, ROUND_MS);

  it.each(rounds)(
    "round $n, seed $seed",
    async (round) => {
      try {
        played ??= await begin();
        const outcome = await play(played, round);
        say(lineOf(round, outcome));
        total.passed += 1;
        played.rounds += 1;
        if (played.rounds === ROUNDS_OF_A_WORLD) await end();
      } catch (error) {
        say(lineOf(round, `BROKEN: ${error instanceof Error ? error.message : String(error)}`));
        if (played) say(played.world.lastWords());
        // A failed round must not affect the following ones.
        await end();
        throw error;
      }
    },
    ROUND_MS,
  );

  const lineOf = ({ n, seed: own, faults, rebuilds }: Round & { n: number }, outcome: string) =>
    `round ${n}/${count}, seed ${own}: ${faults.map(wordsOf).join(", ")}${rebuilds ? ", in a rebuild" : ""}: ${outcome}`;

  /** Plays a round. Resolves with a description of the outcome; rejects with the violations. */
  const play = async ({ world, customer }: Played, round: Round): Promise<string> => {
    const { follower, log } = world;
    const before = { runs: customer.runs.length, ...acknowledgedBy(customer) };
    const cameAgain = repeatsIn(mailsOf(world));
    const load = await startLoad(world, customer);
    const rebuild = round.rebuilds ? await world.readModels.requestRebuild("executions") : null;
    await world.suffer(round.faults);
    const backAt = performance.now();
    load.giveUpAfter(END_MS);
    await load.done;
    const isOpen = (): readonly string[] => openRuns(follower.events, customer.runs);
    await eventually(
      async () => isOpen(),
      (open) => open.length === 0,
      backAt + END_MS - performance.now(),
    ).catch(() => {
      throw new Error(
        `${isOpen().length} runs have not ended ${END_MS / 1_000} s after: ${isOpen()}`,
      );
    });
    const ended = seconds(backAt);
    total.slowest = Math.max(total.slowest, performance.now() - backAt);
    if (rebuild) {
      const over = AbortSignal.timeout(MAIL_MS);
      expect(await world.readModels.waitForBuild("executions", rebuild.build, over)).toBe(true);
    }

    const promised = (): Promised => ({
      ...customer,
      organizationId: customer.account.organizationId,
      mails: mailsOf(world),
    });
    const settled = () => brokenPromises(follower.events, promised());
    // The effects of a finished run have no time limit: undelivered mail is retried after some seconds.
    await eventually(
      async () => settled(),
      (broken) => broken.length === 0,
      MAIL_MS,
    ).catch(() => undefined);
    const shown = [...follower.events];
    const events: RecordedEvent[] = [];
    for await (const event of log.readAll({ after: null })) events.push(event);
    const problems = [
      ...[rewritten(shown, events)].filter((one) => one !== null),
      ...brokenPromises(events, promised()),
      ...(await differingReadModels(log, events, world.database)),
      ...(await ofApi(world, customer)),
    ];
    const again = repeatsIn(mailsOf(world)) - cameAgain;
    if (again > 0 && !mayRepeatMail(round)) problems.push(`${again} mails came again`);
    if (problems.length > 0) {
      const more = problems.length - MOST_PROBLEMS;
      const named = problems.slice(0, MOST_PROBLEMS).join("\n  ");
      throw new Error(`\n  ${named}${more > 0 ? `\n  and ${more} more` : ""}`);
    }
    const now = { runs: customer.runs.length, ...acknowledgedBy(customer) };
    const writes = now.writes - before.writes;
    expect(now.runs - before.runs).toBe(RUNS_AT_ONCE);
    total.runs += RUNS_AT_ONCE;
    total.acknowledged += writes;
    total.repeatedMails += again;
    return `${RUNS_AT_ONCE} runs ended after ${ended}, ${writes} writes kept, ${RUNS_AT_ONCE} units, 2 plans, ${RUNS_AT_ONCE} mails${again > 0 ? ` (${again} again)` : ""}, ${events.length} events, read models equal`;
  };
});

const acknowledgedBy = ({ runs, tests, plans }: Customer) => ({
  writes: runs.length + 2 * tests.length + plans.length,
});

/** The number of deliveries of each mail by id. */
const mailsOf = ({ smtp }: World): ReadonlyMap<string, number> => {
  const mails = new Map<string, number>();
  for (const { messageId } of smtp.received) {
    const id = /^<(.*)@/.exec(messageId ?? "")?.[1] ?? "";
    mails.set(id, (mails.get(id) ?? 0) + 1);
  }
  return mails;
};

const repeatsIn = (mails: ReadonlyMap<string, number>): number =>
  [...mails.values()].reduce((sum, times) => sum + times - 1, 0);

/** The wrong responses of the read models to the customer. */
const ofApi = async ({ url }: World, customer: Customer): Promise<readonly string[]> => {
  const { runs, key: bearer } = customer;
  const { body } = await call(url, "GET", "/api/v1/usage", { bearer });
  const isRight = body.used === runs.length && body.reserved === 0;
  const last = runs.at(-1);
  const run = await call(url, "GET", `/api/v1/cli/cloud-runs/${last}`, { bearer });
  return [
    ...(isRight
      ? []
      : [`usage says ${body.used} used, ${body.reserved} reserved of ${runs.length}`]),
    ...(run.body.status === "passed" ? [] : [`run ${last} is ${run.body.status} for the API`]),
  ];
};
