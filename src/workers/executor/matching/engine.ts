import { FIND } from "./find.ts";
import { NAMES } from "./names.ts";
import { NEARBY } from "./nearby.ts";
import { PAGE_TEXT } from "./pageText.ts";
import { PAINT } from "./paint.ts";
import { PLACES } from "./places.ts";
import { ROWS } from "./rows.ts";
import { SEEN } from "./seen.ts";
import { TEXTS } from "./texts.ts";

/** The answers of a look in the page, as JSON. */
const ANSWERS = String.raw`
const outlineOf = (element) => {
  const attributes = ["id", "name", "type", "href", "aria-label", "placeholder", "class"].map((name) => [name, element.getAttribute(name)])
    .filter(([, value]) => value).slice(0, 3).map(([name, value]) => " " + name + '="' + value.slice(0, 40) + '"').join("");
  return "<" + element.localName + attributes + ">" + (element.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, 40);
};
const wayOf = ({ element, source, text, rank }, sought) => {
  const { find } = sought;
  if (find.by !== "name" && find.by !== "kind") return find.said;
  const role = roleOf(element);
  const quoted = find.name === null ? "" : JSON.stringify(find.name);
  const is = rank > 0 ? "=" : "~=";
  if (source === "kind") return "role=" + (role || element.localName);
  if (source === "column") return "column" + is + quoted;
  if (source === "content") return "role=" + (role || element.localName) + " containing " + quoted;
  if (source === "text" && !isActedOn(element)) return "text" + (rank > 0 ? "=" : "~=") + find.name;
  if (source === "name" || source === "text" || find.by === "kind") return "role=" + (role || element.localName) + "[name" + is + quoted + "]";
  return source + is + find.name;
};
const fresh = () => { curtain = undefined; styles = new Map(); shown = new Map(); roles = new Map(); named = new Map(); hosts = null; };
const boxIn = (box) => ({ x: Math.round(box.left), y: Math.round(box.top), width: Math.round(box.width), height: Math.round(box.height) });
/* Of several texts the evidence is in the open dialog, a run that equals the text, the shortest run, the first. */
const evidenceOf = (items) => {
  const dialog = openDialog();
  const score = (item) => [dialog && isWithin(item.element, dialog) ? 0 : 1, item.rank > 0 ? 0 : 1, (item.text ?? "").length];
  return items.map((item, at) => ({ item, key: [...score(item), at] })).sort((a, b) => a.key.map((one, n) => one - b.key[n]).find((one) => one !== 0) ?? 0)[0].item;
};
/* The text that a person reads in an element: of a field its value. "tight" is without the gaps that only styles make. */
const saidBy = (element) => {
  const lang = langOf(element);
  if ("value" in element && /^(?:INPUT|TEXTAREA)$/.test(element.nodeName)) return { text: element.value, tight: element.value, source: element.value, lang };
  if (element.nodeName === "SELECT") { const said = [...element.selectedOptions].map(({ label }) => label).join(", "); return { text: said, tight: said, source: said, lang }; }
  const runs = runsOf(element, () => true).map(readable).filter((pieces) => pieces.length > 0);
  letGo();
  const read = (key, gap) => runs.map((pieces) => joined(pieces, key, gap)).join(" ");
  return { text: read("text", " "), tight: read("text", ""), source: read("source", " "), lang };
};
const look = ({ sought, purpose, isThorough }, root) => {
  fresh();
  try { return lookFor(sought, purpose, { isThorough }, root); } finally { letGo(); }
};
const answer = (asked, root) => {
  const seen = look(asked, root);
  if (seen.kind === "none") return { kind: "none", reason: seen.reason ?? null, isUnclear: seen.isUnclear === true };
  const { items, notes } = seen;
  const first = asked.purpose === "claim" ? evidenceOf(items) : items[0];
  const table = asked.sought.find.kind === "row" && !asked.sought.ordinal ? tableOf(first.element) : null;
  const isCounted = asked.sought.find.by === "kind" && asked.sought.find.name === null && !asked.sought.ordinal;
  const listed = isCounted ? virtualSize(items.map(({ element }) => element)) : null;
  const virtual = listed ?? (asked.sought.find.name === null && table ? virtualCount(table) : null);
  const held = listed === null ? "the grid says that it has " + virtual + " rows" : "the list says that it has " + virtual + " items";
  const isOne = asked.purpose === "claim" || items.length === 1;
  return {
    kind: "some", count: virtual ?? items.length, isPart: first.rank === 0, way: wayOf(first, asked.sought),
    notes: virtual === null ? notes : [...notes, held + " and draws " + items.length],
    box: boxIn(first.box ?? clipped(first.element, first.element.getBoundingClientRect())),
    ...(asked.purpose === "read" && items.length === 1 && { said: saidBy(first.element) }),
    outlines: isOne ? [] : items.slice(0, 6).map(({ element }) => outlineOf(element)),
  };
};
/* Drawn to be waited for: called a spinner, loader or skeleton, and moving without an end. */
const SPINS = "[class*=spinner i], [class*=loader i], [class*=loading i], [class*=skeleton i]";
const isSpinning = (element) => element.getAnimations({ subtree: true }).some((one) => one.playState === "running" && one.effect?.getTiming().iterations === Infinity);
/* A text that says no more than that the page is at work. */
const WAITING = /^\s*(?:loading|please wait|wird geladen|bitte warten|chargement|veuillez patienter|cargando|caricamento|carregando)[^\n]{0,20}(?:\.{3}|\u2026)\s*$/i;
const isToldToWait = () => {
  const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (WAITING.test(node.data) && isVisible(node.parentElement)) return true;
  return false;
};
/* An animation that ends soon may bring about what is not seen yet. */
const isMoving = () => document.getAnimations().some((one) => {
  const { endTime } = one.effect?.getComputedTiming() ?? {};
  return one.playState === "running" && endTime - one.currentTime < 5000;
});
/* A mark that two frames at rest share; a spinner says that the page is at work. */
const restOf = () => {
  fresh();
  const spinners = inTree(document, "[aria-busy=true], progress:not([value]), [role=progressbar]:not([aria-valuenow]), .spinner");
  const moving = inTree(document, SPINS).filter(isSpinning);
  const sizes = [document, ...allHosts().map((host) => host.shadowRoot)].map((root) => root.querySelectorAll("*").length + ":" + (root.textContent ?? root.body?.innerText ?? "").length);
  return { isBusy: [...spinners, ...moving].some((one) => isVisible(one)) || isMoving() || isToldToWait(), mark: sizes.join() + "/" + (document.body?.textContent.length ?? 0) };
};
const compare = ({ text, wanted, match, lang }) => rangeIn(text, wanted, match, lang) !== null;
`;

const BODY = [TEXTS, SEEN, PAINT, PAGE_TEXT, NAMES, ROWS, PLACES, FIND, NEARBY, ANSWERS].join("\n");

/** The engine as an expression for the page: an object of its functions. */
export const ENGINE = `(() => {${BODY}
return { look, answer, nearby, restOf, compare, norm, langOf, tokensOf, wordsIn, rangeIn, rankOf, isVisible, isReached, openDialog, outlineOf, roleOf, namesOf, isWithin, fresh };
})()`;
