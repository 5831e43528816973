import type { SeenBox } from "../../../domain/runs/executions/stepEvidence.ts";
import { verdictOf } from "../../../domain/runs/reservations.ts";
import { escapeHtml } from "../../../platform/mail/template.ts";
import { errorText, seconds, verdict } from "./pageParts.ts";
import type { PagePictures } from "./pictures.ts";
import type { ShownStep, ShownTest, StepPicture } from "./steps.ts";

type Attempt = ShownTest["attempts"][number];
type InBrowser = Attempt["browsers"][number];

/** The context in which steps are rendered. */
type Around = {
  readonly name: string;
  /** The prefix of step anchors. */
  readonly at: string;
  readonly pictures: PagePictures;
  /** The prefix of API paths, empty if the base address is unknown. */
  readonly base: string;
};

/** Renders a test's steps, one section per attempt and browser. Failed sections are open. */
export const stepsOf = (
  { test, notKept, isCutOff, attempts }: ShownTest,
  pictures: PagePictures,
  base: string,
): string => {
  const parts = attempts.flatMap((attempt) => {
    const said = attempts.length > 1 ? `Attempt ${attempt.number} of ${attempts.length}` : "Steps";
    return attempt.browsers.length === 0
      ? [attempt.error === null ? "" : part(said, attempt, "")]
      : attempt.browsers.map((one) => {
          const at = anchorOf(test.execution_id, attempt, one);
          const steps = listOf(one, { name: test.name, at, pictures, base });
          return part(`${said}, ${browserOf(one)}`, { ...one, status: statusOf(one) }, steps);
        });
  });
  const isSaid = attempts.some(
    ({ error, browsers }) => error !== null || browsers.some((one) => one.error !== null),
  );
  return [
    isSaid ? "" : errorText(test.error),
    notKept === null ? "" : `<p>${escapeHtml(notKept)}</p>`,
    isCutOff ? "<p>Its steps are left out: this page has no room for so many.</p>" : "",
    ...parts,
  ]
    .filter((text) => text !== "")
    .join("\n");
};

/** A link to the first failed step of the last attempt, empty if there is none. */
export const endingOf = ({ test, attempts }: ShownTest): string => {
  const last = attempts.at(-1);
  for (const browser of last?.browsers ?? []) {
    const step = browser.steps.find(({ status }) => status === "failed");
    if (!last || !step) continue;
    const anchor = `${anchorOf(test.execution_id, last, browser)}-${step.number}`;
    return `<p>It failed at <a href="#${escapeHtml(anchor)}">step ${step.number}: ${escapeHtml(step.description)}</a></p>`;
  }
  return "";
};

/** The status of a browser with its reservations. */
const statusOf = ({ status, steps }: InBrowser): string =>
  verdictOf(status, {
    gaps: steps.filter(({ reason }) => reason !== null).length,
    healed: steps.filter(({ healed_target }) => healed_target !== null).length,
  }) ?? status;

const anchorOf = (
  executionId: string,
  { number }: Pick<Attempt, "number">,
  { browser }: Pick<InBrowser, "browser">,
): string => `${executionId}-${number}-${browser}`;

const browserOf = ({ browser, browser_version }: InBrowser): string =>
  `${browser} ${browser_version}`.trim();

const part = (
  said: string,
  { status, duration_ms, error }: Pick<Attempt, "status" | "duration_ms" | "error">,
  steps: string,
): string =>
  `<details${status === "passed" ? "" : " open"}><summary>${escapeHtml(said)}: ${verdict(status)} ${took(duration_ms)}</summary>${steps.includes("<pre") ? "" : errorText(error)}${steps}</details>`;

const listOf = ({ steps }: InBrowser, around: Around): string =>
  steps.length === 0
    ? ""
    : `<ol class="steps">${steps.map((step) => `<li id="${escapeHtml(around.at)}-${step.number}">${stepOf(step, around)}</li>`).join("\n")}</ol>`;

const stepOf = (step: ShownStep, around: Around): string => {
  const { number, description, status, duration_ms, error, compared, missing, pictures } = step;
  const { reason, healed_target, notes, page_problems } = step;
  const said = status === "passed" && healed_target !== null ? "healed" : status;
  const line = `${number}. ${escapeHtml(description)} ${verdict(said)} ${took(duration_ms)}`;
  const isPlain =
    [error, compared, missing, reason, healed_target].every((one) => one === null) &&
    notes.length === 0;
  if (isPlain && pictures.length === 0) return `<p>${line}</p>`;
  const isDifferent = pictures.some(({ what }) => what === "difference");
  const isOpen = status === "failed" || isDifferent || missing !== null || reason !== null;
  const inside = [
    errorText(error),
    reason === null ? "" : `<p>Skipped: ${escapeHtml(reason)}</p>`,
    healed_target === null ? "" : `<p>Went on with ${escapeHtml(healed_target)}.</p>`,
    bulletsOf("Notes", notes),
    page_problems === null ? "" : problemsOf(page_problems),
    compared === null ? "" : `<p>${escapeHtml(compared)}</p>`,
    missing === null ? "" : `<p>There is no picture of this step. ${escapeHtml(missing)}</p>`,
    ...pictures.map((picture) => pictureOf(picture, step, around)),
  ];
  return `<details${isOpen ? " open" : ""}><summary>${line}</summary>${inside.join("")}</details>`;
};

const pictureOf = (
  { what, key, path }: StepPicture,
  { number, evidence }: ShownStep,
  { name, pictures, base }: Around,
): string => {
  const said = what === "page" ? "The page" : "Difference from the baseline";
  const of = `at step ${number} of ${name}`;
  const address = pictures.data.get(key);
  if (address === null) return `<p>${said} ${escapeHtml(of)}: the picture is gone.</p>`;
  if (address === undefined) {
    return `<p><a href="${escapeHtml(base + path)}">${said} ${escapeHtml(of)}</a> (left out: this page is full)</p>`;
  }
  const frame = what === "page" && evidence !== null ? frameOf(evidence) : "";
  const caption = frame === "" ? said : `${said}, with the element that the step is about`;
  return `<figure><div class="shot"><img src="${escapeHtml(address)}" alt="${said} ${escapeHtml(of)}">${frame}</div><figcaption>${caption}</figcaption></figure>`;
};

/** A frame over the picture, in percent of its size: the picture itself stays as it was taken. */
const frameOf = ({ x, y, width, height, viewport }: SeenBox): string => {
  const percent = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(3)}%`;
  const place = [
    `left:${percent(x, viewport.width)}`,
    `top:${percent(y, viewport.height)}`,
    `width:${percent(width, viewport.width)}`,
    `height:${percent(height, viewport.height)}`,
  ];
  return `<span class="seen" style="${place.join(";")}"></span>`;
};

const bulletsOf = (title: string, lines: readonly string[]): string =>
  lines.length === 0
    ? ""
    : `<p>${escapeHtml(title)}</p><ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("")}</ul>`;

const problemsOf = (problems: NonNullable<ShownStep["page_problems"]>): string => {
  const requests = problems.requests.map(
    ({ method, url, status, error }) => `${method} ${url}: ${status ?? error ?? "failed"}`,
  );
  const more = problems.more;
  return [
    bulletsOf("Uncaught exceptions", problems.exceptions),
    bulletsOf("Console errors", problems.logged),
    bulletsOf("Failed requests", requests),
    more === 0 ? "" : `<p>${more} more are in the console of the test.</p>`,
  ].join("");
};

const took = (ms: number | null): string =>
  ms === null ? "" : `<span class="took">${seconds(ms)}</span>`;
