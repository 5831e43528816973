import { z } from "zod";
import type { SignedIn } from "../../../commands/identity/index.ts";
import { roles } from "../../../domain/organizations/permissions.ts";
import type { Person } from "../../../stores/identity/persons.ts";
import type { Client } from "../../../stores/identity/refreshTokens.ts";
import { ApiError } from "../../apiError.ts";
import { REFRESH_COOKIE } from "../../auth/authenticator.ts";
import type { Cookie } from "../../operation.ts";
import { id } from "../../schemas.ts";

export const email = z
  .email("must be an e-mail address")
  .max(254, "must be at most 254 characters");

export const newPassword = z
  .string()
  .min(8, "must be at least 8 characters")
  .max(256, "must be at most 256 characters");

/** A password to compare. Its length rules are checked only when it is set. */
export const currentPassword = z.string().max(256, "must be at most 256 characters");

/** A token from a mail. */
export const mailedToken = z.string().min(1, "must not be empty").max(200);

/** The client of a sign-in. */
export const clientOf = ({
  ip,
  userAgent,
}: {
  readonly ip: string;
  readonly userAgent: string;
}): Client => ({ address: ip, device: userAgent });

export const user = z
  .object({
    id,
    email: z.string(),
    name: z.string(),
    email_verified: z.boolean(),
  })
  .meta({ id: "User", description: "A user account." });

export const membership = z
  .object({ id, name: z.string(), role: z.enum(roles) })
  .meta({ id: "Membership", description: "An organisation of a user and the user's role." });

/** The common fields of sign-in responses. */
export const tokens = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: z.int().describe("In seconds."),
  user,
});

export const toUser = (person: Person): z.output<typeof user> => ({
  id: person.id,
  email: person.email,
  name: person.name,
  email_verified: person.emailVerified,
});

export const toTokens = (signedIn: SignedIn): z.output<typeof tokens> => ({
  access_token: signedIn.accessToken,
  token_type: "Bearer",
  expires_in: signedIn.expiresInSeconds,
  user: toUser(signedIn.person),
});

export const refreshCookie = (signedIn: SignedIn): Cookie => ({
  name: REFRESH_COOKIE,
  value: signedIn.refreshToken,
  maxAgeSeconds: signedIn.refreshSeconds,
});

export const noRefreshCookie: Cookie = { name: REFRESH_COOKIE, value: null };

/**
 * Checks that a request authenticated by a cookie carries `X-Requested-With`, which a form of another site cannot send
 * and a script of another site only after a CORS preflight. Throws ApiError 403.
 */
export const requireRequestedWith = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): void => {
  if (headers["x-requested-with"]) return;
  throw new ApiError(
    403,
    "A request authenticated by a cookie requires the header X-Requested-With.",
  );
};

export const exampleUser = {
  id: "019a5a6e-3f00-7000-8000-5a1de1f0a001",
  email: "ann@example.com",
  name: "Ann Example",
  email_verified: false,
};

export const exampleMembership = {
  id: "019a5a6e-3f01-7000-8000-5a1de1f0a002",
  name: "Example",
  role: "owner",
} as const;

export const exampleTokens = {
  access_token: "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl",
  token_type: "Bearer",
  expires_in: 600,
  user: exampleUser,
};
