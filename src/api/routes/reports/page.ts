import { escapeHtml } from "../../../platform/mail/letter.ts";
import type { BaselineChange } from "../../../projections/baselineQueries.ts";
import { deletedText } from "../runs/access.ts";
import type { RunReport } from "./build.ts";
import type { Ending } from "./pictures.ts";

/** A run's report as one page: nothing is loaded from elsewhere; it fits a phone, the dark, and a keyboard. */
export const reportPage = (report: RunReport, endings: ReadonlyMap<string, Ending>): string => {
  const { run, problems, quarantined, trend } = report;
  const title = `Run ${run.status}: ${run.triggered_by}`;
  const count = Object.values(run.totals).reduce((sum, one) => sum + one, 0);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1><span class="verdict ${run.status}">${escapeHtml(run.status)}</span> ${escapeHtml(run.triggered_by)}</h1>
<dl>
${[
  ["Tests", String(count)],
  ...Object.entries(run.totals)
    .filter(([, number]) => number > 0)
    .map(([name, number]) => [name, String(number)]),
  ["Finished", run.finished_at === null ? "not yet" : readable(run.finished_at)],
  ["Took", seconds(run.duration_ms)],
]
  .map(
    ([name = "", value = ""]) =>
      `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  )
  .join("\n")}
</dl>
</header>
<main>
${problems.length === 0 ? "" : `<section aria-labelledby="problems"><h2 id="problems">What did not pass</h2>${problems.map((one) => problemOf(one, endings.get(one.execution_id))).join("\n")}</section>`}
${quarantined.length === 0 ? "" : `<section aria-labelledby="quarantined"><h2 id="quarantined">In quarantine</h2><p>These did not pass either. They do not count.</p>${quarantined.map((one) => problemOf(one, endings.get(one.execution_id))).join("\n")}</section>`}
<section aria-labelledby="tests"><h2 id="tests">Tests</h2>
<div class="scroll" role="group" aria-label="Table of the tests" tabindex="0">
<table>
<thead><tr><th scope="col">Test</th><th scope="col">Verdict</th><th scope="col">Attempts</th><th scope="col">Took</th></tr></thead>
<tbody>
${run.tests
  .map(
    (test) =>
      `<tr><th scope="row">${escapeHtml(test.name)}${test.row === null ? "" : ` (row ${test.row})`}</th><td><span class="verdict ${test.status}">${escapeHtml(test.status)}</span>${test.quarantined ? " (in quarantine)" : ""}</td><td>${test.attempts.length}</td><td>${seconds(test.duration_ms)}</td></tr>`,
  )
  .join("\n")}
</tbody>
</table>
</div>
</section>
${trend.length < 2 ? "" : trendOf(trend)}
</main>
</body>
</html>
`;
};

const problemOf = (
  { name, status, changes, evidence_deleted }: RunReport["problems"][number],
  ending: Ending | undefined,
): string => `<article>
<h3>${escapeHtml(name)} <span class="verdict ${status}">${status}</span></h3>
${ending?.step ? `<p>Step ${ending.step.number}: ${escapeHtml(ending.step.description)}</p>` : ""}
${ending?.error ? `<pre tabindex="0">${escapeHtml(ending.error)}</pre>` : ""}
${ending?.picture ? `<details open><summary>What the page looked like</summary><img src="${escapeHtml(ending.picture)}" alt="The page at step ${ending.step?.number ?? ""} of ${escapeHtml(name)}"></details>` : ""}
${ending?.difference ? `<details open><summary>What differs from the baseline</summary><img src="${escapeHtml(ending.difference)}" alt="What differs from the baseline at step ${ending.step?.number ?? ""} of ${escapeHtml(name)}"></details>` : ""}
${evidence_deleted ? `<p>${escapeHtml(deletedText(evidence_deleted))}</p>` : ""}
${changes ? changesOf(changes) : "<p>It has not passed before.</p>"}
</article>`;

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
  `<section aria-labelledby="trend"><h2 id="trend">This run and those before</h2><ol class="trend">${trend
    .map(
      ({ status, finished_at, passed, not_passed }) =>
        `<li><span class="verdict ${status}">${status}</span> <time datetime="${finished_at}">${readable(finished_at)}</time>: ${passed} passed, ${not_passed} not</li>`,
    )
    .join("")}</ol></section>`;

/** `2026-03-01 10:11 UTC` */
const readable = (at: string): string => `${at.slice(0, 16).replace("T", " ")} UTC`;

/** What an event of a test says: `steps replaced`. */
const inWords = (event: string): string =>
  event
    .replace(/^Test(?=[A-Z])/, "")
    .replace(/(?<!^)[A-Z]/g, " $&")
    .toLowerCase();

const seconds = (ms: number | null): string => (ms === null ? "–" : `${(ms / 1000).toFixed(1)} s`);

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --edge: #c9d1d9; --good: #116329; --bad: #a40e26; --odd: #7d4e00; --soft: #f3f5f7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --edge: #3d444d; --good: #56d364; --bad: #ff9492; --odd: #e3b341; --soft: #161b22; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.2rem; } h3 { font-size: 1.05rem; }
dl { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin: 0; } dt { font-size: .85rem; } dd { margin: 0; font-weight: 600; }
.verdict { font-weight: 700; } .passed { color: var(--good); } .failed, .errored { color: var(--bad); } .flaky, .cancelled { color: var(--odd); }
article { border: 1px solid var(--edge); border-radius: .4rem; padding: .5rem 1rem; margin: 1rem 0; }
pre { white-space: pre-wrap; background: var(--soft); padding: .5rem; }
img { max-width: 100%; height: auto; border: 1px solid var(--edge); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--edge); font-weight: inherit; } thead th { font-weight: 700; } td, thead th { white-space: nowrap; overflow-wrap: normal; } tbody th { min-width: 8rem; }
@media (max-width: 30rem) { table { font-size: .9rem; } th, td { padding: .3rem .35rem; } tbody th { min-width: 6rem; } }
:focus-visible { outline: 3px solid var(--good); outline-offset: 2px; }
`;
