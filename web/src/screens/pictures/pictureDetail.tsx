import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { messageOf } from "../../service/errors.ts";
import { approvePicture, type Picture, rejectPicture } from "../../service/pictures.ts";
import { type Execution, executionQuery, type StepResult } from "../../service/runs.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Button } from "../../ui/button.tsx";
import { Failure, Loading, Notice } from "../../ui/states.tsx";
import { report } from "../../ui/toasts.tsx";
import { type View, views } from "../search.ts";
import { Comparison, Shot, viewLabels } from "./comparison.tsx";
import { ComparisonRules } from "./comparisonRules.tsx";
import { reviewLabels } from "./pictureList.tsx";
import { useKeys } from "./useKeys.ts";

type PictureDetailProps = {
  readonly runId: string;
  readonly picture: Picture;
  readonly name: string;
  readonly view: View | undefined;
  readonly onView: (view: View) => void;
  readonly onMove: (by: number) => void;
  /** Called after a decision that left the picture's page. */
  readonly onDecided: () => void;
};

/** One picture: how it differs, the decision on it, and the rules that judge it. */
export const PictureDetail = (props: PictureDetailProps) => {
  const { runId, picture, name, view = "side", onView, onMove, onDecided } = props;
  const { data, error, refetch } = useQuery(executionQuery(picture.execution_id));
  const [isMasking, setMasking] = useState(false);
  const { mayDecide, approve, reject } = useDecision(runId, picture, onDecided);
  const hasBaseline = picture.visual.baseline_url !== null;
  useKeys({
    ...(mayDecide && { a: approve.act, r: reject.act }),
    arrowdown: () => onMove(1),
    arrowup: () => onMove(-1),
    j: () => onMove(1),
    k: () => onMove(-1),
    ...(hasBaseline &&
      Object.fromEntries(views.map((each, at) => [String(at + 1), () => onView(each)]))),
  });
  const step = data && stepOf(data, picture);
  return (
    <section className="review-detail" aria-label={`Picture of step ${picture.step_number}`}>
      <Head picture={picture} name={name} description={step?.description ?? ""}>
        {mayDecide && <Decision {...{ picture, approve, reject }} />}
      </Head>
      <Outcome picture={picture} />
      {hasBaseline && (
        <Views
          shown={isMasking ? "rules" : view}
          mayMask={mayDecide}
          onChoose={(chosen) => {
            setMasking(chosen === "rules" && !isMasking);
            if (chosen !== "rules") onView(chosen);
          }}
        />
      )}
      {data ? (
        <Shots
          {...{ runId, picture, isMasking }}
          view={view}
          step={step}
          onJudged={() => setMasking(false)}
        />
      ) : error ? (
        <Failure
          title="The picture could not be loaded"
          detail={error.message}
          onRetry={() => void refetch()}
        />
      ) : (
        <Loading label="Loading the picture" />
      )}
    </section>
  );
};

type HeadProps = {
  readonly picture: Picture;
  readonly name: string;
  readonly description: string;
  readonly children: ReactNode;
};

const Head = ({ picture, name, description, children }: HeadProps) => (
  <header>
    <div>
      <h2>{name}</h2>
      <Link
        className="small"
        to="/executions/$executionId"
        params={{ executionId: picture.execution_id }}
        search={{ step: picture.step_number, browser: picture.browser }}
      >
        Step {picture.step_number}
        {description && `: ${description}`}
      </Link>
    </div>
    {children}
  </header>
);

type Deed = { readonly isPending: boolean; readonly act: () => void };

type DecisionProps = { readonly picture: Picture; readonly approve: Deed; readonly reject: Deed };

const Decision = ({ picture, approve, reject }: DecisionProps) => (
  <div className="actions">
    <Button
      onClick={reject.act}
      disabled={picture.review !== "open" || approve.isPending}
      busy={reject.isPending && "Rejecting…"}
    >
      Reject <kbd>R</kbd>
    </Button>
    <Button
      look="primary"
      onClick={approve.act}
      disabled={picture.review === "approved" || reject.isPending}
      busy={approve.isPending && "Approving…"}
    >
      Approve <kbd>A</kbd>
    </Button>
  </div>
);

type ViewsProps = {
  readonly shown: View | "rules";
  readonly mayMask: boolean;
  readonly onChoose: (view: View | "rules") => void;
};

const Views = ({ shown, mayMask, onChoose }: ViewsProps) => (
  <fieldset className="chips" aria-label="View">
    {[...views, ...(mayMask ? (["rules"] as const) : [])].map((each) => (
      <button
        key={each}
        type="button"
        className="chip"
        aria-pressed={each === shown}
        onClick={() => onChoose(each)}
      >
        {each === "rules" ? "Masks and limits" : viewLabels[each]}
      </button>
    ))}
  </fieldset>
);

/**
 * The two decisions on a picture. Each is refused while the other is under way: the next key of a quick reviewer
 * is meant for the next picture, and a picture that was just rejected must not become the baseline by it.
 */
const useDecision = (runId: string, picture: Picture, onDecided: () => void) => {
  const mayDecide = useMay("catalogue:write");
  const onError = (error: Error) => report("error", messageOf(error));
  const approve = useMutation({
    mutationFn: () => approvePicture(runId, picture),
    onSuccess: onDecided,
    onError,
  });
  const reject = useMutation({
    mutationFn: () => rejectPicture(runId, picture),
    onSuccess: onDecided,
    onError,
  });
  const isBusy = approve.isPending || reject.isPending;
  return {
    mayDecide,
    approve: {
      isPending: approve.isPending,
      act: () => {
        if (picture.review !== "approved" && !isBusy) approve.mutate();
      },
    },
    reject: {
      isPending: reject.isPending,
      act: () => {
        if (picture.review === "open" && !isBusy) reject.mutate();
      },
    },
  };
};

const stepOf = ({ attempts }: Execution, picture: Picture): StepResult | undefined =>
  attempts
    .find(({ number }) => number === picture.attempt)
    ?.browsers.find(({ browser }) => browser === picture.browser)
    ?.steps.find(({ number }) => number === picture.step_number);

const Outcome = ({ picture }: { readonly picture: Picture }) => {
  const { visual, review } = picture;
  return (
    <div className="facts">
      <span className={`badge review-${review}`}>{reviewLabels[review]}</span>
      {visual.baseline_url === null ? (
        <span>New: the step has no baseline</span>
      ) : visual.size_differs ? (
        <span>The size differs from the baseline</span>
      ) : (
        <span className="figures">
          {visual.pixels.toLocaleString("en")} pixels differ ({percent(visual.ratio)});{" "}
          {visual.allowed_pixels.toLocaleString("en")} may
        </span>
      )}
      {review === "closed" && (
        <span>Rejected, or a newer picture is proposed. It can still be approved.</span>
      )}
    </div>
  );
};

const percent = (ratio: number): string =>
  ratio < 0.0001 ? "less than 0.01 %" : `${(ratio * 100).toFixed(2)} %`;

type ShotsProps = {
  readonly runId: string;
  readonly picture: Picture;
  readonly step: StepResult | undefined;
  readonly view: View;
  readonly isMasking: boolean;
  readonly onJudged: () => void;
};

const Shots = ({ runId, picture, step, view, isMasking, onJudged }: ShotsProps) => {
  const actual = step?.screenshot_url;
  const { baseline_url: baseline, diff_url: difference } = picture.visual;
  if (!actual) {
    return (
      <Notice kind="info">
        {step?.screenshot_missing ?? "The picture was deleted. Run the test again to review it."}
      </Notice>
    );
  }
  if (isMasking) {
    return <ComparisonRules {...{ runId, picture, actual, onJudged }} />;
  }
  if (baseline === null) return <Shot label="This run" src={actual} />;
  return <Comparison shots={{ baseline, actual, difference }} view={view} />;
};
