import { type OauthProvider, userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { displayName } from "../../domain/organizations/names.ts";
import { randomToken } from "../../platform/crypto.ts";
import { derivedId } from "../../platform/ids.ts";
import { writeLetter } from "../../platform/mail/template.ts";
import {
  type OpenIdPerson,
  type OpenIdProvider,
  ProviderAwayError,
  ProviderRefusedError,
} from "../../platform/openid/provider.ts";
import type { Person } from "../../stores/identity/persons.ts";
import type { Client } from "../../stores/identity/refreshTokens.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { joinReceipts, nothingRecorded, type Receipt, receiptOf } from "../kernel/receipt.ts";
import { by, type IdentityDeps, type SignedIn } from "./deps.ts";
import { foundAccount } from "./signUp.ts";

/** What a provider added to the address that it sent the browser back to. */
export type OauthAnswer = {
  readonly state?: string | undefined;
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
};

/** The names that providers go by. */
const TITLES: Readonly<Record<OauthProvider, string>> = {
  google: "Google",
  microsoft: "Microsoft",
};

/** What a cookie of ours looks like: anything else is replaced. */
const BROWSER = /^[\w-]{43}$/;

/** Signing in at another provider (OpenID Connect, code flow with PKCE). */
export const oauthCommands = (
  deps: IdentityDeps,
  openSession: (
    context: CommandContext,
    person: Person,
    method: OauthProvider,
    client: Client,
  ) => Promise<SignedIn>,
) => {
  const { loop, clock, persons, oauth, outbox } = deps;

  const providerOf = (name: OauthProvider): OpenIdProvider => {
    const provider = oauth.providers[name];
    if (provider) return provider;
    throw new DomainError(
      "oauth.providerUnknown",
      `Nobody can sign in here with ${TITLES[name]}: the operator has not set it up.`,
    );
  };
  const addressOf = (name: OauthProvider): string =>
    `${oauth.apiBase()}/api/v1/auth/oauth/${name}/callback`;

  const linkNotice = (person: Person, name: OauthProvider, identityId: string) => ({
    mail: {
      id: derivedId(identityId, "mail"),
      to: { name: person.name, address: person.email },
      ...writeLetter({
        subject: `You can sign in with ${TITLES[name]} now`,
        paragraphs: [
          `Hello ${person.name},`,
          `your Runledger account was linked just now to the ${TITLES[name]} account of the same address.`,
        ],
        action: {
          label: "It was not you? Reset your password",
          url: `${deps.webBase()}/forgot-password`,
        },
      }),
    },
    kind: "identity_linked",
    userId: person.id,
    at: clock().toISOString(),
  });

  /** Links an identity to the account that has its address: where both sides know that the address is the person's. */
  const link = async (
    context: CommandContext,
    person: Person,
    name: OauthProvider,
    told: OpenIdPerson,
  ): Promise<Receipt> => {
    if (!told.emailVerified || !person.emailVerified) {
      throw new DomainError(
        "oauth.addressUnverified",
        told.emailVerified
          ? "There is an account of this address already, which nobody has verified yet. Sign in with its password, verify the address, and then sign in this way."
          : `There is an account of this address already, and ${TITLES[name]} does not say that the address is yours. Sign in with the password of that account.`,
      );
    }
    const identity = { provider: name, issuer: told.issuer, subject: told.subject };
    const identityId = oauth.identities.idOf(identity);
    const command = {
      type: "linkIdentity",
      userId: person.id,
      provider: name,
      identityId,
    } as const;
    const linked = await loop.execute(userDecider, person.id, command, by(context, person.id));
    await outbox.put(linkNotice(person, name, identityId));
    const at = clock().toISOString();
    if (!(await oauth.identities.link({ identity, userId: person.id, at })))
      throw linkedElsewhere();
    return receiptOf(linked);
  };

  /** The account of an identity: linked before, linked now, or made now. */
  const accountOf = async (
    context: CommandContext,
    name: OauthProvider,
    told: OpenIdPerson,
  ): Promise<{ readonly person: Person; readonly receipt: Receipt }> => {
    const identity = { provider: name, issuer: told.issuer, subject: told.subject };
    const ownerId = await oauth.identities.ownerOf(identity);
    const owner = ownerId === null ? null : await persons.find(ownerId);
    if (owner) return { person: owner, receipt: nothingRecorded };
    const { email } = told;
    if (email === null || !isAddress(email)) {
      throw new DomainError(
        "oauth.noAddress",
        `${TITLES[name]} did not say what your e-mail address is. Allow it to, or sign up with a password.`,
      );
    }
    const person = await persons.findByAddress(email);
    if (person) return { person, receipt: await link(context, person, name, told) };
    return foundAccount(deps, context, {
      email,
      name: nameOf(told, email),
      organizationName: null,
      credential: { kind: "identity", identity, emailVerified: told.emailVerified },
    });
  };

  return {
    /**
     * Begins a sign-in: where the browser goes, and what its cookie says from now on. `browser` is what the cookie
     * says until now. `returnTo` is a path of the web app. Throws `oauth.providerUnknown`, `oauth.providerAway`.
     */
    beginOauth: async (input: {
      readonly provider: OauthProvider;
      readonly browser: string | null;
      readonly returnTo: string;
    }): Promise<{ readonly url: string; readonly browser: string }> => {
      const provider = providerOf(input.provider);
      // One cookie for all that a browser begins: two windows do not take it from each other.
      const isOurs = input.browser !== null && BROWSER.test(input.browser);
      const browser = isOurs && input.browser !== null ? input.browser : randomToken();
      const flow = await oauth.flows.begin({ ...input, browser, at: clock() });
      const redirectUri = addressOf(input.provider);
      const url = await provider.authorizationUrl({ ...flow, redirectUri }).catch(explain);
      return { url, browser };
    },

    /**
     * Ends a sign-in, once, in the browser that began it: opens a session of the account that the identity is
     * linked to, of the one with its address where both addresses are verified, or of a new one. Throws
     * `oauth.flowUnknown`, `oauth.refused`, `oauth.addressUnverified`, `oauth.noAddress`, `oauth.providerAway`.
     */
    finishOauth: async (
      context: CommandContext,
      input: {
        readonly provider: OauthProvider;
        readonly browser: string | null;
        readonly answer: OauthAnswer;
        readonly client: Client;
      },
    ): Promise<SignedIn & { readonly goTo: string }> => {
      const { provider: name, browser, answer, client } = input;
      const provider = providerOf(name);
      const flow =
        browser === null || answer.state === undefined
          ? null
          : await oauth.flows.take({ provider: name, browser, state: answer.state, at: clock() });
      if (!flow) throw flowUnknown();
      const url = new URL(addressOf(name));
      for (const [key, value] of Object.entries(answer)) {
        if (value !== undefined) url.searchParams.set(key, value);
      }
      const told = await provider.redeem({ ...flow, url }).catch(explain);
      // Of two windows of one new person, the second finds what the first has made.
      const account = await accountOf(context, name, told).catch((error: unknown) => {
        const isTaken = error instanceof DomainError && error.code === "user.addressTaken";
        if (!isTaken) throw error;
        return accountOf(context, name, told);
      });
      const signedIn = await openSession(
        by(context, account.person.id),
        account.person,
        name,
        client,
      );
      const receipt = joinReceipts([account.receipt, signedIn.receipt]);
      return { ...signedIn, receipt, goTo: `${deps.webBase()}${flow.returnTo}` };
    },

    /** Forgets sign-ins that nobody came back from. To be called now and then. */
    sweepOauth: (): Promise<void> => oauth.flows.sweep(clock()),
  };
};

/** As far as mail can be sent to it (RFC 5321, 4.5.3.1.3). */
const isAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text);

/** What a person is called here: as the provider says, as far as a name may be so. */
const nameOf = ({ name }: OpenIdPerson, email: string): string => {
  const [local = ""] = email.split("@");
  for (const candidate of [name, local]) {
    const parsed = displayName.safeParse(candidate);
    if (parsed.success) return parsed.data;
  }
  return "New member";
};

const explain = (error: unknown): never => {
  if (error instanceof ProviderAwayError) {
    throw new DomainError(
      "oauth.providerAway",
      "The provider does not answer as it should just now. Try again, or sign in with a password.",
      { retryAfter: 5 },
    );
  }
  if (error instanceof ProviderRefusedError) {
    throw new DomainError(
      "oauth.refused",
      `The provider did not sign you in (${error.reason}). Begin again.`,
    );
  }
  throw error;
};

const flowUnknown = (): DomainError =>
  new DomainError(
    "oauth.flowUnknown",
    "This sign-in was not begun in this browser, took too long, or was ended before. Begin again.",
  );

const linkedElsewhere = (): DomainError =>
  new DomainError(
    "user.identityLinked",
    "This account of the provider is linked to another account here: sign in once more.",
  );
