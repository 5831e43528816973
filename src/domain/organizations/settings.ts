import { z } from "zod";

/** The settings of an organisation for all its tests. Absent settings have these values. */
export const organizationSettings = z.object({
  /** Whether a step goes on with an element that has moved, and says so (steps.md, "Targets"). */
  healing: z.boolean().default(true),
  /** Whether traces, HARs, consoles and videos are kept although a run resolved a secret. */
  keepEvidenceWithSecrets: z.boolean().default(false),
  /** `on_retry`: of every attempt after the first; `always`: of the first attempt too. */
  traces: z.enum(["on_retry", "always"]).default("on_retry"),
  /** IANA zone in which schedules are made unless they name one. */
  timeZone: z.string().default("UTC"),
  /** How long a step may look for its element and act on it; what is asserted has half, a page to load three times as long. */
  stepTimeoutSeconds: z.int().default(10),
  /** How long one attempt of a test may take in one browser. */
  testTimeoutSeconds: z.int().default(600),
  /** How long a run may take from when it was queued; then what has not ended is stopped. */
  runTimeoutSeconds: z.int().default(86_400),
});

/** The limits of the time-outs, in seconds: from, to. */
export const TIMEOUT_BOUNDS = {
  stepTimeoutSeconds: [1, 120],
  testTimeoutSeconds: [5, 7_200],
  runTimeoutSeconds: [10, 604_800],
} as const;

export type OrganizationSettings = z.output<typeof organizationSettings>;
