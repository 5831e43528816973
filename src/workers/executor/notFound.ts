import type { KindName } from "../../domain/catalogue/kinds.ts";
import { type Finder, parseTarget, type Target } from "../../domain/catalogue/target.ts";
import { likeness } from "../../domain/healing/score.ts";
import { described, nearestCandidates } from "./candidates.ts";
import { StepError } from "./errors.ts";
import { frameWith } from "./framed.ts";
import type { Seen } from "./look.ts";
import { askNearby, type Nearby, type View } from "./matching/ask.ts";
import { type Purpose, soughtOf } from "./matching/sought.ts";
import { ERROR_PAGE, isErrorPage } from "./nothingToLookAt.ts";
import type { StepContext } from "./steps/context.ts";
import { inWords, quoted } from "./steps/polling.ts";

/** The parts of a step that a look at the page needs. */
export type Where = Pick<
  StepContext,
  "page" | "view" | "stage" | "step" | "signal" | "requestsInFlight" | "foundBy" | "noted" | "sawAt"
>;

/** The error of a target that several elements answer to: what they are, and how to say which. */
export const several = (
  context: Where,
  { text, count, outlines }: Extract<Seen, { kind: "some" }>,
): StepError => {
  const listed = outlines.map((one, index) => `${index + 1}. ${one}`).join("; ");
  const more = count > outlines.length ? ` and ${count - outlines.length} more` : "";
  context.foundBy(text);
  return new StepError(
    `${context.step.target} could be any of ${count} elements (${text}): ${listed}${more}. ` +
      'Say which: first, last, 2nd, any, … in the "…" section, … next to "…".',
    text,
  );
};

/** The candidates that each purpose and kind accepts. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  action: ["button", "link", "tab", "menu item", "checkbox", "radio button", "switch", "option"],
  fill: ["field", "dropdown"],
  select: ["dropdown"],
  check: ["checkbox", "radio button", "switch"],
  file: ["field", "button"],
  look: [],
  button: ["button", "link"],
  link: ["link", "button"],
  field: ["field", "dropdown"],
  dropdown: ["dropdown"],
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
  reason?: string | null,
  waitedMs?: number,
): Promise<string> => {
  const { page, view, step } = context;
  const target = parseTarget(step.target);
  const waited = waitedMs ? ` within ${inWords(waitedMs)}` : "";
  const parts = [`No visible element ${step.target}${waited}${reason ? `: ${reason}` : ""}.`];

  const url = page.url();
  if (context.stage.isUnopened()) {
    parts.push("No page is open yet: the first step should open one.");
    return parts.join(" ");
  }
  if (isErrorPage(view)) return [...parts, ERROR_PAGE].join(" ");
  const frame = await frameWith(view, step.target);
  if (frame !== null) {
    parts.push(`It is in the frame ${quoted(frame)}: a step before this one should switch to it.`);
    return parts.join(" ");
  }
  const nearby = await askNearby(view, { sought: soughtOf(target, purpose), purpose });
  if (!reason && (nearby.isHidden || (await isHiddenSelector(view, target))))
    parts.push("There is one, but it is hidden.");
  else if (!reason && nearby.isUnread)
    parts.push("There is one, but nobody can read it: it is covered, cut off or without contrast.");
  parts.push(...instead(target.find, purpose, nearby, url));
  return parts.join(" ");
};

/** The elements that are there instead of the target, the nearest first, and how to write them. */
const instead = (
  find: Finder,
  purpose: Purpose,
  { things, nameless, dialog }: Nearby,
  url: string,
): string[] => {
  const category = find.by === "kind" && WANTED[find.kind] ? find.kind : purpose;
  const wanted = WANTED[category] ?? [];
  const name = "name" in find ? (find.name ?? "") : "";
  const nearest = nearestCandidates(things, name, wanted);
  const same = nearest.filter((one) => one.kind !== "text" && likeness(one.name, name) === 1);
  const parts = [];
  if (dialog !== null) parts.push(`A dialog is open${dialog && ` (${quoted(dialog)})`}.`);
  if (find.by === "kind" && same[0] && !kindsOf(find.kind).includes(same[0].kind)) {
    parts.push(`Of that name there is: ${described(same[0])}. Write that if you mean it.`);
  }
  if (nearest.length === 0) {
    parts.push(things.length === 0 ? `The page ${url} shows nothing.` : `The page is ${url}.`);
  } else {
    const isOneCategory = nearest.every(({ kind }) => wanted.includes(kind));
    const noun = (isOneCategory && LISTED_AS[category]) || null;
    const list = nearest.map((candidate) =>
      isOneCategory ? described(candidate).slice(candidate.kind.length + 1) : described(candidate),
    );
    parts.push(`${noun ? `Visible ${noun}` : "On the page"}: ${list.join(", ")}. (${url})`);
  }
  const others = nameless.map(({ kind, hint }) => `${kind}: ${hint}`).join("; ");
  if (others !== "" && same.length === 0) parts.push(`Without a name: ${others}.`);
  return parts;
};

/** The names of kinds in messages. */
const kindsOf = (kind: KindName): readonly string[] =>
  WANTED[kind] ?? [kind === "menuitem" ? "menu item" : kind];

/** Whether the page has what a selector finds and does not show it. */
const isHiddenSelector = async (view: View, { find, within, near }: Target): Promise<boolean> => {
  if (within || near || find.by !== "selector") return false;
  return (
    (await view
      .locator(find.selector)
      .count()
      .catch(() => 0)) > 0
  );
};
