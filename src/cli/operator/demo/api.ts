import { runledgerClient } from "../../../client/client.ts";
import { CommandError, exitCodes } from "../../exitCodes.ts";
import { type Service, serviceWithClient } from "../../service.ts";

export type SignedUp = {
  /** The service with the session of the account. */
  readonly session: Service;
  /** The Cookie header of the session, as a browser sends it with a WebSocket handshake. */
  readonly cookie: string;
};

/** Signs up an account. Throws CommandError (unavailable) if the response has no session cookie. */
export const signUp = async (
  baseUrl: string,
  person: { readonly email: string; readonly password: string; readonly name: string },
): Promise<SignedUp> => {
  let cookie: string | undefined;
  const anonymous = serviceWithClient(baseUrl, runledgerClient({ baseUrl }));
  const answer = await anonymous.ask(async (client, signal) => {
    const reply = await client.POST("/api/v1/auth/signup", { body: person, signal });
    cookie = reply.response.headers
      .getSetCookie()
      .map((each) => each.split(";")[0] ?? "")
      .find((each) => each.startsWith("refresh_token="));
    return reply;
  });
  if (cookie === undefined) {
    throw new CommandError(
      "The response to the sign-up has no session cookie.",
      exitCodes.unavailable,
    );
  }
  const client = runledgerClient({
    baseUrl,
    accessToken: answer.access_token,
    organizationId: answer.organization.id,
  });
  return { session: serviceWithClient(baseUrl, client), cookie };
};
