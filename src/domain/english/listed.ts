import { quote } from "./words.ts";

const WHO = "(?:(?:i|we|you|they|(?:the )?user) )?";
const VERBS =
  "click|clicks|click on|clicks on|tap|tap on|press|tick|ticks|check|checks|untick|uncheck|unticks|unchecks|hover over|double-click|right-click|open|expand|collapse|select";
const KINDS =
  "options|buttons|links|tabs|checkboxes|switches|toggles|icons|rows|items|menu items|sections|radio buttons|fields";
/** `Tick the following checkboxes:`, `Click these in order:` */
const DOING = new RegExp(
  `^${WHO}(${VERBS}) (?:on )?(?:all )?(?:of )?(?:the following|these|each of (?:the following|these))(?: (${KINDS}))?((?: in| on| of| under) (?:the )?"[^"]{1,60}"(?: [a-z]+)?)?(?: (?:in order|in this order|one by one|one after the other|one after another))? ?:$`,
  "i",
);
/** `Open the following pages one after another:` */
const GOING =
  /^(?:open|visit|go to|navigate to|load)(?: all)?(?: of)? (?:the following|these|each of (?:the following|these))(?: (?:pages|urls|addresses|paths|sites|routes))?(?: (?:in order|in this order|one by one|one after the other|one after another))? ?:$/i;
const SHOULD =
  /^(?:it|(?:the|this) (?:page|screen|app|site|dialog|form|user|system|application)) (?:should|must) ?:$/i;

/** What each entry of a list below an instruction stands for; null for an instruction that has no such list. */
export const doneToEach = (text: string): ((entry: string) => string | null) | null => {
  if (GOING.test(text)) {
    return (entry) => (/^(?:\/|https?:\/\/)\S*$/.test(entry) ? `open ${entry}` : null);
  }
  const found = DOING.exec(text);
  if (found) {
    const verb = (found[1] ?? "").toLowerCase();
    const kind = singular((found[2] ?? "").toLowerCase());
    const place = found[3] ?? "";
    // What is checked may be looked at, and what is opened an address.
    if (/^(?:checks?|open|select)$/.test(verb) && kind === "") return null;
    return (entry) => {
      const name = nameIn(entry);
      const said = /^(?:option|item)$/.test(kind) && /^(?:un)?tick/.test(verb) ? "" : kind;
      return name === null ? null : `${verb} the ${name}${said === "" ? "" : ` ${said}`}${place}`;
    };
  }
  if (!SHOULD.test(text)) return null;
  return (entry) => {
    const verb =
      /^(show|display|contain|have|see|hide|not show|not display|not see|not contain)\b/i.exec(
        entry,
      );
    if (!verb) return null;
    const rest = entry.slice(verb[0].length).trim();
    return /^(?:hide|not )/i.test(verb[0]) ? `I should not see ${rest}` : `I should see ${rest}`;
  };
};

const singular = (kind: string): string =>
  kind === "" ? "" : kind.replace(/(x|ch)es$/, "$1").replace(/s$/, "");

/** A name by itself: in quotes, or a few words that can be nothing else. */
const nameIn = (entry: string): string | null => {
  if (/^(?:"[^"]+"|'[^']+'|`[^`]+`|“[^”]+”)$/.test(entry)) return entry;
  if (/^"[^"]+" [a-z]+(?: [a-z]+)?$/.test(entry)) return entry;
  return /^\p{Lu}[\p{L}\d &'-]{0,50}$/u.test(entry) ? quote(entry) : null;
};
