import { parseTarget, type Target } from "../../domain/catalogue/target.ts";
import { candidatesOn, described, nearestCandidates } from "./candidates.ts";
import { StepError } from "./errors.ts";
import type { Seen } from "./look.ts";
import type { Purpose } from "./matching/sought.ts";
import { ERROR_PAGE, isErrorPage } from "./nothingToLookAt.ts";
import type { StepContext } from "./steps/context.ts";
import { inWords } from "./steps/polling.ts";

/** What a look at the page needs to know of the step. */
export type Where = Pick<
  StepContext,
  "page" | "view" | "stage" | "step" | "signal" | "foundBy" | "noted" | "sawAt"
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
  reason?: string | null,
  waitedMs?: number,
): Promise<string> => {
  const { page, view, step } = context;
  const target = parseTarget(step.target);
  const { find } = target;
  const waited = waitedMs ? ` within ${inWords(waitedMs)}` : "";
  const parts = [`No visible element ${step.target}${waited}${reason ? `: ${reason}` : ""}.`];

  const url = page.url();
  if (context.stage.isUnopened()) {
    parts.push("No page is open yet: the first step should open one.");
    return parts.join(" ");
  }
  if (isErrorPage(view)) return [...parts, ERROR_PAGE].join(" ");
  if (!reason && (await isHiddenThere(context, target)))
    parts.push("There is one, but it is hidden.");

  const category = find.by === "kind" && WANTED[find.kind] ? find.kind : purpose;
  const wanted = WANTED[category] ?? [];
  const name = "name" in find ? (find.name ?? "") : "";
  const candidates = await candidatesOn(view);
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

/** Whether the page has it and does not show it. */
const isHiddenThere = async ({ view }: Where, target: Target): Promise<boolean> => {
  const { find } = target;
  if (target.within || target.near || find.by === "testId") return false;
  const hidden =
    find.by === "selector"
      ? view.locator(find.selector)
      : view.getByText(find.name ?? "no name", { exact: true });
  return (await hidden.count().catch(() => 0)) > 0;
};
