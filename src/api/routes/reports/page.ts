import { contentText } from "../../../domain/runs/contentText.ts";
import { reservationLines, verdictText } from "../../../domain/runs/reservations.ts";
import { escapeHtml } from "../../../platform/mail/template.ts";
import type { BaselineChange } from "../../../projections/baselines/queries.ts";
import { deletedText } from "../runs/access.ts";
import type { RunReport } from "./build.ts";
import { readable, STYLE, seconds, verdict } from "./pageParts.ts";
import { endingOf, stepsOf } from "./pageSteps.ts";
import type { PagePictures } from "./pictures.ts";
import type { ShownTest } from "./steps.ts";

/** The parts of a page besides the report. */
export type PageParts = {
  /** By execution id. */
  readonly tests: ReadonlyMap<string, ShownTest>;
  readonly pictures: PagePictures;
  /** The prefix of API paths, empty if the base address is unknown. */
  readonly base: string;
};

/** The title of a report: the name of its test, or of its first test and the number of others. */
const titleOf = (tests: RunReport["run"]["tests"]): string => {
  const [first] = tests;
  if (first === undefined) return "Run without tests";
  const others = new Set(tests.map(({ test_id }) => test_id)).size - 1;
  return others === 0
    ? first.name
    : `${first.name} and ${others} other test${others === 1 ? "" : "s"}`;
};

/**
 * Renders a run's report with the steps of every test as a self-contained page without scripts. It supports phones,
 * dark mode and keyboard navigation.
 */
export const reportPage = (report: RunReport, parts: PageParts): string => {
  const { run, problems, quarantined, trend } = report;
  const told = new Set([...problems, ...quarantined].map(({ execution_id }) => execution_id));
  const others = run.tests.filter(({ execution_id }) => !told.has(execution_id));
  const { leftOut } = parts.pictures;
  const title = titleOf(run.tests);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`${title}: ${verdictText(run.verdict ?? run.status)}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${verdict(run.verdict ?? run.status)} ${escapeHtml(title)}</h1>
<dl>
${factsOf(run)}
</dl>
${leftOut === 0 ? "" : `<p>${leftOut} pictures are left out, of steps that passed before others: this page would be too large with them. Each has its link below, in its place.</p>`}
</header>
<main>
${problems.length === 0 ? "" : `<section aria-labelledby="problems"><h2 id="problems">Failures</h2>${problems.map((one) => problemOf(one, parts)).join("\n")}</section>`}
${quarantined.length === 0 ? "" : `<section aria-labelledby="quarantined"><h2 id="quarantined">In quarantine</h2><p>These did not pass either. They do not count.</p>${quarantined.map((one) => problemOf(one, parts)).join("\n")}</section>`}
<section aria-labelledby="tests"><h2 id="tests">Tests</h2>
<div class="scroll" role="group" aria-label="Table of the tests" tabindex="0">
<table>
<thead><tr><th scope="col">Test</th><th scope="col">Verdict</th><th scope="col">Attempts</th><th scope="col">Took</th></tr></thead>
<tbody>
${run.tests
  .map(
    (test) =>
      `<tr><th scope="row"><a href="#${test.execution_id}">${nameOf(test)}</a>${originOf(test)}</th><td>${verdict(test.verdict ?? test.status)}${test.quarantined ? " (in quarantine)" : ""}</td><td>${test.attempts.length}</td><td>${seconds(test.duration_ms)}</td></tr>`,
  )
  .join("\n")}
</tbody>
</table>
</div>
</section>
${others.length === 0 ? "" : `<section aria-labelledby="others"><h2 id="others">Step by step</h2>${others.map((test) => otherOf(test, parts)).join("\n")}</section>`}
${trend.length < 2 ? "" : trendOf(trend)}
</main>
</body>
</html>
`;
};

const factsOf = (run: RunReport["run"]): string =>
  [
    ["Tests", String(Object.values(run.totals).reduce((sum, one) => sum + one, 0))],
    ...Object.entries(run.totals)
      .filter(([, number]) => number > 0)
      .map(([name, number]) => [name, String(number)]),
    ...(run.tests_with_gaps > 0 ? [["with gaps", String(run.tests_with_gaps)]] : []),
    ...(run.tests_healed > 0 ? [["healed", String(run.tests_healed)]] : []),
    ["Finished", run.finished_at === null ? "not yet" : readable(run.finished_at)],
    ["Took", seconds(run.duration_ms)],
    ["Started by", run.triggered_by],
  ]
    .map(
      ([name = "", value = ""]) =>
        `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
    )
    .join("\n");

const originOf = ({ source, content }: ShownTest["test"]): string =>
  content === null
    ? ""
    : `<br>${escapeHtml(source === null ? "" : `${source}: `)}${escapeHtml(contentText(content))}`;

const nameOf = ({ name, row }: Pick<ShownTest["test"], "name" | "row">): string =>
  `${escapeHtml(name)}${row === null ? "" : ` (row ${row})`}`;

const otherOf = (test: ShownTest["test"], { tests, pictures, base }: PageParts): string => {
  const shown = tests.get(test.execution_id);
  return `<article id="${test.execution_id}">
<h3>${nameOf(test)} ${verdict(test.verdict ?? test.status)}</h3>
${reservationList(test)}
${shown ? stepsOf(shown, pictures, base) : ""}
</article>`;
};

const reservationList = (test: ShownTest["test"]): string => {
  const lines = reservationLines(test, test.browsers.length);
  if (lines.length === 0) return "";
  return `<ul class="reservations">${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("")}</ul>`;
};

const problemOf = (
  { execution_id, name, status, changes, evidence_deleted }: RunReport["problems"][number],
  { tests, pictures, base }: PageParts,
): string => {
  const shown = tests.get(execution_id);
  const isSaid = evidence_deleted === null || shown?.notKept === deletedText(evidence_deleted);
  return `<article id="${execution_id}">
<h3>${shown ? nameOf(shown.test) : escapeHtml(name)} ${verdict(status)}</h3>
${shown ? endingOf(shown) : ""}
${shown ? reservationList(shown.test) : ""}
${changes ? changesOf(changes) : "<p>It has not passed before.</p>"}
${isSaid ? "" : `<p>${escapeHtml(deletedText(evidence_deleted))}</p>`}
${shown ? stepsOf(shown, pictures, base) : ""}
</article>`;
};

const changesOf = (changes: NonNullable<RunReport["problems"][number]["changes"]>): string => {
  const lines = [
    ...changes.versions.map(
      ({ version, event, by, at }) =>
        `Version ${version}: ${inWords(event)} by ${by}, ${readable(at)}`,
    ),
    ...changes.called.map(
      ({ name, from, to }) =>
        `The test "${name}" that it calls: version ${from ?? "none"} → ${to ?? "none"}`,
    ),
    ...(changes.environment
      ? [`Environment: ${changes.environment.from ?? "none"} → ${changes.environment.to ?? "none"}`]
      : []),
    ...changes.browsers.map(
      ({ browser, from, to }) => `${browser}: ${from ?? "none"} → ${to ?? "none"}`,
    ),
    ...changes.baselines.map(baselineLine),
  ];
  const since = `It last passed ${readable(changes.since.finished_at)}.`;
  return lines.length === 0
    ? `<p>${escapeHtml(since)} Nothing of the test has changed since.</p>`
    : `<p>${escapeHtml(since)} Changed since:</p><ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("")}</ul>`;
};

const baselineLine = ({ kind, browser, viewport, by, at }: BaselineChange): string => {
  const what = {
    approved: `A baseline for ${browser} at ${viewport} was approved`,
    removed: `A baseline for ${browser} at ${viewport} was removed`,
    settings_changed: "How pictures are judged was changed",
  } as const;
  return `${what[kind]} by ${by}, ${readable(at)}`;
};

const trendOf = (trend: RunReport["trend"]): string =>
  `<section aria-labelledby="trend"><h2 id="trend">Trend</h2><ol class="trend">${trend
    .map(
      ({ status, finished_at, passed, not_passed }) =>
        `<li>${verdict(status)} <time datetime="${finished_at}">${readable(finished_at)}</time>: ${passed} passed, ${not_passed} not</li>`,
    )
    .join("")}</ol></section>`;

/** An event type as text: `steps replaced`. */
const inWords = (event: string): string =>
  event
    .replace(/^Test(?=[A-Z])/, "")
    .replace(/(?<!^)[A-Z]/g, " $&")
    .toLowerCase();
