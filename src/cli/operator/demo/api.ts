import { runledgerClient } from "../../../client/client.ts";
import { CommandError, exitCodes } from "../../exitCodes.ts";
import { type Service, serviceWithClient } from "../../service.ts";

export type SignedUp = {
  /** The service as this person's session. */
  readonly session: Service;
  /** The session as a Cookie header: what a browser's WebSocket would send. */
  readonly cookie: string;
};

/** Signs somebody up; the cookie of the answer is the session of a browser. */
export const signUp = async (
  baseUrl: string,
  person: { readonly email: string; readonly password: string; readonly name: string },
): Promise<SignedUp> => {
  let cookie: string | undefined;
  const stranger = serviceWithClient(baseUrl, runledgerClient({ baseUrl }));
  const answer = await stranger.ask(async (client, signal) => {
    const reply = await client.POST("/api/v1/auth/signup", { body: person, signal });
    cookie = reply.response.headers
      .getSetCookie()
      .map((each) => each.split(";")[0] ?? "")
      .find((each) => each.startsWith("refresh_token="));
    return reply;
  });
  if (cookie === undefined) {
    throw new CommandError("Signing up gave no session cookie.", exitCodes.unavailable);
  }
  const client = runledgerClient({
    baseUrl,
    accessToken: answer.access_token,
    organizationId: answer.organization.id,
  });
  return { session: serviceWithClient(baseUrl, client), cookie };
};
