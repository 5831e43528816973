import { setTimeout as delay } from "node:timers/promises";
import type { ElementHandle, Locator } from "playwright";
import { kinds } from "../../domain/catalogue/kinds.ts";
import type { Target } from "../../domain/catalogue/target.ts";
import { askView } from "./askPage.ts";
import { plainMessage, StepError } from "./errors.ts";
import { type NameSource, possibleSources, possibleSourcesOfPage } from "./inPage.ts";
import { isGone } from "./nothingToLookAt.ts";
import { closestTo, inSectionOf } from "./places.ts";
import { describeTarget } from "./targetText.ts";
import { longestWord } from "./unseen.ts";
import { isElement, type Purpose, type Root, type View, type Way, waysOf } from "./ways.ts";

/** What one look at the page gave: the matches of the first way that has any. */
export type Seen =
  /** `isUnclear`: several things could be what it is to be in, and were not looked into. */
  | { readonly kind: "none"; readonly reason?: string; readonly isUnclear?: true }
  | {
      readonly kind: "some";
      readonly way: Way;
      readonly visible: Locator;
      readonly picks: readonly number[];
      /** Capitals told it apart from others. */
      readonly isStrict?: true;
    };

/**
 * Goes through the ways in their order. Ways that cannot have the name are left out, unless `thorough`: what
 * rules them out is quick and does not know every way to name an element (text that styles put in).
 * Throws StepError when it is looked for in a frame that is gone.
 */
export const look = async (
  root: Root,
  target: Target,
  purpose: Purpose,
  view: View,
  thorough = false,
): Promise<Seen> => {
  if (isGone(view)) throw new StepError("The frame is gone.");
  const scope = await scopeOf(root, target, view);
  if (scope.kind === "missing") {
    const { reason, isUnclear } = scope;
    return { kind: "none", reason, ...(isUnclear && { isUnclear }) };
  }
  let reason: string | undefined;
  let possible: ReadonlySet<string> | null = null;
  for (const [index, way] of waysOf(scope.root, target.find, purpose, view).entries()) {
    // The third of two is not the first of those that are merely called alike.
    if (reason && way.match === "part") break;
    // A kind gives the role: asking for that is as quick as ruling it out.
    if (!thorough && NAME_SOURCES.has(way.by) && (target.find.by === "name" || index > 0)) {
      possible ??= await sourcesOf(scope.root, target);
      if (!possible.has(way.by)) continue;
    }
    const visible = way.locator.filter({ visible: true });
    const count = await countOf(visible);
    if (count > 0) {
      const picks = await scope.choose(visible, count);
      const chosen = await ordered(picks, target, way, visible, scope);
      if (chosen.kind === "some") return chosen;
      reason ??= chosen.kind === "none" ? chosen.reason : undefined;
    }
    if ((purpose === "check" || purpose === "file") && count === 0) {
      // The real checkbox may be hidden behind a drawn one, a file field behind a button.
      const hidden = await countOf(way.locator);
      if (hidden === 1) return { kind: "some", way, visible: way.locator, picks: [0] };
    }
  }
  return { kind: "none", ...(reason && { reason }) };
};

/** A page that has not said by then where names can come from is asked for each way. */
const SOURCES_MS = 500;

const NAME_SOURCES: ReadonlySet<string> = new Set<NameSource>([
  ...(["label", "placeholder", "altText", "title", "role"] as const),
]);

/** Where a name like the target's can come from on this page; everywhere when the page does not say. */
const sourcesOf = async (root: Root, { find }: Target): Promise<ReadonlySet<string>> => {
  const name =
    find.by === "kind" ? (find.name ?? find.phrase) : find.by === "name" ? find.name : "";
  const longest = longestWord(name ?? "");
  const asked = isElement(root)
    ? root.evaluate(possibleSources, longest, { timeout: SOURCES_MS })
    : withinMs(askView<NameSource[]>(root, possibleSourcesOfPage(longest)), SOURCES_MS);
  const sources = await asked.catch(() => null);
  return sources ? new Set<string>(sources) : NAME_SOURCES;
};

/** The promise's value; null when it takes longer. A late rejection is nobody's concern. */
const withinMs = async <Value>(promise: Promise<Value>, limitMs: number): Promise<Value | null> => {
  promise.catch(() => {});
  const ended = new AbortController();
  const late = delay(limitMs, null, { signal: ended.signal }).catch(() => null);
  try {
    return await Promise.race([promise, late]);
  } finally {
    ended.abort();
  }
};

/** Applies the ordinal; several without one are told apart by capitals, if that leaves one. */
const ordered = async (
  picks: readonly number[],
  target: Target,
  way: Way,
  visible: Locator,
  scope: Scope,
): Promise<Seen> => {
  if (picks.length === 0) return { kind: "none" };
  const { ordinal } = target;
  if (ordinal) {
    const at = ordinal.at === "last" ? picks.length - 1 : ordinal.nth - 1;
    const pick = picks[at];
    if (pick !== undefined) return { kind: "some", way, visible, picks: [pick] };
    const reason = `there ${picks.length === 1 ? "is only 1" : `are only ${picks.length}`} (${way.text})`;
    return { kind: "none", reason };
  }
  if (picks.length > 1 && way.strict) {
    const strict = way.strict.filter({ visible: true });
    const count = await countOf(strict);
    const strictPicks = count > 0 ? await scope.choose(strict, count) : [];
    if (strictPicks.length === 1) {
      return { kind: "some", way, visible: strict, picks: strictPicks, isStrict: true };
    }
  }
  return { kind: "some", way, visible, picks };
};

type Scope = {
  readonly kind: "scope";
  readonly root: Root;
  /** Which of the matches lie where the target says, by their index. */
  choose(visible: Locator, count: number): Promise<readonly number[]>;
};

/** There is nothing that it could be in or next to, or too much. */
type Missing = { readonly kind: "missing"; readonly reason: string; readonly isUnclear?: true };

const all = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Where the target says that its element is: anywhere, inside of a container, next to something. */
const scopeOf = async (root: Root, target: Target, view: View): Promise<Scope | Missing> => {
  let scope: Scope = { kind: "scope", root, choose: async (_, count) => all(count) };
  if (target.within) {
    const inside = await containerOf(root, target.within, view);
    if (inside.kind === "missing") return inside;
    scope = inside;
  }
  if (target.near) {
    const anchors = await handlesOf(scope.root, target.near, view);
    if (anchors.length === 0) {
      return {
        kind: "missing",
        reason: `there is no ${describeTarget(target.near)} to look next to`,
      };
    }
    const outer = scope;
    return {
      kind: "scope",
      root: scope.root,
      choose: async (visible, count) => {
        const inside = new Set(await outer.choose(visible, count));
        return (await closestTo(visible, anchors)).filter((index) => inside.has(index));
      },
    };
  }
  return scope;
};

const containerOf = async (root: Root, container: Target, view: View): Promise<Scope | Missing> => {
  const seen = await look(root, container, "look", view);
  if (seen.kind === "some" && seen.picks.length === 1) {
    const inner = seen.visible.nth(seen.picks[0] ?? 0);
    return { kind: "scope", root: inner, choose: async (_, count) => all(count) };
  }
  // A section that only its heading names: what stands between this heading and the next one like it.
  const { find } = container;
  if (find.by === "kind" && find.name !== null && kinds[find.kind].container) {
    const heading: Target = { ...container, find: { ...find, kind: "heading" } };
    const titles = await handlesOf(root, heading, view);
    const [title] = titles;
    if (title && titles.length === 1) {
      return { kind: "scope", root, choose: (visible) => inSectionOf(visible, title) };
    }
    if (title && seen.kind === "none") return unclear(titles.length, heading);
  }
  const what = describeTarget(container);
  if (seen.kind === "none") return { kind: "missing", reason: `there is no ${what} to look in` };
  return unclear(seen.picks.length, container);
};

const unclear = (count: number, container: Target): Missing => ({
  kind: "missing",
  reason: `there are ${count} to look in that could be ${describeTarget(container)}`,
  isUnclear: true,
});

/** More of one name are not told apart by what stands next to them. */
const MAX_ANCHORS = 30;

/** The visible elements that a target names, now. */
const handlesOf = async (
  root: Root,
  target: Target,
  view: View,
): Promise<readonly ElementHandle[]> => {
  const seen = await look(root, target, "look", view);
  if (seen.kind === "none") return [];
  const handles = seen.picks.slice(0, MAX_ANCHORS).map((pick) =>
    seen.visible
      .nth(pick)
      .elementHandle({ timeout: 1_000 })
      .catch(() => null),
  );
  return (await Promise.all(handles)).filter((handle) => handle !== null);
};

const GONE = /has been closed|Target closed|crashed|disconnected/i;

/**
 * How many elements match; none while the page is being replaced. Throws StepError for a selector that is none, and
 * what Playwright says when the page is closed or has crashed.
 */
export const countOf = async (locator: Locator): Promise<number> => {
  try {
    return await locator.count();
  } catch (error) {
    const message = plainMessage(error);
    // On a page that is gone nothing is hidden: nobody can say.
    if (GONE.test(message)) throw error;
    if (/selector|Unexpected token|Unknown engine|xpath|Invalid regular/i.test(message)) {
      throw new StepError(`The selector cannot be read: ${message.split("\n")[0]}`);
    }
    return 0;
  }
};
