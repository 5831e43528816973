import { findKind } from "../catalogue/kinds.ts";
import { parseTarget } from "../catalogue/target.ts";
import { ordinalOf } from "../catalogue/targetParts.ts";
import type { Clause } from "./clauses.ts";
import type { Draft } from "./formTables.ts";
import { HARD_CONNECTORS, SUBJECTS, withoutAdverb, word } from "./phrases.ts";
import type { Read } from "./variants.ts";
import { quote, quoteLiteral, type Token } from "./words.ts";

const TYPING = /^(?:type|types|enter|enters|input|write|put|insert|paste)$/;
/** The name without its quotes where it is read as one. */
const nameOf = ({ text }: Token): string => {
  const { find } = parseTarget(text);
  return find.by === "name" && find.name === text ? text : quote(text);
};

const FROM = /^(?:from|in|on|for|of|as|with|to)$/;
const CHOOSING = /^(?:select|selects|choose|chooses|pick|picks)$/;

/** What leaves one where something is typed or chosen. */
const SETTLED = new Set(["click", "clear", "focus", "right_click"]);

/** `Clear the "Name" field and enter "Bob"`, `Open the "Size" dropdown and choose "L"`: where was just said. */
export const typedIntoTheSame = (clause: Clause, draft: Draft): Read | null => {
  if (clause.tokens.length > 8 || !SETTLED.has(draft.action)) return null;
  const all = withoutAdverb(clause.tokens);
  const [verb, ...rest] = withoutThere(all);
  const named = word(rest[0]) === "the" ? rest.slice(word(rest[1]) === "text" ? 2 : 1) : rest;
  const [text] = named;
  if (
    CHOOSING.test(word(verb)) &&
    draft.action === "click" &&
    named.length > 0 &&
    named.length < 5
  ) {
    const isBare =
      named.every((token) => token.kind === "word") && /^[\p{Lu}\d]/u.test(text?.text ?? "");
    const bare = isBare && findKind(word(named.at(-1))) === null;
    if (bare && text && !named.some((token) => FROM.test(word(token)))) {
      const said = { ...text, text: named.map((token) => token.text).join(" ") };
      return chosenInTheSame(draft, said);
    }
  }
  const isSlow = named.length === 2 && word(named[1]) === "slowly";
  const isFigure = text?.kind === "word" && /^\S*\d\S*$/.test(text.text);
  if (TYPING.test(word(verb)) && text && (isSlow || named.length === 1) && (isFigure || isSlow)) {
    const { find } = parseTarget(draft.target ?? "");
    const isField = find.by === "kind" && find.kind === "field";
    const isSaid = isFigure || text.kind === "quoted";
    const isEmptied =
      draft.action === "clear" || (isField && /^(?:click|focus)$/.test(draft.action));
    if (!isSaid || !isEmptied) return null;
    const action = isSlow ? "type" : "fill";
    return {
      kind: "step",
      draft: { action, target: draft.target ?? "", value: text.text },
      lead: [],
      times: 1,
    };
  }
  const isTitle = named.length === 1 && /^\p{Lu}\p{L}+$/u.test(text?.text ?? "");
  if (CHOOSING.test(word(verb)) && draft.action === "right_click" && isTitle && text) {
    return { kind: "step", draft: { action: "click", target: text.text }, lead: [], times: 1 };
  }
  if (named.length !== 1 || text?.kind !== "quoted") return null;
  if (CHOOSING.test(word(verb)) && opensMenu(draft)) {
    return { kind: "step", draft: { action: "click", target: nameOf(text) }, lead: [], times: 1 };
  }
  if (CHOOSING.test(word(verb)) && draft.action === "click") return chosenInTheSame(draft, text);
  if (!TYPING.test(word(verb))) return null;
  if (!["clear", "click", "focus"].includes(draft.action)) return null;
  const { find } = parseTarget(draft.target ?? "");
  if (draft.action !== "clear" && (find.by !== "kind" || !/^(?:field|box)$/.test(find.kind)))
    return null;
  const filled: Draft = { action: "fill", target: draft.target ?? "", value: text.text };
  return { kind: "step", draft: filled, lead: [], times: 1 };
};

/** `… and select "German" there`, `… from the list`: where was just said. */
const withoutThere = (tokens: readonly Token[]): readonly Token[] => {
  const last = word(tokens.at(-1));
  if (last === "instead" || last === "there") return tokens.slice(0, -1);
  const isChosen = tokens.length > 4 && CHOOSING.test(word(tokens[0]));
  if (last !== "it" && !isChosen) return tokens;
  const said = tokens.slice(-3).map(word).join(" ");
  if (tokens.length > 3 && last === "it") {
    if (said === "out of it") return tokens.slice(0, -3);
    if (/^(?:from|in|into|inside|within)$/.test(word(tokens.at(-2)))) return tokens.slice(0, -2);
  }
  return isChosen && FROM_THERE.test(said) ? tokens.slice(0, -3) : tokens;
};

const FROM_THERE = /^(?:from|in) (?:the|that) (?:list|dropdown|drop-down|options|menu)$/;

/** What is chosen from a menu is clicked. */
const opensMenu = (draft: Draft): boolean => {
  if (draft.action === "right_click") return true;
  const { find } = parseTarget(draft.target ?? "");
  return draft.action === "click" && find.by === "kind" && find.kind === "menu";
};

const chosenInTheSame = (draft: Draft, { text }: Token): Read | null => {
  const { find } = parseTarget(draft.target ?? "");
  if (find.by !== "kind" || (find.kind !== "dropdown" && find.kind !== "list")) return null;
  const chosen: Draft = { action: "select", target: draft.target ?? "", value: text };
  return { kind: "step", draft: chosen, lead: [], times: 1 };
};

const DOING =
  /^(?:click|clicks|tap|press|push|hit|hover|hovers|double-click|right-click|clear|tick|check|untick|uncheck|type|types|enter|enters|fill|select|choose|pick|drag|scroll|focus|submit|wait|repeat|repeats|retype|re-enter|paste|open|expand|close)$/;
const CLAIMED = /^(?:should|is|must|has|shows|contains|reads|says|becomes|turns)$/;

/** What stands for something that was named before: one of these is in all that is read so. */
const MEANT = new Set(["it", "its", "it's", "it’s", "one", "again"]);

/**
 * `… is enabled, then click it`: what the clause before was about. `repeat it in "B"`: the text that was
 * typed there. Null when no such word stands in the clause.
 */
export const withPronoun = (all: readonly Token[], draft: Draft, source: string): string | null => {
  if (!all.some((token) => MEANT.has(word(token)))) return null;
  const claimed = claimedOfIt(all, draft, source);
  if (claimed !== null) return claimed;
  const start = all.findIndex((token) => !HARD_CONNECTORS.has(word(token)));
  const tokens = withoutAdverb(
    SUBJECTS.has(word(all[start])) ? all.slice(start + 1) : all.slice(start),
  );
  const first = tokens[0];
  const its = tokens.findIndex((token) => word(token) === "its");
  if (its > 0 && first && draft.target && DOING.test(word(first)) && its + 1 < tokens.length) {
    const owned = word(tokens[its + 1]);
    if (its + 2 === tokens.length && draft.target.startsWith(`${owned} "`)) {
      // `Find the row "Ann" and click "Edit" in its row`: that one, not one in it.
      return `${source.slice(first.start, tokens[its - 1]?.end)} the ${draft.target}`;
    }
    // `hover the 2nd card and click its "Edit" button`
    const said = `${source.slice(tokens[its + 1]?.start, tokens.at(-1)?.end)} in the ${draft.target}`;
    return parseTarget(said).within === null
      ? null
      : `${source.slice(first.start, tokens[its - 1]?.end)} the ${said}`;
  }
  // `Enter "A" in Password and again in Confirm password`
  const again = all.findIndex((token) => word(token) === "again");
  const into = all[again + 1];
  const isAgain = again >= 0 && again <= 1 && into && /^(?:in|into)$/.test(word(into));
  if (isAgain && draft.value && TYPED.has(draft.action)) {
    return `type ${quote(draft.value)} ${source.slice(into.start, all.at(-1)?.end)}`;
  }
  const one = oneOf(tokens, draft, source);
  if (one !== null) return one;
  const at = tokens.findIndex((token) => word(token) === "it");
  if (at < 0 || !first) return null;
  const verb = word(first);
  const rest = tokens[at + 1];
  const after = rest ? ` ${source.slice(rest.start, tokens.at(-1)?.end)}` : "";
  // `Tick "A" and it becomes enabled`: not what was ticked, but what was spoken of before.
  const isOther =
    /^(?:un)?check$/.test(draft.action) && /^(?:en|dis)abled$/.test(word(tokens.at(-1)));
  const isSubject = at === 0 && CLAIMED.test(word(rest)) && !isOther;
  if (draft.target && isSubject) return `${quoteLiteral(draft.target)}${after}`;
  if (!DOING.test(verb) || at === 0) return null;
  if (
    at === 1 &&
    draft.value &&
    /^(?:in|into|again)$/.test(word(rest)) &&
    TYPED.has(draft.action)
  ) {
    const place = after.replace(/^ again/, "");
    return `type ${quote(draft.value)}${place}`;
  }
  if (!draft.target) return null;
  const before = source.slice(first.start, tokens[at - 1]?.end);
  return `${before} ${quoteLiteral(draft.target)}${after}`;
};

const CLAIMING = /^(?:verify|check|ensure|confirm|assert|expect|see|make)$/;

/** `… and check that it's off`, `… and expect it to contain "2"`: what the clause before was done to. */
const claimedOfIt = (all: readonly Token[], draft: Draft, source: string): string | null => {
  if (!draft.target || !CLAIMING.test(word(all[0]))) return null;
  let at = word(all[0]) === "make" && word(all[1]) === "sure" ? 2 : 1;
  if (/^(?:that|if|whether)$/.test(word(all[at]))) at++;
  const it = word(all[at]);
  const rest = all[at + 1];
  if (!/^it(?:['’]s)?$/.test(it) || !rest) return null;
  const before = source.slice(all[0]?.start, all[at - 1]?.end);
  const after = source.slice(rest.start, all.at(-1)?.end);
  return `${before} ${quoteLiteral(draft.target)} ${it === "it" ? "" : "is "}${after}`;
};

const TYPED = new Set(["fill", "type"]);

/** `click the first one`, of what was just counted or looked at; null for others. */
const oneOf = (tokens: readonly Token[], draft: Draft, source: string): string | null => {
  const at = tokens.findIndex((token) => word(token) === "one");
  const ordinal = tokens[at - 1];
  const verb = tokens[0];
  if (at < 2 || at !== tokens.length - 1 || !ordinal || !verb || ordinalOf(ordinal) === null)
    return null;
  const target = parseTarget(draft.target ?? "");
  const { find } = target;
  if (!draft.action.startsWith("assert_") || target.ordinal !== null || find.by !== "kind")
    return null;
  if (!DOING.test(word(verb))) return null;
  return `${source.slice(verb.start, tokens[at - 2]?.end)} ${ordinal.text} ${singular(draft.target ?? "", find.name)}`;
};

/** `"Remove" buttons` → `"Remove" button`. */
const singular = (target: string, name: string | null): string =>
  name === null ? target : target.replace(/^("[^"]*" \w+?)s\b/, "$1");
