import { z } from "zod";
import { DomainError } from "../kernel/errors.ts";
import type { Step } from "./step.ts";

/** How deep tests may call one another: the first call is 1. */
export const MAX_CALL_DEPTH = 10;
/** So many steps a test comes to at most, those of the tests that it calls in their places. */
export const MAX_CALLED_STEPS = 2_000;

const CALL = "call_test";

/** A call as a run pins it: which test, in which version, a name or an id stood for in the test that calls. */
export const pinnedCall = z.object({
  /** The test that calls. */
  by: z.uuid(),
  /** What the step says: a name, or an id. */
  called: z.string(),
  testId: z.uuid(),
  testVersion: z.int().positive(),
});

export type PinnedCall = z.output<typeof pinnedCall>;

/** The tests that steps call, by name or id as they say it, each once. A disabled call calls nothing. */
export const callsIn = (
  steps: readonly Pick<Step, "action" | "target" | "disabled">[],
): readonly string[] => [
  ...new Set(
    steps
      .filter(({ action, disabled }) => action === CALL && !disabled)
      .map(({ target }) => target.trim()),
  ),
];

/** A test as one that calls or is called. */
export type CallNode = {
  readonly testId: string;
  readonly name: string;
  readonly version: number;
  readonly steps: readonly Step[];
};

/** What a name or an id in a test's steps stands for; null where nothing is called so. */
export type FindCalled = (by: string, called: string) => CallNode | null;

/**
 * The calls that running a test comes to, its own and those of the tests that it calls, each once.
 * Throws `test.callCycle` with the path of names (`A → B → A`), `test.callsTooDeep`; and `test.unknownCall`
 * where nothing is called so, unless `mayMiss`: it may be written yet.
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
    // Its calls are pinned; how deep they go from here may be another matter.
    if (done.has(`${node.testId} ${path.length}`)) return;
    for (const called of callsIn(node.steps)) {
      const next = find(node.testId, called);
      if (!next) {
        if (mayMiss) continue;
        throw new DomainError(
          "test.unknownCall",
          `The test ${quoted(node.name)} calls ${quoted(called)}, and there is no test of that name or id in its organisation.`,
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
    `Tests call one another ${MAX_CALL_DEPTH} deep at most: ${path.map(({ name }) => name).join(" → ")}.`,
  );

/** The steps of a test in a version, where they are known. */
type StepsOf = (testId: string, version: number) => readonly Step[] | undefined;

/** The versions that pinned calls speak of, each once. */
export const versionsCalled = (
  calls: readonly PinnedCall[],
): readonly { readonly testId: string; readonly version: number }[] => [
  ...new Map(
    calls.map(({ testId, testVersion: version }) => [`${testId} ${version}`, { testId, version }]),
  ).values(),
];

/** A step of a test as it is run: `ofTest` is the test that it belongs to, where that was called. */
export type CalledStep = Step & { readonly ofTest?: string };

/**
 * The steps of a test with those of the tests that it calls in their places. Those of an optional call are
 * optional; a disabled call stays as it is, to be skipped. Throws `test.tooManyCalledSteps`.
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
        // Tests without steps that call others would count for nothing, however many there are.
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
    `A test comes to ${MAX_CALLED_STEPS} steps at most, those of the tests that it calls included.`,
  );
