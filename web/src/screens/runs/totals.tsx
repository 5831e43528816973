import type { RunSummary } from "../../service/runs.ts";

const kinds = [
  ["passed", "passed"],
  ["failed", "failed"],
  ["errored", "failed"],
  ["flaky", "flaky"],
  ["cancelled", "idle"],
  ["quarantined", "idle"],
] as const;

/** The number of tests of each outcome that occurred. */
export const Totals = ({ totals }: { readonly totals: RunSummary["totals"] }) => (
  <span className="totals">
    {kinds
      .filter(([name]) => totals[name] > 0)
      .map(([name, tone]) => (
        <span key={name} className={`count ${tone}`}>
          <span className="figures">{totals[name]}</span> {name}
        </span>
      ))}
  </span>
);
