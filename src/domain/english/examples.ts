const VALUE =
  '"[^"]+"|`[^`]+`|“[^”]+”|[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+|\\d[\\d.,]*\\d|\\d|\\p{Lu}[\\p{L}\\d-]*(?: \\p{Lu}[\\p{L}\\d-]*){0,3}';
/** `enter a name (e.g. "Ann")`: the verb, what it is, the text, and what closes it. */
const EXAMPLE = new RegExp(
  `\\b(enters?|types?|inputs?|provides?|specif(?:y|ies)|writes?|fills? in|pastes?|selects?|chooses?|picks?) (?:an?|any|some|your|another) ((?:[a-z-]+ ){0,3}[a-z-]+)(?:,? ?\\(|,? )(?:e\\.g\\.|eg|for example|for instance|such as)[,:]? (${VALUE})\\)?,?(?=$|[\\s.;])`,
  "iu",
);
const QUOTED = /^["`“]/;
/** What says nothing of the field that it is typed into. */
const GENERAL = /^(?:value|text|string|something|word|term|option|one|characters?|data|input)$/;
const EPITHET =
  /^(?:valid|invalid|new|different|unique|short|long|wrong|incorrect|correct|random|other|non-existing|existing|suitable)$/;
const CHOOSING = /^(?:select|choose|pick)/i;
const PLACED = /^,? (?:in|into|to|from|as|for) /i;
const PLACE_BEFORE = /\b(?:in|into|from) (?:the|your) [^.;]{1,60}$/i;

/**
 * `Enter a name, for example "Ann", in the "Name" field` → `Enter "Ann" in the "Name" field`: what is given as an
 * example is typed. Where no field is said, it is what the text is; the same text when there is no such thing.
 */
export const withExamples = (text: string): string => {
  if (!/e\.?g\b|example|instance|such as/.test(text)) return text;
  const found = EXAMPLE.exec(text);
  if (!found) return text;
  const [all, verb = "", kind = "", value = ""] = found;
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + all.length)];
  const said = QUOTED.test(value) ? value : `"${value}"`;
  const isPlaced = PLACED.test(after) || PLACE_BEFORE.test(before);
  const words = kind.split(" ").filter((word) => !EPITHET.test(word));
  const isOpen = before.split('"').length % 2 === 0;
  if (isOpen || (!isPlaced && (CHOOSING.test(verb) || words.length === 0))) return text;
  const isNamed = !isPlaced && !GENERAL.test(words.at(-1) ?? "");
  return `${before}${verb} ${said}${isNamed ? ` as the ${words.join(" ")}` : ""}${after}`;
};
