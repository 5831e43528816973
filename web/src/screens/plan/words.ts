import type { Plan } from "../../service/plan.ts";

const names = {
  free: "Free",
  starter: "Starter",
  team: "Team",
  business: "Business",
} as const satisfies Record<Plan["code"], string>;

export const planName = (code: Plan["code"]): string => names[code];

/** A date in words: `1 Mar 2026`. */
export const day = (at: string): string =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" }).format(new Date(at));

/** An amount of US dollars: `$14.50`. */
export const dollars = (cents: number): string =>
  new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(cents / 100);

/** A number with its unit: `1 seat`, `5,000 runs`. */
export const counted = (count: number, unit: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? unit : `${unit}s`}`;
