import { type OauthProvider, userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { displayName } from "../../domain/organizations/names.ts";
import type { OpenIdPerson } from "../../platform/openid/provider.ts";
import type { Person } from "../../stores/identity/persons.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { nothingRecorded, type Receipt, receiptOf } from "../kernel/receipt.ts";
import { asUser, type IdentityDeps } from "./deps.ts";
import { identityLinkedMail, providerNames } from "./mails.ts";
import { createAccount } from "./signUp.ts";

/**
 * The account of an external identity: already linked, linked now by its verified address, or created. Throws
 * DomainError `oauth.noAddress`, `oauth.addressUnverified`, `user.addressTaken`.
 */
export const accountOfIdentity = async (
  deps: IdentityDeps,
  context: CommandContext,
  provider: OauthProvider,
  claims: OpenIdPerson,
): Promise<{ readonly person: Person; readonly receipt: Receipt }> => {
  const { persons, oauth } = deps;
  const identity = { provider, issuer: claims.issuer, subject: claims.subject };
  const ownerId = await oauth.identities.ownerOf(identity);
  const owner = ownerId === null ? null : await persons.find(ownerId);
  if (owner) return { person: owner, receipt: nothingRecorded };
  const { email } = claims;
  if (email === null || !isAddress(email)) {
    throw new DomainError(
      "oauth.noAddress",
      `${providerNames[provider]} did not share your e-mail address. Allow it to, or sign up with a password.`,
    );
  }
  const person = await persons.findByAddress(email);
  if (person) return { person, receipt: await link(deps, context, person, provider, claims) };
  return createAccount(deps, context, {
    email,
    name: nameOf(claims, email),
    organizationName: null,
    credential: { kind: "identity", identity, emailVerified: claims.emailVerified },
  });
};

/** Links an identity to the account with its address. Both sides must have verified the address. */
const link = async (
  deps: IdentityDeps,
  context: CommandContext,
  person: Person,
  provider: OauthProvider,
  claims: OpenIdPerson,
): Promise<Receipt> => {
  const { loop, clock, oauth, outbox } = deps;
  if (!claims.emailVerified || !person.emailVerified) {
    throw new DomainError(
      "oauth.addressUnverified",
      claims.emailVerified
        ? "An account with this e-mail address exists, but the address is not verified. Sign in with the password of that account and verify the address first."
        : `An account with this e-mail address exists, but ${providerNames[provider]} has not verified the address. Sign in with the password of that account.`,
    );
  }
  const userId = person.id;
  const identity = { provider, issuer: claims.issuer, subject: claims.subject };
  const identityId = oauth.identities.idOf(identity);
  const command = { type: "linkIdentity", userId, provider, identityId } as const;
  const linked = await loop.execute(userDecider, userId, command, asUser(context, userId));
  await outbox.put(identityLinkedMail(deps, person, provider, identityId));
  const at = clock().toISOString();
  if (!(await oauth.identities.link({ identity, userId, at }))) {
    throw new DomainError(
      "user.identityLinked",
      "This account of the provider is already linked to another Runledger account. Sign in again.",
    );
  }
  return receiptOf(linked);
};

/** Whether mail can be sent to the text: the length limit is RFC 5321, 4.5.3.1.3. */
const isAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text);

/** The name from the provider if it is a valid display name, else the local part of the address. */
const nameOf = ({ name }: OpenIdPerson, email: string): string => {
  const [local = ""] = email.split("@");
  for (const candidate of [name, local]) {
    const parsed = displayName.safeParse(candidate);
    if (parsed.success) return parsed.data;
  }
  return "New member";
};
