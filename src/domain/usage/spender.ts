import { z } from "zod";

/** A principal that runs tests. Contains no personal name or address: `name` is set only for API keys and schedules. */
export const principal = z.object({
  type: z.enum(["user", "api_key", "schedule", "provider", "agent", "system"]),
  id: z.string(),
  name: z.string().optional(),
});
export type Principal = z.output<typeof principal>;

/** Units that a principal used or reserved in a month. */
export const spender = z.object({ by: principal, units: z.int().positive() });
export type Spender = z.output<typeof spender>;

/** The key of a principal. */
export const principalKey = (by: Principal): string => `${by.type}:${by.id}`;

/** A receipt names the ten largest spenders. */
const MOST = 10;

/** The spenders of a month's quota, largest first. */
export const mostUsedBy = (spenders: Iterable<Spender>): Spender[] =>
  [...spenders]
    .filter(({ units }) => units > 0)
    .sort((one, other) => other.units - one.units || one.by.id.localeCompare(other.by.id))
    .slice(0, MOST);
