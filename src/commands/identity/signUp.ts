import { type OauthProvider, type UserCommand, userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { DEFAULT_ORGANIZATION_NAME } from "../../domain/organizations/names.ts";
import { newId } from "../../platform/ids.ts";
import type { ExternalIdentity } from "../../stores/identity/externalIdentities.ts";
import type { Person } from "../../stores/identity/persons.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { joinReceipts, type Receipt, receiptOf } from "../kernel/receipt.ts";
import { asUser, type IdentityDeps } from "./deps.ts";
import { verificationMail } from "./mails.ts";

/** Credential of a new account: a password, or an identity at a provider that may have verified the address. */
export type FirstCredential =
  | { readonly kind: "password"; readonly passwordHash: () => Promise<string> }
  | {
      readonly kind: "identity";
      readonly identity: ExternalIdentity & { readonly provider: OauthProvider };
      readonly emailVerified: boolean;
    };

/**
 * Creates an account with its own organisation on the free plan. An interrupted signup resumes with the same ids. Of
 * concurrent signups with one address, one succeeds. Throws DomainError `user.addressTaken`.
 */
export const createAccount = async (
  deps: IdentityDeps,
  context: CommandContext,
  input: {
    readonly email: string;
    readonly name: string;
    readonly organizationName: string | null;
    readonly credential: FirstCredential;
  },
): Promise<{ readonly person: Person; readonly receipt: Receipt }> => {
  const { loop, clock, persons, oauth } = deps;
  const { email, name, credential } = input;
  const reserved = await persons.reserve({
    id: newId(),
    email,
    name,
    signupOrganizationId: newId(),
    at: clock().toISOString(),
  });
  if (reserved.signedUp) throw addressTaken();
  const { id: userId, signupOrganizationId: organizationId } = reserved;
  const passwordHash = credential.kind === "password" ? await credential.passwordHash() : null;

  const own = asUser(context, userId);
  const ours = { ...own, organizationId };
  const decided = async (command: UserCommand) =>
    receiptOf(await loop.execute(userDecider, userId, command, own));
  const receipts = [await decided({ type: "register", userId })];
  const verified = credential.kind === "identity" && credential.emailVerified;
  if (verified) receipts.push(await decided({ type: "verifyEmail", userId }));
  if (credential.kind === "identity") {
    const { provider } = credential.identity;
    const identityId = oauth.identities.idOf(credential.identity);
    receipts.push(await decided({ type: "linkIdentity", userId, provider, identityId }));
  }
  const organization = await deps.createOrganization(ours, {
    organizationId,
    name: input.organizationName ?? DEFAULT_ORGANIZATION_NAME,
    ownerId: userId,
  });
  receipts.push(organization.receipt, await deps.startPlan(ours, { organizationId }));
  const at = clock().toISOString();
  const welcome = verificationMail(deps, { ...reserved, email, name }, clock());
  const completed = await persons.completeSignUp(
    { id: userId, email, name, passwordHash, verified, at },
    async (trx) => {
      if (credential.kind === "identity") {
        const link = { identity: credential.identity, userId, at };
        if (!(await oauth.identities.link(link, trx))) throw addressTaken();
      }
      if (!verified) await deps.accounts.mailToken(welcome, trx);
    },
  );
  if (!completed) throw addressTaken();
  const person: Person = {
    ...reserved,
    email: email.trim(),
    name,
    emailVerified: verified,
    signedUp: true,
  };
  return { person, receipt: joinReceipts(receipts) };
};

const addressTaken = (): DomainError =>
  new DomainError(
    "user.addressTaken",
    "An account with this e-mail address exists. Sign in instead.",
  );
