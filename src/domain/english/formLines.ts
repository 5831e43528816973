import { withoutBullets } from "./bullets.ts";
import { isFieldName } from "./fieldNames.ts";
import { baseOf } from "./inflections.ts";
import { filledWith, pairOf } from "./pairs.ts";

/** `Fill the form: …`, `Set filter (…`: that something is filled in, before what is. */
const LEAD =
  /^(?:(?:then|and|next|now),? )?(?:fill(?: in| out)?|enter|complete|set|provide|input)(?: (?:in|out))?(?: (?:the|a|this|all))?(?: [a-z-]{1,20}){0,2}(?: form| fields?| filters?| details| data| values?| info)?(?: with)?\s?(?::|(?=\())\s*/i;
const PRESSING = /^(?:click|tap|press|hit|submit)$/;

/** Cuts at commas, semicolons, bars and slashes that stand between what is said, and not within a text in quotes. */
const partsIn = (text: string): readonly string[] => {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    const isBehind = /\s/.test(text[at + 1] ?? "");
    const isMark =
      (/[,;]/.test(char) && isBehind) ||
      (/[|/]/.test(char) && isBehind && / /.test(text[at - 1] ?? ""));
    if (!isMark) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  parts.push(text.slice(from));
  return parts
    .map((part) => part.trim().replace(/^(?:and|then|and then) /i, ""))
    .filter((part) => part !== "");
};

const MAX_LENGTH = 400;
const NAMED = /^([\p{L}][\p{L} '-]{0,30}?) ("[^"]+")$/u;

/**
 * `user: sam / pw: x / press "Log in"`, `Fill the form (Name: Ann; City: Bern)`: the sentences that a form in one line
 * stands for; null for any other line.
 */
export const formInLine = (raw: string): readonly string[] | null => {
  if (raw.length > MAX_LENGTH || !/[:=]/.test(raw)) return null;
  let text = withoutBullets(raw.trim()).replace(/\.$/, "");
  const lead = LEAD.exec(text)?.[0] ?? "";
  if (lead !== "") text = text.slice(lead.length);
  let after = "";
  const bracket =
    lead !== "" && text.startsWith("(")
      ? /^\(([^()]+)\)(?:,? ?(?:and|then|and then) (.+))?$/.exec(text)
      : null;
  if (lead !== "" && text.startsWith("(") && !bracket) return null;
  if (bracket) {
    text = bracket[1] ?? "";
    after = bracket[2] ?? "";
  }
  const both = / \(both (dropdown|drop-down|select)s\)$/i.exec(text);
  if (both) text = text.slice(0, both.index);
  const said: string[] = [];
  let pairs = 0;
  let isKnown = lead !== "";
  let isPressed = false;
  for (const part of [...partsIn(text), ...(after === "" ? [] : [after])]) {
    const pair = pairOf(part, false) ?? (said.length > 0 ? namedIn(part) : null);
    if (pair) {
      pairs++;
      isKnown ||= isFieldName(pair.name.replaceAll('"', ""));
      said.push(filledWith(pair.name, both ? `${pair.value} (dropdown)` : pair.value));
      continue;
    }
    const [first = ""] = part.split(/\s+/);
    const isDeed = baseOf(first.toLowerCase()) === first.toLowerCase() && part.includes(" ");
    if (!isDeed && !/^\/\S*$/.test(part)) return null;
    isPressed ||= PRESSING.test(first.toLowerCase());
    said.push(isDeed ? part : `Open ${part}`);
  }
  const isForm = pairs > 1 ? isKnown || isPressed : pairs === 1 && isKnown && isPressed;
  return isForm ? said : null;
};

const namedIn = (part: string): { readonly name: string; readonly value: string } | null => {
  const found = NAMED.exec(part);
  const name = found?.[1] ?? "";
  return found && isFieldName(name) ? { name, value: found[2] ?? "" } : null;
};
