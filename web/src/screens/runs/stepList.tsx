import { type KeyboardEvent, useEffect, useRef } from "react";
import type { StepResult } from "../../service/runs.ts";
import { StatusDot } from "../../ui/status.tsx";
import { duration } from "../../ui/time.tsx";

/** A healed step is no plain pass, and a gap is no plain skip. */
export const shownAs = ({ status, healed_target, is_gap }: StepResult) => {
  if (status === "passed" && healed_target !== null) return "healed";
  return is_gap ? "gap" : status;
};

type StepListProps = {
  readonly steps: readonly StepResult[];
  readonly current: number | undefined;
  readonly onChoose: (number: number) => void;
};

const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 };

/** The steps in order. The arrow keys, j and k move between them. */
export const StepList = ({ steps, current, onChoose }: StepListProps) => {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const item = list.current?.querySelector(`[data-step="${current}"]`);
    item?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const move = (event: KeyboardEvent) => {
    const by = moves[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const index = steps.findIndex(({ number }) => number === current);
    const next = steps[index + by];
    if (!next) return;
    onChoose(next.number);
    list.current?.querySelector<HTMLElement>(`[data-step="${next.number}"]`)?.focus();
  };
  return (
    <ol className="step-list" ref={list} onKeyDown={move} aria-label="Steps">
      {steps.map((step) => (
        <li key={step.number}>
          <button
            type="button"
            className="step"
            data-step={step.number}
            aria-current={step.number === current ? "step" : undefined}
            onClick={() => onChoose(step.number)}
          >
            <StatusDot status={shownAs(step)} />
            <span className="number figures">{step.number}</span>
            <span className="sentence">{step.description || `${step.action} ${step.target}`}</span>
            <span className="row-time figures">
              {step.duration_ms !== null && duration(step.duration_ms)}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
};
