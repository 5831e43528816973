import { randomUUID } from "node:crypto";
import type { CDPSession } from "playwright";
import { ACTED_ON_ROLES, NAMED_ROLES } from "../../domain/catalogue/locate.ts";
import type { Target } from "../../domain/catalogue/target.ts";
import { sessionOf } from "./askPage.ts";
import { inPage, possibleSources } from "./inPage.ts";
import { textOf } from "./targetText.ts";
import { longestWord } from "./unseen.ts";
import { type View, waysOf, wholeName } from "./ways.ts";

/** Where a text is seen: in an element that has no role to be looked for by, or in a heading. */
type Place = "text" | "heading";

/**
 * Where `[source, longest word]` is seen in whole, where that is beyond doubt: the pattern is all that a visible
 * element without any within it says, and nothing else on the page could be called so. null: it must be looked for
 * in every way that there is. What counts as text and as visible is what counts for Playwright; of what is subject to
 * finer rules (names given by attributes, content that styles put in, shadow trees) nothing is said.
 */
const placeOf = inPage<
  (sources: unknown, roles: readonly string[], wanted: readonly [string, string]) => Place | null
>(`(sourcesOf, roles, [source, word]) => {
  const sources = sourcesOf(null, word);
  if (sources.some((from) => from !== "role")) return null;
  const is = new RegExp(source, "i");
  const has = (text) => {
    const said = (text ?? "").toLowerCase();
    return said.includes(word) || (/[\\u00ad\\u200b]/.test(said) && said.replace(/[\\u00ad\\u200b]/g, "").includes(word));
  };
  const isVisible = (element) => {
    const { display, visibility } = getComputedStyle(element);
    if (display === "contents" || visibility !== "visible" || !element.checkVisibility()) return false;
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0;
  };
  const isBare = (element) =>
    ["::before", "::after"].every((part) => ["none", "normal"].includes(getComputedStyle(element, part).content));
  const isLeaf = (element) => element.childElementCount === 0;
  let heading = false;
  if (sources.length > 0) {
    if ([...document.querySelectorAll("input")].some((field) => has(field.value))) return null;
    const named = "[role], a, button, summary, option, h1, h2, h3, h4, h5, h6, td, th, tr, legend, caption, figcaption, svg";
    for (const element of document.querySelectorAll(named)) {
      if (!has(element.textContent)) continue;
      const role = element.getAttribute("role");
      if (role !== null) {
        if (!/^[a-z]+$/.test(role) || roles.includes(role) || !/^(P|DIV|SPAN|MAIN|SECTION|OUTPUT)$/.test(element.nodeName)) return null;
        continue;
      }
      // What has nothing within it is called what it says.
      if (!isLeaf(element) || !isBare(element)) return null;
      if (!is.test(element.textContent)) continue;
      const isSure = /^H[1-6]$/.test(element.nodeName) && isVisible(element) &&
        !element.closest("[aria-hidden], [inert], [role]");
      if (!isSure) return null;
      heading = true;
    }
  }
  if (heading) return "heading";
  const skipped = new Set(["SCRIPT", "NOSCRIPT", "STYLE", "TEMPLATE", "TEXTAREA", "TITLE"]);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    if (!element || !has(node.nodeValue) || skipped.has(element.nodeName)) continue;
    if (isLeaf(element) && is.test(element.textContent) && isVisible(element)) return "text";
  }
  return null;
}`);

const ROLES = JSON.stringify([...ACTED_ON_ROLES, ...NAMED_ROLES]);

/** Where scripts of ours run in a page's document, apart from its own. */
type World = { readonly frameId: string; readonly contextId: number };
const worlds = new WeakMap<CDPSession, World>();

/**
 * How a thing that is merely called something was found, where the page shows that beyond doubt at one look; null where
 * it does not, or cannot be asked so. Playwright first puts scripts of its own into each document that it looks at,
 * which takes as long as a step: a page on which something is only read needs none of them.
 */
export const seenPlainly = async (view: View, target: Target): Promise<string | null> => {
  const { find, ordinal, within, near } = target;
  if (find.by !== "name" || ordinal || within || near || !("context" in view)) return null;
  const session = sessionOf(view);
  if (!session) return null;
  const longest = longestWord(find.name);
  if (longest === "") return null;
  const wanted = JSON.stringify([wholeName(find.name).source, longest]);
  const place = await askApart<Place>(
    session,
    `(${String(placeOf)})(${String(possibleSources)}, ${ROLES}, ${wanted})`,
  );
  if (place === null) return null;
  const whole = waysOf(view, find, "look", view).filter(({ match }) => match === "whole");
  // Those that are acted on come before those that only have a name.
  const way =
    place === "text"
      ? whole.find(({ by }) => by === "text")
      : whole.filter(({ by }) => by === "role")[1];
  return way ? textOf(way, target) : null;
};

/** The value of an expression in the page's document, where its own scripts cannot come between; null when it has none, or the document has just gone. */
const askApart = async <Value>(session: CDPSession, expression: string): Promise<Value | null> => {
  const ask = async (isOurs: string, { contextId }: World): Promise<Value | null> => {
    const params = {
      expression: `${isOurs} ? [${expression}] : []`,
      contextId,
      returnByValue: true,
    };
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", params);
    if (exceptionDetails) return null;
    const [value] = result.value as readonly (Value | null)[];
    if (value === undefined) throw new Error("This is no place of ours.");
    return value;
  };
  const known = worlds.get(session);
  try {
    if (known) return await ask(OURS, known);
  } catch {
    // That document has gone: there is another.
  }
  try {
    return await ask(`(${OURS} = true)`, await openWorld(session, known?.frameId ?? null));
  } catch {
    return null;
  }
};

/** Says so where it is ours: another process counts its contexts anew, and the number may be that of a frame there. */
const OURS = `globalThis[${JSON.stringify(randomUUID())}]`;

const openWorld = async (session: CDPSession, known: string | null): Promise<World> => {
  const frameId = known ?? (await session.send("Page.getFrameTree")).frameTree.frame.id;
  const asked = { frameId, worldName: "runledger" };
  const { executionContextId } = await session.send("Page.createIsolatedWorld", asked);
  const world = { frameId, contextId: executionContextId };
  worlds.set(session, world);
  return world;
};
