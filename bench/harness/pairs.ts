import type { Random } from "./statistics.ts";

/** Samples of a comparison, one of each kind per round. */
export type Paired<Sample> = {
  readonly ours: readonly Sample[];
  readonly peer: readonly Sample[];
  /** A second measurement of the peer, which shows the noise. */
  readonly again: readonly Sample[];
};

export type PairsPlan<Sample> = {
  readonly pairs: number;
  /** Rounds whose samples are discarded. */
  readonly warmUps: number;
  readonly ours: () => Promise<Sample>;
  readonly peer: () => Promise<Sample>;
  readonly random: Random;
  /** After this time no round starts, provided that `MIN_PAIRS` rounds are complete. */
  readonly budgetMs: number;
  readonly now?: () => number;
};

const MIN_PAIRS = 3;

/** Returns a copy in random order. */
export const shuffled = <Item>(items: readonly Item[], random: Random): Item[] => {
  const left = [...items];
  const order: Item[] = [];
  while (left.length > 0) order.push(...left.splice(Math.floor(random() * left.length), 1));
  return order;
};

/**
 * Measures the service once and the peer twice per round, in random order within the round, so that
 * changes of the machine's speed affect all three alike.
 */
export const runPairs = async <Sample>(plan: PairsPlan<Sample>): Promise<Paired<Sample>> => {
  const now = plan.now ?? (() => performance.now());
  const samples = { ours: [] as Sample[], peer: [] as Sample[], again: [] as Sample[] };
  const legs = { ours: plan.ours, peer: plan.peer, again: plan.peer };
  const names = ["ours", "peer", "again"] as const;
  for (let round = 0; round < plan.warmUps; round += 1) {
    await plan.ours();
    await plan.peer();
  }
  const started = now();
  for (let pair = 0; pair < plan.pairs; pair += 1) {
    if (pair >= MIN_PAIRS && now() - started > plan.budgetMs) break;
    for (const name of shuffled(names, plan.random)) samples[name].push(await legs[name]());
  }
  return samples;
};
