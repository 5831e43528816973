import { z } from "zod";

/** What an organisation decides for all its tests. Absent settings have these values. */
export const organizationSettings = z.object({
  /** Whether a step goes on with an element that has moved, and says so (steps.md, "Targets"). */
  healing: z.boolean().default(true),
  /** Whether traces, HARs, consoles and videos are kept although a run resolved a secret. */
  keepEvidenceWithSecrets: z.boolean().default(false),
  /** IANA zone in which schedules are made unless they name one. */
  timeZone: z.string().default("UTC"),
});

export type OrganizationSettings = z.output<typeof organizationSettings>;
