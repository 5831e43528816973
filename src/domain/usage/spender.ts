import { z } from "zod";

/** Who runs tests: no name and no address of a person, ever. `name` only for API keys and schedules. */
export const principal = z.object({
  type: z.enum(["user", "api_key", "schedule", "provider", "agent", "system"]),
  id: z.string(),
  name: z.string().optional(),
});
export type Principal = z.output<typeof principal>;

/** Units that a principal used or reserved in a month. */
export const spender = z.object({ by: principal, units: z.int().positive() });
export type Spender = z.output<typeof spender>;

/** Tells principals apart. */
export const principalKey = (by: Principal): string => `${by.type}:${by.id}`;

/** A receipt names the ten that used most. */
const MOST = 10;

/** What used a month's quota, most first. */
export const mostUsedBy = (spenders: Iterable<Spender>): Spender[] =>
  [...spenders]
    .filter(({ units }) => units > 0)
    .sort((one, other) => other.units - one.units || one.by.id.localeCompare(other.by.id))
    .slice(0, MOST);
