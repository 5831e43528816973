import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CallNode,
  callsIn,
  inlineCalls,
  MAX_CALL_DEPTH,
  MAX_CALLED_STEPS,
  type PinnedCall,
  pinCalls,
} from "../../../../src/domain/catalogue/calls.ts";
import type { Step } from "../../../../src/domain/catalogue/step.ts";
import { DomainError } from "../../../../src/domain/kernel/errors.ts";

let made = 0;
const id = (n: number) => `0190c4f0-0000-7000-8000-${String(n).padStart(12, "0")}`;
const step = (action: string, target = "", more: Partial<Step> = {}): Step => {
  made += 1;
  const texts = { action, target, value: "", description: "" };
  return { id: id(1_000_000 + made), ...texts, optional: false, disabled: false, ...more };
};
const call = (name: string, more: Partial<Step> = {}) => step("call_test", name, more);
const test = (n: number, name: string, steps: readonly Step[]): CallNode => ({
  testId: id(n),
  name,
  version: n,
  steps,
});
const among = (tests: readonly CallNode[]) => (_by: string, called: string) =>
  tests.find(({ name, testId }) => name === called || testId === called) ?? null;
const stepsOf = (tests: readonly CallNode[]) => (testId: string) =>
  tests.find((one) => one.testId === testId)?.steps;
const refusal = (work: () => unknown): DomainError => {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error("It was not refused");
};
const targets = (steps: readonly Step[]) => steps.map(({ target }) => target);

describe("calls of a test", () => {
  it("pin the steps of all called tests under the calling step", () => {
    const login = test(3, "Log in", [step("click", "Sign in")]);
    const cart = test(2, "Fill the cart", [call("Log in"), step("click", "Add")]);
    const buy = test(1, "Buy", [call("Fill the cart"), call(id(3)), step("click", "Buy")]);
    const calls = pinCalls(buy, among([buy, cart, login]));
    const pinned = (by: number, called: string, n: number): PinnedCall => ({
      by: id(by),
      called,
      testId: id(n),
      testVersion: n,
    });
    expect(calls).toEqual([
      pinned(1, "Fill the cart", 2),
      pinned(2, "Log in", 3),
      pinned(1, id(3), 3),
    ]);
    expect(targets(inlineCalls(buy, calls, stepsOf([buy, cart, login])))).toEqual([
      "Sign in",
      "Add",
      "Sign in",
      "Buy",
    ]);
    // Each says whose it is, for what is decided about it later.
    const owners = inlineCalls(buy, calls, stepsOf([buy, cart, login])).map(({ ofTest }) => ofTest);
    expect(owners).toEqual([id(3), id(2), id(3), undefined]);
  });

  it("are refused in a cycle, with its path", () => {
    const a = test(1, "A", [call("B")]);
    const b = test(2, "B", [call("C")]);
    const c = test(3, "C", [call("A")]);
    const refused = refusal(() => pinCalls(a, among([a, b, c])));
    expect([refused.code, refused.message]).toEqual([
      "test.callCycle",
      "A test cannot call itself: A → B → C → A.",
    ]);
    const itself = test(4, "Self", [call("Self")]);
    expect(refusal(() => pinCalls(itself, among([itself]))).message).toContain("Self → Self");
    // One that is not of the circle leads into it.
    const d = test(5, "D", [call("A")]);
    expect(refusal(() => pinCalls(d, among([a, b, c]))).message).toContain("A → B → C → A");
  });

  it("may reach one test by two paths", () => {
    const d = test(4, "D", [step("click", "x")]);
    const b = test(2, "B", [call("D")]);
    const c = test(3, "C", [call("D")]);
    const a = test(1, "A", [call("B"), call("C")]);
    expect(pinCalls(a, among([b, c, d]))).toHaveLength(4);
  });

  it("name an unknown test, unless it may be created later", () => {
    const a = test(1, "A", [call("Nobody")]);
    expect(refusal(() => pinCalls(a, () => null)).message).toContain('"A" calls "Nobody"');
    expect(pinCalls(a, () => null, { mayMiss: true })).toEqual([]);
  });

  it("have a maximum depth", () => {
    const chain = (length: number) =>
      Array.from({ length: length + 1 }, (_, n) =>
        test(n + 1, `T${n}`, n === length ? [] : [call(`T${n + 1}`)]),
      );
    const fits = chain(MAX_CALL_DEPTH);
    expect(pinCalls(fits[0] as CallNode, among(fits))).toHaveLength(MAX_CALL_DEPTH);
    const deeper = chain(MAX_CALL_DEPTH + 1);
    const refused = refusal(() => pinCalls(deeper[0] as CallNode, among(deeper)));
    expect(refused.code).toBe("test.callsTooDeep");
  });

  it("are left out if disabled, and make the steps of an optional call optional", () => {
    const b = test(2, "B", [step("click", "b"), step("click", "c")]);
    const a = test(1, "A", [call("B", { optional: true }), call("Nobody", { disabled: true })]);
    expect(callsIn(a.steps)).toEqual(["B"]);
    const inlined = inlineCalls(a, pinCalls(a, among([b])), stepsOf([b]));
    expect(inlined.map(({ target, optional, disabled }) => [target, optional, disabled])).toEqual([
      ["b", true, false],
      ["c", true, false],
      ["Nobody", false, true],
    ]);
  });

  it("have a maximum number of steps, also if they add none", () => {
    const many = (name: string) => Array.from({ length: 500 }, () => call(name));
    const leaf = test(9, "Leaf", [step("click", "x")]);
    const empty = test(8, "Empty", []);
    for (const last of [leaf, empty]) {
      const b = test(2, "B", many(last.name));
      const a = test(1, "A", many("B"));
      const tests = [a, b, last];
      const refused = refusal(() => inlineCalls(a, pinCalls(a, among(tests)), stepsOf(tests)));
      expect(refused.code).toBe("test.tooManyCalledSteps");
    }
    expect(MAX_CALLED_STEPS).toBeGreaterThan(500);
  });

  it("either end or name an actual cycle for any tests", () => {
    const graphs = fc.array(fc.array(fc.nat(5), { maxLength: 3 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(graphs, (graph) => {
        const tests = graph.map((called, n) =>
          test(n, `T${n}`, [step("click", `${n}`), ...called.map((to) => call(`T${to}`))]),
        );
        const root = tests[0] as CallNode;
        try {
          const calls = pinCalls(root, among(tests));
          const steps = inlineCalls(root, calls, stepsOf(tests));
          expect(steps.every(({ action }) => action === "click")).toBe(true);
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          if (error.code === "test.tooManyCalledSteps") return;
          expect(error.code).toBe("test.callCycle");
          const path = (/: (.*)\.$/.exec(error.message)?.[1] ?? "")
            .split(" → ")
            .map((name) => Number(name.slice(1)));
          expect(path.length).toBeGreaterThan(1);
          expect(path[0]).toBe(path.at(-1));
          for (const [index, from] of path.slice(0, -1).entries()) {
            expect(graph[from]).toContain(path[index + 1]);
          }
        }
      }),
    );
  });
});
