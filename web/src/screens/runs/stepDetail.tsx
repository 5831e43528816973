import { Link } from "@tanstack/react-router";
import { pictureKey } from "../../service/pictures.ts";
import type { Execution, StepResult } from "../../service/runs.ts";
import { Icon } from "../../ui/icon.tsx";
import { Notice } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { duration } from "../../ui/time.tsx";
import { shownAs } from "./stepList.tsx";

type StepDetailProps = {
  readonly execution: Execution;
  readonly step: StepResult;
  readonly browser: string;
};

/** One step: what it did, its error and its picture. */
export const StepDetail = ({ execution, step, browser }: StepDetailProps) => (
  <section className="step-detail" aria-label={`Step ${step.number}`}>
    <header>
      <h2>
        {step.number}. {step.description || `${step.action} ${step.target}`}
      </h2>
      <StatusBadge status={shownAs(step)} />
    </header>
    {step.error && <Notice kind="error">{step.error}</Notice>}
    {step.reason && <Notice kind={step.is_gap ? "warning" : "info"}>Skipped: {step.reason}</Notice>}
    {step.healed_target !== null && (
      <Notice kind="info">
        The element was not found. The step went on with {step.healed_target}.
      </Notice>
    )}
    <Lines title="Notes" lines={step.notes} />
    <Problems of={step.page_problems} />
    {step.visual && step.visual.outcome !== "same" && (
      <Link
        to="/runs/$runId/pictures"
        params={{ runId: execution.run_id }}
        search={{
          picture: pictureKey({ execution_id: execution.id, browser, step_number: step.number }),
        }}
      >
        Review the picture
      </Link>
    )}
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

const Lines = ({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <div className="step-lines">
      <h3>{title}</h3>
      <ul>
        {[...new Set(lines)].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );

/** Problems of the pages before the step failed. */
const Problems = ({ of }: { readonly of: StepResult["page_problems"] }) =>
  of && (
    <>
      <Lines title="Uncaught exceptions" lines={of.exceptions} />
      <Lines title="Console errors" lines={of.logged} />
      <Lines
        title="Failed requests"
        lines={of.requests.map(
          ({ method, url, status, error }) => `${method} ${url}: ${status ?? error ?? "failed"}`,
        )}
      />
      {of.more > 0 && <p>{of.more} more are in the console of the test, under Files.</p>}
    </>
  );

/** A frame around the element of a claim, over the picture: the picture itself stays as it was taken. */
const Frame = ({ evidence }: Pick<StepResult, "evidence">) => {
  if (evidence === null) return null;
  const { x, y, width, height, viewport } = evidence;
  const percent = (part: number, whole: number) => `${(part / whole) * 100}%`;
  return (
    <span
      className="seen"
      style={{
        left: percent(x, viewport.width),
        top: percent(y, viewport.height),
        width: percent(width, viewport.width),
        height: percent(height, viewport.height),
      }}
    />
  );
};

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
      <span className="shot">
        <img src={step.screenshot_url} alt={`The page in ${browser} after step ${step.number}`} />
        <Frame evidence={step.evidence} />
      </span>
    </a>
  );
};
