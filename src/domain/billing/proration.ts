import type { BillingPeriod, Interval } from "./calendar.ts";
import { catalog, type PlanCode, planCodes } from "./catalog.ts";
import { type LimitName, limitNames, limitOf } from "./entitlements.ts";

/** A plan and its billing interval, null for Free. */
export type Terms = { readonly plan: PlanCode; readonly interval: Interval | null };

/** A line of a proration. Credits are negative. */
export type ProrationLine = { readonly what: "credit" | "charge"; readonly cents: number };

export type Proration = { readonly lines: readonly ProrationLine[]; readonly dueCents: number };

/** The price of a whole period, in cents. */
export const priceOf = ({ plan, interval }: Terms): number => {
  if (interval === null) return 0;
  const { pricePerMonth, pricePerYear } = catalog[plan];
  return 100 * (interval === "month" ? pricePerMonth : pricePerYear);
};

const rank = ({ plan }: Terms): number => planCodes.indexOf(plan);

const lengthOf = ({ interval }: Terms): number =>
  interval === "year" ? 2 : interval === "month" ? 1 : 0;

/**
 * Whether a change takes effect immediately: a larger plan or a longer interval, and neither a smaller plan nor a
 * shorter interval. Every other change waits for the end of the paid period (domain.md, "Plan change"), so that
 * no money has to be refunded.
 */
export const isUpgrade = (from: Terms, to: Terms): boolean =>
  rank(to) >= rank(from) &&
  lengthOf(to) >= lengthOf(from) &&
  (rank(to) > rank(from) || lengthOf(to) > lengthOf(from));

/**
 * The proration of an upgrade. Within one interval the period stays: its rest is charged at the new price and
 * credited at the old one. Otherwise a new period begins and is charged in full. Each line is rounded to the cent.
 * At least one cent is due, because a change without payment would not reach the payment provider.
 */
export const prorationOf = (
  from: Terms,
  to: Terms,
  period: BillingPeriod | null,
  at: string,
): Proration => {
  const rest = period === null ? 0 : shareLeft(period, at);
  const isSamePeriod = rest > 0 && from.interval === to.interval;
  const credit = Math.round(priceOf(from) * rest);
  const charge = isSamePeriod ? Math.max(Math.round(priceOf(to) * rest), credit + 1) : priceOf(to);
  const lines: ProrationLine[] = [];
  if (credit > 0) lines.push({ what: "credit", cents: -credit });
  if (charge > 0) lines.push({ what: "charge", cents: charge });
  return { lines, dueCents: charge - credit };
};

/** The remaining share of a period, from 0 to 1. */
const shareLeft = ({ start, end }: BillingPeriod, at: string): number => {
  const whole = Date.parse(end) - Date.parse(start);
  const left = Date.parse(end) - Date.parse(at);
  return Math.min(1, Math.max(0, left / whole));
};

/** The current use of each limit. */
export type InUse = { readonly [Name in LimitName]?: number };

export type Comparison = {
  /** Limits that the new plan raises, in words. */
  readonly gains: readonly string[];
  readonly losses: readonly string[];
  /** Limits of the new plan that the current use exceeds. */
  readonly noLongerFits: readonly string[];
};

/** Compares the limits of two plans with each other and with the current use. */
export const compareTerms = (from: PlanCode, to: PlanCode, inUse: InUse): Comparison => {
  const gains: string[] = [];
  const losses: string[] = [];
  const noLongerFits: string[] = [];
  for (const name of limitNames) {
    const [before, after] = [limitOf(from, name).limit, limitOf(to, name).limit];
    if (before === after) continue;
    (after > before ? gains : losses).push(`${name}: ${after} instead of ${before}`);
    const used = inUse[name] ?? 0;
    if (used > after) noLongerFits.push(`${name}: ${used} in use, ${after} allowed`);
  }
  const [before, after] = [catalog[from].visualBaselines, catalog[to].visualBaselines];
  if (before !== after) (after ? gains : losses).push("visual_baselines");
  return { gains, losses, noLongerFits };
};
