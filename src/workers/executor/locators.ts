import { setTimeout as delay } from "node:timers/promises";
import type { ElementHandle, Locator } from "playwright";
import { kinds } from "../../domain/catalogue/kinds.ts";
import { parseTarget, type Target } from "../../domain/catalogue/target.ts";
import { candidatesOn, described, nearestCandidates } from "./candidates.ts";
import { plainMessage, StepError } from "./errors.ts";
import { type NameSource, outline, possibleSources, roleOf } from "./inPage.ts";
import { closestTo, inSectionOf } from "./places.ts";
import type { StepContext } from "./steps/context.ts";
import { inWords } from "./steps/polling.ts";
import { type Purpose, type Root, type Way, waysOf } from "./ways.ts";

export type { Purpose } from "./ways.ts";

/** An element found: how to act on it, and how it was found, in words. */
export type Found = { readonly locator: Locator; readonly text: string };

type Where = Pick<StepContext, "page" | "step" | "signal" | "foundBy">;

/** Several matches are looked at again for this long: a page that is changing may show both the old and the new. */
const AMBIGUOUS_GRACE_MS = 1_000;
const PAUSES = [20, 50, 100, 100, 250];
const MAX_LISTED = 6;

/** What one look at the page gave: the matches of the first way that has any. */
type Seen =
  | { readonly kind: "none"; readonly reason?: string }
  | {
      readonly kind: "some";
      readonly way: Way;
      readonly visible: Locator;
      readonly picks: readonly number[];
    };

/**
 * Finds the one visible element that the step's target names, waiting for it at most `timeoutMs`.
 * Throws StepError: nothing like it, with the nearest that there is; or several, with what they are.
 */
export const findOne = async (
  context: Where,
  purpose: Purpose,
  timeoutMs: number,
): Promise<Found> => {
  const target = parseTarget(context.step.target);
  const started = performance.now();
  for (let turn = 0; ; turn += 1) {
    const isLast = performance.now() - started >= timeoutMs;
    const seen = await look(context.page, target, purpose, isLast || turn % 8 === 7);
    const elapsed = performance.now() - started;
    if (seen.kind === "some") {
      const [only, ...others] = seen.picks;
      if (only !== undefined && others.length === 0) {
        const found = await settled(seen, only, target);
        context.foundBy(found.text);
        return found;
      }
      if (elapsed >= Math.min(AMBIGUOUS_GRACE_MS, timeoutMs)) throw await several(context, seen);
    } else if (isLast || context.signal.aborted) {
      throw new StepError(await notFound(context, purpose, seen.reason, timeoutMs));
    }
    const pause = PAUSES[Math.min(turn, PAUSES.length - 1)] ?? 250;
    await delay(pause, undefined, { signal: context.signal }).catch(() => {});
  }
};

/** Waits until the target names at least one visible element. Throws StepError like `findOne` when none comes. */
export const findAny = async (context: Where, timeoutMs: number): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  for (let turn = 0; ; turn += 1) {
    const isLast = performance.now() >= deadline;
    const seen = await lookOnce(context, isLast || turn % 8 === 7);
    if (seen) return context.foundBy(seen.text);
    if (isLast || context.signal.aborted) {
      throw new StepError(await notFound(context, "look", undefined, timeoutMs));
    }
    const pause = PAUSES[Math.min(turn, PAUSES.length - 1)] ?? 250;
    await delay(pause, undefined, { signal: context.signal }).catch(() => {});
  }
};

/** Looks once: how many visible elements the target names, and how they were found; null when none. */
export const lookOnce = async (
  context: Where,
  thorough = false,
): Promise<{ text: string; count: number } | null> => {
  const target = parseTarget(context.step.target);
  const seen = await look(context.page, target, "look", thorough);
  return seen.kind === "some" && seen.picks.length > 0
    ? { text: textOf(seen.way, target), count: seen.picks.length }
    : null;
};

/**
 * Goes through the ways in their order. Ways that cannot have the name are left out, unless `thorough`: what
 * rules them out is quick and does not know every way to name an element (text that styles put in).
 */
const look = async (
  root: Root,
  target: Target,
  purpose: Purpose,
  thorough = false,
): Promise<Seen> => {
  const scope = await scopeOf(root, target);
  if (scope.kind === "missing") return { kind: "none", reason: scope.reason };
  let reason: string | undefined;
  let possible: ReadonlySet<string> | null = null;
  for (const [index, way] of waysOf(scope.root, target.find, purpose).entries()) {
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
    if (purpose === "check" && count === 0) {
      // The real checkbox may be hidden behind a drawn one.
      const hidden = await countOf(way.locator);
      if (hidden === 1) return { kind: "some", way, visible: way.locator, picks: [0] };
    }
  }
  return { kind: "none", ...(reason && { reason }) };
};

const NAME_SOURCES: ReadonlySet<string> = new Set<NameSource>([
  ...(["label", "placeholder", "altText", "title", "role"] as const),
]);

/** Where a name like the target's can come from on this page; everywhere when the page does not say. */
const sourcesOf = async (root: Root, { find }: Target): Promise<ReadonlySet<string>> => {
  const name =
    find.by === "kind" ? (find.name ?? find.phrase) : find.by === "name" ? find.name : "";
  const words = (name ?? "").toLowerCase().split(/\s+/);
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), "");
  const subject = "page" in root ? root : root.locator(":root");
  const sources = await subject
    .evaluate(possibleSources, longest, { timeout: 500 })
    .catch(() => null);
  return sources ? new Set<string>(sources) : NAME_SOURCES;
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
    if (strictPicks.length === 1) return { kind: "some", way, visible: strict, picks: strictPicks };
  }
  return { kind: "some", way, visible, picks };
};

type Scope = {
  readonly kind: "scope";
  readonly root: Root;
  /** Which of the matches lie where the target says, by their index. */
  choose(visible: Locator, count: number): Promise<readonly number[]>;
};

const all = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Where the target says that its element is: anywhere, inside of a container, next to something. */
const scopeOf = async (
  root: Root,
  target: Target,
): Promise<Scope | { readonly kind: "missing"; readonly reason: string }> => {
  let scope: Scope = { kind: "scope", root, choose: async (_, count) => all(count) };
  if (target.within) {
    const inside = await containerOf(root, target.within);
    if (!inside)
      return { kind: "missing", reason: `there is no ${describeTarget(target.within)} to look in` };
    scope = inside;
  }
  if (target.near) {
    const anchor = await handleOf(scope.root, target.near);
    if (!anchor) {
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
        return (await closestTo(visible, anchor)).filter((index) => inside.has(index));
      },
    };
  }
  return scope;
};

const containerOf = async (root: Root, container: Target): Promise<Scope | null> => {
  const seen = await look(root, container, "look");
  if (seen.kind === "some" && seen.picks.length === 1) {
    const inner = seen.visible.nth(seen.picks[0] ?? 0);
    return { kind: "scope", root: inner, choose: async (_, count) => all(count) };
  }
  // A section that only its heading names: what stands between this heading and the next one like it.
  const { find } = container;
  if (find.by !== "kind" || find.name === null || !kinds[find.kind].container) return null;
  const title = await handleOf(root, { ...container, find: { ...find, kind: "heading" } });
  if (!title) return null;
  return { kind: "scope", root, choose: (visible) => inSectionOf(visible, title) };
};

/** The first visible element that a target names, now. */
const handleOf = async (root: Root, target: Target): Promise<ElementHandle | null> => {
  const seen = await look(root, target, "look");
  if (seen.kind === "none") return null;
  return seen.visible
    .nth(seen.picks[0] ?? 0)
    .elementHandle({ timeout: 1_000 })
    .catch(() => null);
};

/** How many elements match; none while the page is being replaced. Throws StepError for a selector that is none. */
const countOf = async (locator: Locator): Promise<number> => {
  try {
    return await locator.count();
  } catch (error) {
    const message = plainMessage(error);
    if (/selector|Unexpected token|Unknown engine|xpath|Invalid regular/i.test(message)) {
      throw new StepError(`The selector cannot be read: ${message.split("\n")[0]}`);
    }
    return 0;
  }
};

const textOf = (way: Way, target: Target): string => {
  const parts = [way.text];
  if (target.ordinal)
    parts.push(target.ordinal.at === "last" ? "(last)" : `(number ${target.ordinal.nth})`);
  if (target.within) parts.push(`in ${describeTarget(target.within)}`);
  if (target.near) parts.push(`next to ${describeTarget(target.near)}`);
  return parts.join(" ");
};

const settled = async (
  seen: Extract<Seen, { kind: "some" }>,
  pick: number,
  target: Target,
): Promise<Found> => {
  const single =
    seen.picks.length === 1 && pick === 0 && !target.ordinal && !target.within && !target.near;
  const locator = single ? seen.visible : seen.visible.nth(pick);
  const text = seen.way.text.startsWith("name") ? await roleText(locator, seen.way) : seen.way.text;
  return { locator, text: textOf({ ...seen.way, text }, target) };
};

/** Found by its accessible name whatever its role: says which role it was. */
const roleText = async (locator: Locator, way: Way): Promise<string> => {
  const role = await locator.evaluate(roleOf, undefined, { timeout: 500 }).catch(() => "");
  return role ? `role=${role}[${way.text}]` : way.text;
};

/** `button "Save"`, `"Save"`, `css=#save`: a target in words. */
const describeTarget = ({ find }: Target): string => {
  switch (find.by) {
    case "selector":
      return find.selector;
    case "testId":
      return `test id ${JSON.stringify(find.id)}`;
    case "name":
      return JSON.stringify(find.name);
    case "kind":
      return find.name === null ? find.kind : `${find.kind} ${JSON.stringify(find.name)}`;
  }
};

const several = async (
  context: Where,
  { way, visible, picks }: Extract<Seen, { kind: "some" }>,
): Promise<StepError> => {
  const listed = await Promise.all(
    picks.slice(0, MAX_LISTED).map((pick, index) =>
      visible
        .nth(pick)
        .evaluate(outline, undefined, { timeout: 500 })
        .then((text) => `${index + 1}. ${text}`)
        .catch(() => `${index + 1}. (gone)`),
    ),
  );
  const more = picks.length > MAX_LISTED ? ` and ${picks.length - MAX_LISTED} more` : "";
  context.foundBy(way.text);
  return new StepError(
    `${context.step.target} could be any of ${picks.length} elements (${way.text}): ${listed.join("; ")}${more}. ` +
      'Say which: first, last, 2nd, … in the "…" section, … next to "…".',
    way.text,
  );
};

/** What each purpose and kind would have accepted, as candidates are called. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  action: ["button", "link", "tab", "menu item", "checkbox", "radio button", "switch", "option"],
  fill: ["field", "search field", "number field", "dropdown"],
  select: ["dropdown", "list"],
  check: ["checkbox", "radio button", "switch"],
  look: [],
  button: ["button", "link"],
  link: ["link", "button"],
  field: ["field", "search field", "number field", "dropdown"],
  dropdown: ["dropdown", "list"],
  checkbox: ["checkbox", "switch"],
  radio: ["radio button"],
  heading: ["heading"],
  image: ["image"],
};

const LISTED_AS: Readonly<Record<string, string>> = {
  action: "buttons and links",
  fill: "fields",
  select: "dropdowns",
  check: "checkboxes",
  button: "buttons and links",
  link: "links and buttons",
  field: "fields",
  dropdown: "dropdowns",
  checkbox: "checkboxes",
  radio: "radio buttons",
  heading: "headings",
  image: "images",
};

/** Says that there is no such element, and what there is instead that is most like it. */
export const notFound = async (
  context: Where,
  purpose: Purpose = "look",
  reason?: string,
  waitedMs?: number,
): Promise<string> => {
  const { page, step } = context;
  const target = parseTarget(step.target);
  const { find } = target;
  const waited = waitedMs ? ` within ${inWords(waitedMs)}` : "";
  const parts = [`No visible element ${step.target}${waited}${reason ? `: ${reason}` : ""}.`];

  const url = page.url();
  if (url === "about:blank") {
    parts.push("No page is open yet: the first step should open one.");
    return parts.join(" ");
  }
  const unseen = reason ? 0 : await hiddenMatches(context, target, purpose);
  if (unseen > 0) parts.push("There is one, but it is hidden.");

  const category = find.by === "kind" && WANTED[find.kind] ? find.kind : purpose;
  const wanted = WANTED[category] ?? [];
  const name = "name" in find ? (find.name ?? "") : "";
  const candidates = await candidatesOn(page);
  const nearest = nearestCandidates(candidates, name, wanted);
  if (nearest.length === 0) {
    parts.push(candidates.length === 0 ? `The page ${url} shows nothing.` : `The page is ${url}.`);
    return parts.join(" ");
  }
  const isOneCategory = nearest.every(({ kind }) => wanted.includes(kind));
  const noun = (isOneCategory && LISTED_AS[category]) || "on the page";
  const list = nearest.map((candidate) =>
    isOneCategory ? described(candidate).slice(candidate.kind.length + 1) : described(candidate),
  );
  parts.push(
    `${noun === "on the page" ? "On the page" : `Visible ${noun}`}: ${list.join(", ")}. (${url})`,
  );
  return parts.join(" ");
};

const hiddenMatches = async (
  { page }: Where,
  target: Target,
  purpose: Purpose,
): Promise<number> => {
  if (target.within || target.near) return 0;
  for (const way of waysOf(page, target.find, purpose)) {
    const count = await countOf(way.locator).catch(() => 0);
    if (count > 0) return count;
  }
  return 0;
};
