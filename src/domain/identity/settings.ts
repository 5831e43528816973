import { z } from "zod";

/** The preferences of a user, with the defaults of absent settings. */
export const userSettings = z.object({
  /** IANA zone in which times are shown. */
  timeZone: z.string().default("UTC"),
  theme: z.enum(["system", "light", "dark"]).default("system"),
  /** Whether mail about the person's own account (sign-ins from new devices) is sent; security mail always is. */
  productMail: z.boolean().default(false),
});

export type UserSettings = z.output<typeof userSettings>;
