import { useSyncExternalStore } from "react";
import { currentSession, type Session, subscribeToSession } from "./session.ts";

export const useSession = (): Session => useSyncExternalStore(subscribeToSession, currentSession);

/** The session of a screen that is shown only to signed-in persons. */
export const useSignedIn = (): Extract<Session, { status: "signedIn" }> => {
  const session = useSession();
  if (session.status !== "signedIn") throw new Error("The screen needs a session.");
  return session;
};
