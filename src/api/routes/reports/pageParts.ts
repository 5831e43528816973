import { verdictText } from "../../../domain/runs/reservations.ts";
import { escapeHtml } from "../../../platform/mail/template.ts";

/** `2026-03-01 10:11 UTC` */
export const readable = (at: string): string => `${at.slice(0, 16).replace("T", " ")} UTC`;

/** `1.2 s`, or a dash if unknown. */
export const seconds = (ms: number | null): string =>
  ms === null ? "–" : `${(ms / 1000).toFixed(1)} s`;

/** A coloured verdict. */
export const verdict = (status: string): string =>
  `<span class="verdict ${escapeHtml(status)}">${escapeHtml(verdictText(status))}</span>`;

/** An error message, scrollable by keyboard. */
export const errorText = (error: string | null): string =>
  error === null ? "" : `<pre tabindex="0">${escapeHtml(error)}</pre>`;

/** The style sheet of the page. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --edge: #c9d1d9; --good: #116329; --bad: #a40e26; --odd: #7d4e00; --soft: #f3f5f7; --quiet: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --edge: #3d444d; --good: #56d364; --bad: #ff9492; --odd: #e3b341; --soft: #161b22; --quiet: #9da7b3; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.2rem; } h3 { font-size: 1.05rem; margin: .5rem 0; } p { margin: .5rem 0; }
a { color: inherit; }
dl { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin: 0; } dt { font-size: .85rem; } dd { margin: 0; font-weight: 600; }
.verdict { font-weight: 700; } .passed { color: var(--good); } .failed, .errored { color: var(--bad); } .flaky, .cancelled, .passed_with_gaps, .healed, .reservations { color: var(--odd); } .pending, .skipped { color: var(--quiet); }
article { border: 1px solid var(--edge); border-radius: .4rem; padding: .5rem 1rem; margin: 1rem 0; }
summary { cursor: pointer; padding: .15rem 0; }
.took { color: var(--quiet); white-space: nowrap; }
ol.steps { list-style: none; margin: .25rem 0 .5rem; padding-left: .75rem; border-left: 2px solid var(--edge); } ol.steps > li { margin: .15rem 0; } ol.steps > li > p { margin: 0; padding: .15rem 0 .15rem 1rem; } ol.steps details > :not(summary) { margin-left: 1rem; }
figure { margin: .5rem 0; } figcaption { font-size: .85rem; color: var(--quiet); }
pre { white-space: pre-wrap; background: var(--soft); padding: .5rem; margin: .5rem 0; }
.shot { position: relative; width: fit-content; } .shot .seen { position: absolute; outline: 3px solid #d4008f; outline-offset: 2px; }
img { display: block; max-width: 100%; height: auto; border: 1px solid var(--edge); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--edge); font-weight: inherit; } thead th { font-weight: 700; } td, thead th { white-space: nowrap; overflow-wrap: normal; } tbody th { min-width: 8rem; }
@media (max-width: 30rem) { article { padding: .5rem; } ol.steps { padding-left: .4rem; } ol.steps details > :not(summary) { margin-left: 0; } table { font-size: .9rem; } th, td { padding: .3rem .35rem; } tbody th { min-width: 6rem; } }
:focus-visible { outline: 3px solid var(--good); outline-offset: 2px; }
`;
