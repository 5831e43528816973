import type { StepResult } from "../../service/runs.ts";
import { Icon } from "../../ui/icon.tsx";
import { Notice } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { duration } from "../../ui/time.tsx";

/** One step: what it did, its error and its picture. */
export const StepDetail = ({
  step,
  browser,
}: {
  readonly step: StepResult;
  readonly browser: string;
}) => (
  <section className="step-detail" aria-label={`Step ${step.number}`}>
    <header>
      <h2>
        {step.number}. {step.description || `${step.action} ${step.target}`}
      </h2>
      <StatusBadge status={step.status} />
    </header>
    {step.error && <Notice kind="error">{step.error}</Notice>}
    <Picture step={step} browser={browser} />
    <dl className="details">
      <dt>Action</dt>
      <dd>{step.action.replaceAll("_", " ")}</dd>
      {step.target !== "" && (
        <>
          <dt>Target</dt>
          <dd>{step.target}</dd>
        </>
      )}
      {step.value !== "" && (
        <>
          <dt>Value</dt>
          <dd className="mono">{step.value}</dd>
        </>
      )}
      {step.locator !== null && (
        <>
          <dt>Found by</dt>
          <dd className="mono">{step.locator}</dd>
        </>
      )}
      {step.duration_ms !== null && (
        <>
          <dt>Duration</dt>
          <dd className="figures">{duration(step.duration_ms)}</dd>
        </>
      )}
    </dl>
  </section>
);

const Picture = ({ step, browser }: { readonly step: StepResult; readonly browser: string }) => {
  if (step.screenshot_url === null) {
    return (
      <p className="no-picture">
        <Icon name="picture" /> {step.screenshot_missing ?? "This step has no picture."}
      </p>
    );
  }
  return (
    <a className="picture" href={step.screenshot_url} target="_blank" rel="noreferrer">
      <img src={step.screenshot_url} alt={`The page in ${browser} after step ${step.number}`} />
    </a>
  );
};
