import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";

// ---------------------------------------------------------------- Events

const schemas = {
  ApiKeyCreated: z.object({
    organizationId: z.uuid(),
    keyId: z.uuid(),
    /** Never changes, because it is part of `triggered_by` of every run that the key starts. */
    name: z.string(),
    /** The beginning of the key, by which a person recognises it. The key itself is not stored. */
    prefix: z.string(),
    expiresAt: z.iso.datetime().nullable(),
  }),
  ApiKeyRevoked: z.object({ organizationId: z.uuid(), keyId: z.uuid() }),
};

export type ApiKeysEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

type Key = {
  readonly name: string;
  readonly expiresAt: string | null;
  readonly active: boolean;
};

/** Every key of an organisation by id, including revoked ones, which repeated commands must find. */
export type ApiKeys = { readonly keys: Readonly<Record<string, Key>> };

// ---------------------------------------------------------------- evolve

export const evolve = (state: ApiKeys, event: ApiKeysEvent): ApiKeys => {
  switch (event.type) {
    case "ApiKeyCreated": {
      const { keyId, name, expiresAt } = event.data;
      return { keys: { ...state.keys, [keyId]: { name, expiresAt, active: true } } };
    }
    case "ApiKeyRevoked": {
      const key = state.keys[event.data.keyId];
      return key
        ? { keys: { ...state.keys, [event.data.keyId]: { ...key, active: false } } }
        : state;
    }
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

/** The number of keys that the plan allows, and the reason of the limit (entitlement `api_keys`). */
export type KeyAllowance = { readonly limit: number; readonly reason: string | null };

export type ApiKeysCommand =
  | ({
      readonly type: "create";
      readonly at: string;
      readonly allowance: KeyAllowance;
    } & Extract<ApiKeysEvent, { type: "ApiKeyCreated" }>["data"])
  | { readonly type: "revoke"; readonly organizationId: string; readonly keyId: string }
  /** The organisation is deleted. */
  | { readonly type: "revokeAll"; readonly organizationId: string };

// ---------------------------------------------------------------- decide

export const decide = (command: ApiKeysCommand, state: ApiKeys): readonly ApiKeysEvent[] => {
  switch (command.type) {
    case "create": {
      const { type: _, at, allowance, ...data } = command;
      if (state.keys[data.keyId]) return [];
      const active = Object.values(state.keys).filter((key) => key.active);
      if (active.some((key) => key.name === data.name)) {
        throw new DomainError(
          "apiKey.nameTaken",
          "An API key of this name exists. Choose another name, or revoke that key first.",
        );
      }
      // An expired key keeps its name until it is revoked, but does not count towards the limit.
      const usable = active.filter(({ expiresAt }) => expiresAt === null || expiresAt > at);
      if (usable.length >= allowance.limit) throw limitReached(allowance);
      return [{ type: "ApiKeyCreated", data }];
    }
    case "revoke": {
      const { organizationId, keyId } = command;
      const key = state.keys[keyId];
      if (!key) throw new DomainError("apiKey.unknown", `There is no API key ${keyId}.`);
      return key.active ? [{ type: "ApiKeyRevoked", data: { organizationId, keyId } }] : [];
    }
    case "revokeAll": {
      const { organizationId } = command;
      return Object.entries(state.keys)
        .filter(([, { active }]) => active)
        .map(([keyId]) => ({ type: "ApiKeyRevoked", data: { organizationId, keyId } }));
    }
    default:
      return assertNever(command);
  }
};

const limitReached = ({ reason }: KeyAllowance): DomainError =>
  new DomainError(
    "apiKey.limitReached",
    `${reason ?? "No more API keys are allowed."} Revoke a key first.`,
  );

export const apiKeysDecider: Decider<ApiKeys, ApiKeysCommand, ApiKeysEvent> = {
  category: "apiKeys",
  initial: { keys: {} },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
