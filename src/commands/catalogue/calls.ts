import {
  type CallNode,
  callsIn,
  type FindCalled,
  inlineCalls,
  MAX_CALL_DEPTH,
  pinCalls,
} from "../../domain/catalogue/calls.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import { DomainError } from "../../domain/kernel/errors.ts";

export type CallableTest = CallNode & { readonly projectId: string | null };

/** Finds tests of an organisation by id or name, ignoring case. */
export type FindCallable = (
  organizationId: string,
  wanted: readonly string[],
) => Promise<readonly CallableTest[]>;

/**
 * Loads the tests that `known` call, directly or indirectly, and returns a function that resolves names and ids. A name stands
 * for a test of the caller's project, else of the organisation; an exact match takes precedence over one that ignores case.
 * `known` replace the stored versions. The returned function throws `test.ambiguousCall` if a name matches several tests.
 */
export const lookUpCalls = async (
  find: FindCallable,
  organizationId: string,
  known: readonly CallableTest[],
): Promise<FindCalled & ((by: string, called: string) => CallableTest | null)> => {
  const nodes = new Map(known.map((node) => [node.testId, node]));
  const asked = new Set<string>();
  let fresh: readonly CallableTest[] = known;
  // One level more than allowed, so that a call that is too deep is not reported as unknown.
  for (let depth = 0; depth <= MAX_CALL_DEPTH && fresh.length > 0; depth += 1) {
    const wanted = fresh
      .flatMap(({ steps }) => callsIn(steps))
      .filter((called) => !asked.has(called.toLowerCase()));
    if (wanted.length === 0) break;
    for (const called of wanted) asked.add(called.toLowerCase());
    const found = await find(organizationId, [...new Set(wanted)]);
    fresh = found.filter(({ testId }) => !nodes.has(testId));
    for (const node of fresh) nodes.set(node.testId, node);
  }

  return (by, called) => {
    const byId = nodes.get(called.toLowerCase());
    if (byId) return byId;
    const projectId = nodes.get(by)?.projectId ?? null;
    const named = [...nodes.values()].filter(
      ({ name }) => name.toLowerCase() === called.toLowerCase(),
    );
    const isOwn = (node: CallableTest) => node.projectId === projectId;
    const isExact = ({ name }: CallableTest) => name === called;
    const own = named.filter(isOwn);
    for (const tier of [own.filter(isExact), own, named.filter(isExact), named]) {
      if (tier.length > 1) throw ambiguous(called, tier);
      if (tier[0]) return tier[0];
    }
    return null;
  };
};

const ambiguous = (called: string, tests: readonly CallableTest[]): DomainError =>
  new DomainError(
    "test.ambiguousCall",
    `${JSON.stringify(called)} is the name of ${tests.length} tests: call one by its id. They are ${tests
      .slice(0, 5)
      .map(({ testId }) => testId)
      .join(", ")}.`,
  );

/**
 * The steps of a test, with calls replaced by the current steps of the called tests. A call of a missing test stays.
 * Throws `test.callCycle`, `test.ambiguousCall`, `test.callsTooDeep`, `test.tooManyCalledSteps`.
 */
export const withCalledSteps = async (
  find: FindCallable,
  organizationId: string,
  test: CallableTest,
): Promise<readonly Step[]> => {
  if (callsIn(test.steps).length === 0) return test.steps;
  const called = await lookUpCalls(find, organizationId, [test]);
  const calls = pinCalls(test, called, { mayMiss: true });
  const steps = new Map(
    calls.map(({ by, called: name, testId }) => [testId, called(by, name)?.steps]),
  );
  return inlineCalls(test, calls, (testId) => steps.get(testId));
};

/** Validates the calls of a test before it is stored. Called tests need not exist yet. */
export const checkCalls = async (
  find: FindCallable,
  organizationId: string,
  test: CallableTest,
): Promise<void> => {
  if (callsIn(test.steps).length === 0) return;
  pinCalls(test, await lookUpCalls(find, organizationId, [test]), { mayMiss: true });
};
