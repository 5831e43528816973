import type { Answer } from "../../../src/client/client.ts";

type SignedInAnswer = Answer<"login", 200>;
export type User = SignedInAnswer["user"];
export type Membership = SignedInAnswer["organizations"][number];

export type Session =
  /** No answer to the first refresh yet. */
  | { readonly status: "unknown" }
  | { readonly status: "signedOut"; readonly expired: boolean }
  | {
      readonly status: "signedIn";
      readonly user: User;
      readonly organizations: readonly Membership[];
      readonly organization: Membership | null;
      readonly accessToken: string;
      /** Milliseconds since the epoch. */
      readonly expiresAt: number;
    };

const ORGANIZATION_KEY = "runledger.organization";
/** The access token is renewed this long before it expires, in milliseconds. */
const RENEW_BEFORE_MS = 30_000;

let session: Session = { status: "unknown" };
const listeners = new Set<() => void>();

export const currentSession = (): Session => session;

export const subscribeToSession = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const become = (next: Session): void => {
  session = next;
  for (const listener of listeners) listener();
};

/** Takes over the tokens of a sign-in, a sign-up or a refresh. The access token stays in memory. */
export const acceptTokens = (
  answer: Pick<SignedInAnswer, "access_token" | "expires_in" | "user" | "organizations">,
): void => {
  const wanted = localStorage.getItem(ORGANIZATION_KEY);
  const { organizations, user } = answer;
  const organization = organizations.find(({ id }) => id === wanted) ?? organizations[0] ?? null;
  become({
    status: "signedIn",
    user,
    organizations,
    organization,
    accessToken: answer.access_token,
    expiresAt: Date.now() + answer.expires_in * 1_000,
  });
};

export const endSession = (expired: boolean): void => become({ status: "signedOut", expired });

export const chooseOrganization = (id: string): void => {
  localStorage.setItem(ORGANIZATION_KEY, id);
  if (session.status !== "signedIn") return;
  const organization = session.organizations.find((each) => each.id === id) ?? null;
  become({ ...session, organization });
};

let refreshing: Promise<boolean> | null = null;

/**
 * Renews the access token with the refresh cookie. Resolves to false if there is no session; rejects if the service
 * does not answer. Concurrent calls share one request, and a lock keeps other tabs from using the same cookie.
 */
export const refresh = (): Promise<boolean> => {
  refreshing ??= locked(requestRefresh).finally(() => {
    refreshing = null;
  });
  return refreshing;
};

/** Browsers have locks only on secure origins. Elsewhere the service's grace period for used cookies has to do. */
const locked = async (task: () => Promise<boolean>): Promise<boolean> =>
  isSecureContext ? await navigator.locks.request("runledger.refresh", task) : await task();

const requestRefresh = async (): Promise<boolean> => {
  const response = await fetch("/api/v1/auth/refresh", {
    method: "POST",
    headers: { "X-Requested-With": "console" },
  });
  if (response.ok) {
    acceptTokens((await response.json()) as SignedInAnswer);
    return true;
  }
  if (response.status !== 401 && response.status !== 403) {
    throw new Error(`The service answered ${response.status}.`);
  }
  endSession(session.status === "signedIn");
  return false;
};

export const isAboutToExpire = (): boolean =>
  session.status === "signedIn" && session.expiresAt - Date.now() < RENEW_BEFORE_MS;
