import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "../../../../src/domain/kernel/decider.ts";
import { DomainError } from "../../../../src/domain/kernel/errors.ts";
import { type ApiKeysEvent, apiKeysDecider } from "../../../../src/domain/organizations/apiKeys.ts";
import { apiKeyName, displayName } from "../../../../src/domain/organizations/names.ts";
import { scenario } from "../../../support/scenario.ts";

const organizationId = "019a0000-0000-7000-8000-000000000001";
const idOf = (n: number) => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const at = "2026-04-01T00:00:00.000Z";
const allowance = { limit: 2, reason: "Free allows 2 API keys (api_keys). Starter allows 5." };
const dataOf = (n: number, name: string) => ({
  organizationId,
  keyId: idOf(n),
  name,
  prefix: "ak_live_abcd",
  expiresAt: null,
});
const created = (n: number, name: string): ApiKeysEvent => ({
  type: "ApiKeyCreated",
  data: dataOf(n, name),
});
const create = (n: number, name: string) =>
  ({ type: "create", at, allowance, ...dataOf(n, name) }) as const;
const revoked = (n: number): ApiKeysEvent => ({
  type: "ApiKeyRevoked",
  data: { organizationId, keyId: idOf(n) },
});
const revoke = (n: number) => ({ type: "revoke", organizationId, keyId: idOf(n) }) as const;

const keys = scenario(apiKeysDecider);

describe("creating a key", () => {
  it("records a new key once", () => {
    keys
      .given([])
      .when(create(1, "ci"))
      .then([created(1, "ci")]);
    keys
      .given([created(1, "ci")])
      .when(create(1, "ci"))
      .thenNothing();
    keys
      .given([created(1, "ci"), revoked(1)])
      .when(create(1, "ci"))
      .thenNothing();
  });
  it("refuses a duplicate name until the key is revoked", () => {
    keys
      .given([created(1, "ci")])
      .when(create(2, "ci"))
      .thenRefused("apiKey.nameTaken");
    keys
      .given([created(1, "ci"), revoked(1)])
      .when(create(2, "ci"))
      .then([created(2, "ci")]);
  });
  it("names the plan that allows more keys", () => {
    const refusal = keys
      .given([created(1, "a"), created(2, "b")])
      .when(create(3, "c"))
      .thenRefused("apiKey.limitReached");
    expect(refusal.message).toContain("api_keys");
    expect(refusal.message).toContain("Starter");
  });
});

describe("expired and revoked keys", () => {
  it("an expired key no longer counts, but keeps its name until it is revoked", () => {
    const expired: ApiKeysEvent = {
      type: "ApiKeyCreated",
      data: { ...dataOf(1, "old"), expiresAt: at },
    };
    const history = [expired, created(2, "b")];
    keys
      .given(history)
      .when(create(3, "c"))
      .then([created(3, "c")]);
    keys.given(history).when(create(3, "old")).thenRefused("apiKey.nameTaken");
    const earlier = { ...create(3, "c"), at: "2026-03-31T23:59:59.999Z" };
    keys.given(history).when(earlier).thenRefused("apiKey.limitReached");
  });
  it("revoking all keys records each active one once", () => {
    const history = [created(1, "a"), revoked(1), created(2, "b"), created(3, "c")];
    const revokeAll = { type: "revokeAll", organizationId } as const;
    keys
      .given(history)
      .when(revokeAll)
      .then([revoked(2), revoked(3)]);
    keys
      .given([...history, revoked(2), revoked(3)])
      .when(revokeAll)
      .thenNothing();
  });
});

describe("revoking a key", () => {
  it("records the revocation once", () => {
    keys
      .given([created(1, "ci")])
      .when(revoke(1))
      .then([revoked(1)]);
    keys
      .given([created(1, "ci"), revoked(1)])
      .when(revoke(1))
      .thenNothing();
  });
  it("refuses an unknown key", () => {
    keys.given([]).when(revoke(1)).thenRefused("apiKey.unknown");
  });
});

describe("keys under any commands", () => {
  it("have unique active names and stay within the limit", () => {
    const command = fc.oneof(
      fc.tuple(fc.nat(5), fc.constantFrom("a", "b", "c")).map(([n, name]) => create(n, name)),
      fc.nat(5).map(revoke),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const history: ApiKeysEvent[] = [];
        for (const one of commands) {
          try {
            history.push(...apiKeysDecider.decide(one, fold(apiKeysDecider, history)));
          } catch (error) {
            expect(error).toBeInstanceOf(DomainError);
          }
        }
        const active = Object.values(fold(apiKeysDecider, history).keys).filter((k) => k.active);
        expect(new Set(active.map((key) => key.name)).size).toBe(active.length);
        expect(active.length).toBeLessThanOrEqual(allowance.limit);
      }),
    );
  });
});

describe("names of keys and organisations", () => {
  it.each([
    "a\rb",
    "a\nb",
    "a\u0000b",
    "a\u007fb",
    "a\u2028b",
    "a\u202eb",
    "",
    "   ",
    "x".repeat(101),
  ])("rejects %j", (name) => {
    expect(displayName.safeParse(name).success).toBe(false);
    expect(apiKeyName.safeParse(name).success).toBe(false);
  });
  it("rejects a colon in the name of a key, but not of an organisation", () => {
    expect(apiKeyName.safeParse("ci:main").success).toBe(false);
    expect(displayName.safeParse("ACME: Berlin").success).toBe(true);
  });
  it("trims a name and composes its Unicode characters", () => {
    expect(apiKeyName.parse("  cafe\u0301 ")).toBe("caf\u00e9");
  });
});
