import { signInRule, userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { derivedId } from "../../platform/ids.ts";
import type { IdentityDeps } from "./deps.ts";

/** Delay between the end of a minute and recording its count, in milliseconds: late writers have finished by then. */
const SETTLE_MS = 10_000;

/**
 * Records refused sign-ins of past minutes as one event per user, rule and minute. Run periodically, in any number
 * of processes: event ids are derived, so that concurrent writers record each count once.
 */
export const recordRefusedSignIns = async (
  deps: Pick<IdentityDeps, "loop" | "clock" | "signInRefusals">,
): Promise<void> => {
  const settled = new Date(deps.clock().getTime() - SETTLE_MS);
  for (const counted of await deps.signInRefusals.ended(settled)) {
    // Unknown addresses have no stream.
    if (counted.known) await record(deps, counted);
    await deps.signInRefusals.forget(counted);
  }
};

const record = async (
  { loop }: Pick<IdentityDeps, "loop">,
  counted: {
    readonly principal: string;
    readonly rule: string;
    readonly minute: string;
    readonly count: number;
  },
): Promise<void> => {
  const { principal: userId, minute, count } = counted;
  const rule = signInRule.parse(counted.rule);
  const eventId = derivedId(userId, `${rule} ${minute}`);
  const context = {
    actor: { type: "system", id: "identity" },
    organizationId: null,
    correlationId: eventId,
    causationId: eventId,
    occurredAt: minute,
  } as const;
  const command = { type: "recordRefusedSignIns", userId, rule, minute, count } as const;
  await loop
    .execute(userDecider, userId, command, context, { eventId: () => eventId })
    .catch((error: unknown) => {
      // The user was erased in the meantime.
      if (!(error instanceof DomainError && error.code === "user.unknown")) throw error;
    });
};
