import { z } from "zod";
import { DomainError } from "../kernel/errors.ts";
import type { Step } from "./step.ts";

/** Maximum depth of calls. A direct call has depth 1. */
export const MAX_CALL_DEPTH = 10;
/** Maximum number of steps of a test, with calls expanded. */
export const MAX_CALLED_STEPS = 2_000;

const CALL = "call_test";

/** A pinned call: the test and version that a name or id resolves to in the calling test. */
export const pinnedCall = z.object({
  /** The calling test. */
  by: z.uuid(),
  /** Name or id in the step. */
  called: z.string(),
  testId: z.uuid(),
  testVersion: z.int().positive(),
});

export type PinnedCall = z.output<typeof pinnedCall>;

/** Distinct names and ids that steps call. Ignores disabled steps. */
export const callsIn = (
  steps: readonly Pick<Step, "action" | "target" | "disabled">[],
): readonly string[] => [
  ...new Set(
    steps
      .filter(({ action, disabled }) => action === CALL && !disabled)
      .map(({ target }) => target.trim()),
  ),
];

export type CallNode = {
  readonly testId: string;
  readonly name: string;
  readonly version: number;
  readonly steps: readonly Step[];
};

/** Resolves a name or id in the steps of a test. Null if there is no such test. */
export type FindCalled = (by: string, called: string) => CallNode | null;

/**
 * Pins the direct and indirect calls of a test, without duplicates. Throws `test.callCycle` with the path of names
 * (`A → B → A`), `test.callsTooDeep`, and, unless `mayMiss` is set, `test.unknownCall`.
 */
export const pinCalls = (
  root: CallNode,
  find: FindCalled,
  { mayMiss = false }: { readonly mayMiss?: boolean } = {},
): readonly PinnedCall[] => {
  const pinned = new Map<string, PinnedCall>();
  const done = new Set<string>();
  const walk = (node: CallNode, path: readonly CallNode[]): void => {
    const here = [...path, node];
    const start = path.findIndex(({ testId }) => testId === node.testId);
    if (start >= 0) throw cycle(here.slice(start));
    if (path.length > MAX_CALL_DEPTH) throw tooDeep(here);
    // Pinned already, but the depth must be checked on this path, too.
    if (done.has(`${node.testId} ${path.length}`)) return;
    for (const called of callsIn(node.steps)) {
      const next = find(node.testId, called);
      if (!next) {
        if (mayMiss) continue;
        throw new DomainError(
          "test.unknownCall",
          `The test ${quoted(node.name)} calls ${quoted(called)}, but its organisation has no test of that name or id.`,
        );
      }
      const { testId, version: testVersion } = next;
      pinned.set(`${node.testId} ${called}`, { by: node.testId, called, testId, testVersion });
      walk(next, here);
    }
    done.add(`${node.testId} ${path.length}`);
  };
  walk(root, []);
  return [...pinned.values()];
};

const quoted = (name: string): string => JSON.stringify(name);

const cycle = (path: readonly CallNode[]): DomainError =>
  new DomainError(
    "test.callCycle",
    `A test cannot call itself: ${path.map(({ name }) => name).join(" → ")}.`,
  );

const tooDeep = (path: readonly CallNode[]): DomainError =>
  new DomainError(
    "test.callsTooDeep",
    `Tests call each other at most ${MAX_CALL_DEPTH} levels deep: ${path.map(({ name }) => name).join(" → ")}.`,
  );

/** Returns the steps of a version, or undefined. */
type StepsOf = (testId: string, version: number) => readonly Step[] | undefined;

/** Distinct versions of pinned calls. */
export const versionsCalled = (
  calls: readonly PinnedCall[],
): readonly { readonly testId: string; readonly version: number }[] => [
  ...new Map(
    calls.map(({ testId, testVersion: version }) => [`${testId} ${version}`, { testId, version }]),
  ).values(),
];

/** `ofTest` is the test that contains the step, if it was called. */
export type CalledStep = Step & { readonly ofTest?: string };

/**
 * Replaces calls with the steps of the called tests. The steps of an optional call are optional. Keeps disabled calls.
 * Throws `test.tooManyCalledSteps`.
 */
export const inlineCalls = (
  root: { readonly testId: string; readonly steps: readonly Step[] },
  calls: readonly PinnedCall[],
  stepsOf: StepsOf,
): readonly CalledStep[] => {
  if (callsIn(root.steps).length === 0) return root.steps;
  const byCall = new Map(calls.map((call) => [`${call.by} ${call.called}`, call]));
  const all: CalledStep[] = [];
  let calledTests = 0;
  const put = (testId: string, steps: readonly Step[], optional: boolean): void => {
    for (const step of steps) {
      const call =
        step.action === CALL && !step.disabled
          ? byCall.get(`${testId} ${step.target.trim()}`)
          : undefined;
      const called = call && stepsOf(call.testId, call.testVersion);
      if (call && called) {
        // Counts each call, so that tests which contain only calls are limited, too.
        calledTests += 1;
        if (calledTests > MAX_CALLED_STEPS) throw tooManySteps();
        put(call.testId, called, optional || step.optional);
        continue;
      }
      if (all.length >= MAX_CALLED_STEPS) throw tooManySteps();
      const own = optional && !step.optional ? { ...step, optional } : step;
      all.push(testId === root.testId ? own : { ...own, ofTest: testId });
    }
  };
  put(root.testId, root.steps, false);
  return all;
};

const tooManySteps = (): DomainError =>
  new DomainError(
    "test.tooManyCalledSteps",
    `A test has at most ${MAX_CALLED_STEPS} steps, including those of the tests that it calls.`,
  );
