import { client } from "./client.ts";
import { queryClient } from "./queryClient.ts";
import { endSession } from "./session.ts";

/** Ends the session here even if the service does not answer: the access token is forgotten. */
export const signOut = async (): Promise<void> => {
  await client
    .POST("/api/v1/auth/logout", { headers: { "X-Requested-With": "console" } })
    .catch(() => undefined);
  endSession(false);
  queryClient.clear();
};
