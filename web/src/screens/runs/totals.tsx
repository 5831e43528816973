import type { RunSummary } from "../../service/runs.ts";

const kinds = [
  ["passed", "passed"],
  ["failed", "failed"],
  ["errored", "failed"],
  ["flaky", "flaky"],
  ["cancelled", "idle"],
  ["quarantined", "idle"],
] as const;

type Counted = Pick<RunSummary, "totals" | "tests_with_gaps" | "tests_healed">;

/** The number of tests of each outcome that occurred. */
export const Totals = ({
  run: { totals, tests_with_gaps, tests_healed },
}: {
  readonly run: Counted;
}) => (
  <span className="totals">
    {kinds
      .filter(([name]) => totals[name] > 0)
      .map(([name, tone]) => (
        <span key={name} className={`count ${tone}`}>
          <span className="figures">{totals[name]}</span> {name}
        </span>
      ))}
    {tests_with_gaps > 0 && (
      <span className="count flaky">
        <span className="figures">{tests_with_gaps}</span> with gaps
      </span>
    )}
    {tests_healed > 0 && (
      <span className="count flaky">
        <span className="figures">{tests_healed}</span> healed
      </span>
    )}
  </span>
);
