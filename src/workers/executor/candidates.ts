import { likeness } from "../../domain/healing/score.ts";
import type { View } from "./matching/ask.ts";

/** Something a person could have meant: its kind in plain words and its accessible name. */
export type Candidate = { readonly kind: string; readonly name: string };

/** What the roles are called by people. */
const KINDS: Readonly<Record<string, string>> = {
  button: "button",
  link: "link",
  textbox: "field",
  searchbox: "search field",
  combobox: "dropdown",
  listbox: "list",
  checkbox: "checkbox",
  radio: "radio button",
  switch: "switch",
  slider: "slider",
  spinbutton: "number field",
  tab: "tab",
  menuitem: "menu item",
  option: "option",
  heading: "heading",
  img: "image",
  dialog: "dialog",
  alert: "alert",
  status: "status",
};

const SNAPSHOT_TIMEOUT_MS = 1_500;
const MAX_SHOWN = 8;
/** So much of a name is compared. */
const MAX_COMPARED = 200;

/**
 * What is on the page, as assistive technology sees it: one entry for each named control, heading or
 * image, `text` for the rest. Empty when the page does not answer.
 */
export const candidatesOn = async (view: View): Promise<Candidate[]> => {
  const snapshot = await view
    .locator("body")
    .ariaSnapshot({ timeout: SNAPSHOT_TIMEOUT_MS })
    .catch(() => "");
  return parseSnapshot(snapshot);
};

/** Reads Playwright's aria snapshot: lines such as `- button "Save" [disabled]` and `- text: Total 3`. */
export const parseSnapshot = (snapshot: string): Candidate[] => {
  const candidates: Candidate[] = [];
  for (const line of snapshot.split("\n")) {
    const named = /^\s*- '?(\w+) ("(?:[^"\\]|\\.)*")/.exec(line);
    if (named) {
      const kind = KINDS[named[1] ?? ""];
      const name = unquote(named[2] ?? "");
      if (kind && name) candidates.push({ kind, name });
      continue;
    }
    const text = /^\s*- (?:text|paragraph|strong|emphasis|listitem|status|alert): "?(.+?)"?$/.exec(
      line,
    );
    if (text?.[1]) candidates.push({ kind: "text", name: text[1] });
  }
  return candidates;
};

const unquote = (text: string): string => {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
};

/** `field "Email"` for one candidate, long names cut. */
export const described = ({ kind, name }: Candidate): string => {
  const short = name.length > 60 ? `${name.slice(0, 59)}…` : name;
  return `${kind} ${JSON.stringify(short)}`;
};

/**
 * The candidates most like a name, those of the wanted kinds first, at most eight. With nothing alike
 * the first ones on the page are shown: they tell which page it is.
 */
export const nearestCandidates = (
  candidates: readonly Candidate[],
  name: string,
  wantedKinds: readonly string[],
): Candidate[] => {
  const seen = new Set<string>();
  const distinct = candidates.filter((candidate) => {
    const key = described(candidate);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const ranked = distinct
    .map((candidate, index) => ({
      candidate,
      index,
      wanted: wantedKinds.length === 0 || wantedKinds.includes(candidate.kind),
      score: likeness(candidate.name.slice(0, MAX_COMPARED), name),
    }))
    // Ordinary text is shown only when it is like what was looked for.
    .filter(({ candidate, wanted, score }) =>
      candidate.kind === "text" || !wanted ? score >= 0.3 : true,
    )
    .sort((a, b) => rank(b) - rank(a) || a.index - b.index);
  // With one alike among what could be meant, nothing else needs to be said.
  const isFound = ranked.some(({ wanted, score }) => wanted && score >= 0.3);
  return ranked
    .filter(({ wanted }) => wanted || !isFound || wantedKinds.length === 0)
    .slice(0, MAX_SHOWN)
    .map(({ candidate }) => candidate);
};

const rank = ({ score, wanted }: { score: number; wanted: boolean }): number =>
  (score >= 0.3 ? score : 0) + (wanted ? 0.2 : 0);
