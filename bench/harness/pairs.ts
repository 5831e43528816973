import type { Random } from "./statistics.ts";

/** The samples of a comparison: one of each in every round. */
export type Paired<Sample> = {
  readonly ours: readonly Sample[];
  readonly peer: readonly Sample[];
  /** The peer a second time in each round: how much two measurements of the same thing differ. */
  readonly again: readonly Sample[];
};

export type PairsPlan<Sample> = {
  readonly pairs: number;
  /** Rounds whose samples are thrown away. */
  readonly warmUps: number;
  readonly ours: () => Promise<Sample>;
  readonly peer: () => Promise<Sample>;
  readonly random: Random;
  /** No round begins after so many milliseconds, once there are three: a slow machine gives fewer pairs. */
  readonly budgetMs: number;
  readonly now?: () => number;
};

const LEAST_PAIRS = 3;

/** An array in random order. */
export const shuffled = <Item>(items: readonly Item[], random: Random): Item[] => {
  const left = [...items];
  const order: Item[] = [];
  while (left.length > 0) order.push(...left.splice(Math.floor(random() * left.length), 1));
  return order;
};

/**
 * Measures ours, the peer, and the peer again, in rounds, in random order within each round: what
 * changes on the machine over time hits all three alike.
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
    if (pair >= LEAST_PAIRS && now() - started > plan.budgetMs) break;
    for (const name of shuffled(names, plan.random)) samples[name].push(await legs[name]());
  }
  return samples;
};
