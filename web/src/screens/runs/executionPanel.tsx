import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import {
  type BrowserResult,
  type Execution,
  executionQuery,
  type StepResult,
} from "../../service/runs.ts";
import { Failure, Loading, Notice } from "../../ui/states.tsx";
import { isUnderWay, StatusDot } from "../../ui/status.tsx";
import type { ExecutionSearch } from "../search.ts";
import { Evidence } from "./evidence.tsx";
import { FilmStrip } from "./filmStrip.tsx";
import { StepDetail } from "./stepDetail.tsx";
import { StepList } from "./stepList.tsx";

/** An execution under way is read again in this interval even if no event arrives, in milliseconds. */
const REREAD_MS = 2_000;

/** The steps of an execution with pictures and errors. The address names the attempt, browser and step shown. */
export const ExecutionPanel = ({ executionId }: { readonly executionId: string }) => {
  const { data, error, refetch } = useQuery({
    ...executionQuery(executionId),
    refetchInterval: ({ state }) =>
      state.data && isUnderWay(state.data.status) ? REREAD_MS : false,
  });
  if (error && !data) {
    return (
      <Failure
        title="The steps could not be loaded"
        detail={error.message}
        onRetry={() => void refetch()}
      />
    );
  }
  if (!data) return <Loading label="Loading the steps" />;
  if (data.attempts.length === 0) return <Waiting execution={data} />;
  return <Steps execution={data} />;
};

const Waiting = ({ execution }: { readonly execution: Execution }) =>
  isUnderWay(execution.status) ? (
    <Loading label="Waiting for a free browser" />
  ) : (
    <Notice kind="info">{execution.error ?? "The test ended before its first step."}</Notice>
  );

const Steps = ({ execution }: { readonly execution: Execution }) => {
  const shown = useShown(execution);
  const { browser, step, choose } = shown;
  return (
    <div className="stack">
      <Choices execution={execution} shown={shown} />
      {execution.evidence_deleted && (
        <Notice kind="info">
          The pictures are deleted: the plan {execution.evidence_deleted.plan} keeps them for{" "}
          {execution.evidence_deleted.days} days.
        </Notice>
      )}
      {browser && (
        <>
          <FilmStrip steps={browser.steps} current={step?.number} onChoose={choose} />
          <div className="card execution">
            <StepList steps={browser.steps} current={step?.number} onChoose={choose} />
            {step && <StepDetail execution={execution} step={step} browser={browser.browser} />}
          </div>
        </>
      )}
      {!isUnderWay(execution.status) && <Evidence executionId={execution.id} />}
    </div>
  );
};

type Shown = ReturnType<typeof useShown>;

/** The attempt, browser and step that the address names, else the last attempt and the most telling step. */
const useShown = (execution: Execution) => {
  const search = useSearch({ strict: false }) as ExecutionSearch;
  const navigate = useNavigate();
  const attempt =
    execution.attempts.find(({ number }) => number === search.attempt) ?? execution.attempts.at(-1);
  const browsers = attempt?.browsers ?? [];
  const browser = browsers.find(({ browser }) => browser === search.browser) ?? browsers[0];
  const step =
    browser?.steps.find(({ number }) => number === search.step) ??
    (browser && tellingStep(browser));
  const show = (change: ExecutionSearch) =>
    void navigate({
      to: ".",
      search: (known: ExecutionSearch) => ({ ...known, ...change }),
      replace: true,
      resetScroll: false,
    });
  return { attempt, browser, step, show, choose: (number: number) => show({ step: number }) };
};

/** The failed step, else the one that is running, else the last that has a picture. */
const tellingStep = ({ steps }: BrowserResult): StepResult | undefined =>
  steps.find(({ status }) => status === "failed") ??
  steps.find(({ status }) => status === "running") ??
  steps.findLast(({ screenshot_url }) => screenshot_url !== null) ??
  steps[0];

const Choices = ({
  execution,
  shown,
}: {
  readonly execution: Execution;
  readonly shown: Shown;
}) => {
  const browsers = shown.attempt?.browsers ?? [];
  if (execution.attempts.length < 2 && browsers.length < 2) return null;
  return (
    <div className="facts">
      {execution.attempts.length > 1 && (
        <fieldset className="chips" aria-label="Attempt">
          {execution.attempts.map(({ number, status }) => (
            <button
              key={number}
              type="button"
              className="chip"
              aria-pressed={number === shown.attempt?.number}
              onClick={() => shown.show({ attempt: number, step: undefined })}
            >
              <StatusDot status={status} /> Attempt {number}
            </button>
          ))}
        </fieldset>
      )}
      {browsers.length > 1 && (
        <fieldset className="chips" aria-label="Browser">
          {browsers.map(({ browser, status }) => (
            <button
              key={browser}
              type="button"
              className="chip"
              aria-pressed={browser === shown.browser?.browser}
              onClick={() => shown.show({ browser, step: undefined })}
            >
              <StatusDot status={status} /> {browser}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
};
