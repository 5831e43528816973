import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { persistentMap } from "../../../../src/domain/billing/persistentMap.ts";
import { aliasesOf } from "../../../../src/domain/inspection/aliases.ts";
import { kinds, partsOf } from "../../../../src/domain/inspection/deciders.ts";
import { differences } from "../../../../src/domain/inspection/differences.ts";
import { inspectionDecider, type Look } from "../../../../src/domain/inspection/inspection.ts";
import { plain, withoutPersons } from "../../../../src/domain/inspection/plain.ts";
import { fold } from "../../../../src/domain/kernel/decider.ts";

describe("differences between two states", () => {
  it("name the path, with null for a missing value", () => {
    const before = { name: "a", steps: [{ value: "1" }, { value: "2" }], tags: { old: true } };
    const after = { name: "b", steps: [{ value: "1" }, { value: "3" }, { value: "4" }], tags: {} };
    expect(differences(before, after)).toEqual([
      { field: "name", before: "a", after: "b" },
      { field: "steps.1.value", before: "2", after: "3" },
      { field: "steps.2", before: null, after: { value: "4" } },
      { field: "tags.old", before: true, after: null },
    ]);
  });

  it("are empty exactly for equal states", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(differences(one, one)).toEqual([]);
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        const isReordered = differences(one, other).length === 0;
        expect(isReordered || !isSame).toBe(true);
        for (const { before, after } of differences(one, other)) {
          expect(JSON.stringify(before) === JSON.stringify(after) && before !== null).toBe(false);
        }
      }),
    );
  });
});

describe("a state as JSON", () => {
  it("converts maps to objects and sets to arrays", () => {
    const state = {
      map: new Map([["a", { n: 1n }]]),
      set: new Set(["b"]),
      grown: persistentMap([["c", 2]]),
      absent: undefined,
    };
    expect(plain(state)).toEqual({ map: { a: { n: "1" } }, set: ["b"], grown: { c: 2 } });
  });

  it("hides e-mail addresses", () => {
    const step = { value: 'Type "ann.o+1@shop.example.com" twice', email: "x", address: "y" };
    expect(withoutPersons([step, { target: "//input[@id='a']", n: 1, none: null }])).toEqual([
      { value: 'Type "[hidden]" twice', email: "[hidden]", address: "[hidden]" },
      { target: "//input[@id='a']", n: 1, none: null },
    ]);
  });
});

describe("streams", () => {
  it("have a category with a decider that reads their events", () => {
    expect(partsOf("webhook-provider-a_evt_1")).toEqual({
      kind: "webhook",
      id: "provider-a_evt_1",
    });
    expect(partsOf("nonsense")).toEqual({ kind: "nonsense", id: "" });
    for (const [kind, { decider, what }] of kinds) {
      expect([decider.category, decider.codec.types.length > 0, what !== ""]).toEqual([
        kind,
        true,
        true,
      ]);
    }
  });

  it("are indexed only by the ids of entities in their events", () => {
    const stream = "apiKeys-1";
    const data = { keyId: "k", prefix: "ak_live_abcd", name: "ci" };
    expect(aliasesOf({ type: "ApiKeyCreated", stream, data })).toEqual([
      { alias: "k", stream, what: "an API key" },
      { alias: "ak_live_abcd", stream, what: "an API key that begins so" },
    ]);
    const nothing = {
      type: "WebhookReceived",
      stream,
      data: { eventId: "", subscriptionId: null },
    };
    expect(aliasesOf(nothing)).toEqual([]);
    expect(aliasesOf({ type: "Other", stream, data: null })).toEqual([]);
  });
});

describe("an inspection", () => {
  it("records every view, also a repeated one", () => {
    const data: Look = { at: "find", subjects: ["run-1"] };
    const event = { type: "Looked" as const, data };
    const { decide, initial } = inspectionDecider;
    expect(decide({ type: "record", event }, initial)).toEqual([event]);
    const revealed = { type: "PersonRevealed", data: { personId: "p", reason: "r" } } as const;
    const handled = {
      type: "Handled" as const,
      data: { what: "rebuild" as const, subject: "runs", reason: null },
    };
    expect(fold(inspectionDecider, [event, event, revealed, handled])).toEqual({
      looks: 2,
      revealed: 1,
      handled: 1,
    });
  });
});
