import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { messageOf } from "../../service/errors.ts";
import {
  baselinesQuery,
  type ComparisonSettings,
  judgeBy,
  type Mask,
  type Picture,
} from "../../service/pictures.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Failure, Loading, Notice } from "../../ui/states.tsx";
import { report } from "../../ui/toasts.tsx";
import { MaskDrawing } from "./maskDrawing.tsx";
import { MaskFields } from "./maskFields.tsx";

type ComparisonRulesProps = {
  readonly runId: string;
  readonly picture: Picture;
  /** The address of the picture that this run took. */
  readonly actual: string;
  readonly onJudged: () => void;
};

/** The masks and limits of a test. Saving them judges the execution's pictures again, without a browser. */
export const ComparisonRules = (props: ComparisonRulesProps) => {
  const { data, error, refetch } = useQuery(baselinesQuery(props.picture.test_id));
  if (data) return <Rules key={data.version} {...props} settings={data.settings} />;
  if (!error) return <Loading label="Loading the masks and limits" />;
  return (
    <Failure
      title="The masks and limits could not be loaded"
      detail={error.message}
      onRetry={() => void refetch()}
    />
  );
};

const isOf = ({ step_id, viewport }: Picture, mask: Mask): boolean =>
  (mask.step_id === null || mask.step_id === step_id) &&
  (mask.viewport === null || mask.viewport === viewport);

type RulesProps = ComparisonRulesProps & { readonly settings: ComparisonSettings };

const Rules = ({ runId, picture, actual, onJudged, settings }: RulesProps) => {
  const [masks, setMasks] = useState(settings.masks.filter((mask) => isOf(picture, mask)));
  const [threshold, setThreshold] = useState(String(settings.threshold));
  const [pixels, setPixels] = useState(String(settings.max_diff_pixels ?? ""));
  const others = settings.masks.filter((mask) => !isOf(picture, mask));
  const judge = useMutation({
    mutationFn: () =>
      judgeBy(runId, picture, {
        masks: [...others, ...masks],
        threshold: Number(threshold),
        max_diff_pixels: pixels === "" ? null : Number(pixels),
      }),
    onSuccess: ({ status }) => {
      report("success", `Judged again: the test ${status}`);
      onJudged();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    judge.mutate();
  };
  const add = (area: Pick<Mask, "x" | "y" | "width" | "height">) =>
    setMasks((known) => [
      ...known,
      { ...area, step_id: picture.step_id, viewport: picture.viewport },
    ]);
  return (
    <form className="form rules" onSubmit={submit}>
      {judge.error && <Notice kind="error">{messageOf(judge.error)}</Notice>}
      <p className="muted small">
        Draw a rectangle over a region that may change, such as a clock or an advertisement.
      </p>
      <MaskDrawing actual={actual} masks={masks} onDraw={add} />
      <MaskFields masks={masks} onChange={setMasks} onAdd={add} />
      <Limits {...{ threshold, setThreshold, pixels, setPixels }} />
      <div>
        <Button type="submit" look="primary" busy={judge.isPending && "Judging…"}>
          Save and judge again
        </Button>
      </div>
    </form>
  );
};

type LimitsProps = {
  readonly threshold: string;
  readonly setThreshold: (threshold: string) => void;
  readonly pixels: string;
  readonly setPixels: (pixels: string) => void;
};

const Limits = ({ threshold, setThreshold, pixels, setPixels }: LimitsProps) => (
  <div className="form-columns">
    <Field
      label="Tolerated colour difference"
      hint="From 0, none, to 1"
      type="number"
      required
      min={0}
      max={1}
      step={0.01}
      value={threshold}
      onChange={(event) => setThreshold(event.target.value)}
    />
    <Field
      label="Pixels that may differ"
      hint="Empty: none, or the share that the API has set"
      type="number"
      min={0}
      max={1_000_000_000}
      value={pixels}
      onChange={(event) => setPixels(event.target.value)}
    />
  </div>
);
