import type { Line } from "./line.ts";

const titleOf = (text: string): string =>
  text
    .replace(/^[#*_>\s]+/, "")
    .replace(/ ?\((?:please complete|optional|if applicable)[^()]*\)/i, "")
    .replace(/[*_:\s]+$/, "")
    .toLowerCase();

const SURROUNDINGS =
  /^(?:(?:your |test |testing )?environment(?: (?:details|info|information))?|(?:system|device|browser|platform|app|version|versions?) (?:info|information|details)|desktop|smartphone|versions?|tested (?:on|in|with)|specs)$/;
const NARRATED =
  /^(?:describe the (?:bug|issue|problem)|(?:bug|issue|problem) description|what went wrong|additional (?:context|information|info|notes?|details|comments?)|screenshots?(?:(?: |\/)(?:and |or |& )?(?:videos?|recordings?|logs?))?|(?:screen )?recordings?|videos?|logs?|(?:relevant )?(?:log|console) output|console logs?|(?:possible|suggested|proposed) (?:solution|fix)|workarounds?|root cause|impact)$/;
/** What they begin with. */
const BEGIN =
  /^[*_#>\s]*(?:your|test|environment|system|device|browser|platform|app|version|desktop|smartphone|specs|describe|bug|issue|problem|what|additional|screen|recording|video|log|relevant|console|possible|suggested|proposed|workaround|root|impact)/i;

/** Whether a line is a heading above what tells where a test was run. */
export const isSurroundings = (text: string): boolean => SURROUNDINGS.test(titleOf(text));

/** A heading of a bug report above what only tells of it; null for any other line. */
export const aroundSection = (text: string): Line | null => {
  if (text.length > 80 || text.includes('"') || !BEGIN.test(text) || !/[:*_#]/.test(text))
    return null;
  const title = titleOf(text);
  if (SURROUNDINGS.test(title)) return { kind: "section", mood: null, isActual: false };
  return NARRATED.test(title) ? { kind: "section", mood: null, isActual: true } : null;
};
