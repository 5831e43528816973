import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type CurrentPlan,
  type Interval,
  type Plan,
  plansQuery,
  requestChange,
} from "../../service/plan.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Button } from "../../ui/button.tsx";
import { Loading, Notice } from "../../ui/states.tsx";
import { counted, dollars } from "./words.ts";

const intervals: readonly { readonly value: Interval; readonly label: string }[] = [
  { value: "month", label: "By the month" },
  { value: "year", label: "By the year" },
];

/** The plans to choose from. */
export const Plans = ({ current }: { readonly current: CurrentPlan }) => {
  const { data, error } = useQuery(plansQuery());
  const mayWrite = useMay("plan:write");
  const [interval, setInterval] = useState<Interval>(current.interval ?? "month");
  const request = useMutation({
    mutationFn: (plan: Plan["code"]) => requestChange(plan, interval),
  });
  if (error) return <Notice kind="error">{error.message}</Notice>;
  if (!data) return <Loading label="Loading the plans" />;
  return (
    <section className="stack" aria-labelledby="plans">
      <div className="section-head">
        <h2 id="plans">Plans</h2>
        <fieldset className="chips" aria-label="Payment">
          {intervals.map(({ value, label }) => (
            <button
              key={value}
              type="button"
              className="chip"
              aria-pressed={value === interval}
              onClick={() => setInterval(value)}
            >
              {label}
            </button>
          ))}
        </fieldset>
      </div>
      {!mayWrite && (
        <Notice kind="info">Only the owner and the role billing change the plan.</Notice>
      )}
      {request.error && <Notice kind="error">{request.error.message}</Notice>}
      <ul className="plans">
        {data.items.map((plan) => {
          const isOwn = plan.code === current.own_plan;
          const isSame = isOwn && (plan.code === "free" || current.interval === interval);
          return (
            <li key={plan.code} className="card plan">
              <PlanTerms plan={plan} interval={interval} />
              {isSame ? (
                <p className="muted">Your plan</p>
              ) : (
                mayWrite && (
                  <Button
                    aria-label={`Preview the change to ${plan.name}`}
                    onClick={() => request.mutate(plan.code)}
                    disabled={current.open_change !== null}
                    busy={request.isPending && request.variables === plan.code && "Comparing…"}
                  >
                    Preview the change
                  </Button>
                )
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
};

const PlanTerms = ({ plan, interval }: { readonly plan: Plan; readonly interval: Interval }) => (
  <>
    <h3>{plan.name}</h3>
    <p>
      <b className="figures">{dollars(plan.price[interval] * 100)}</b>{" "}
      <span className="muted small">a {interval}</span>
    </p>
    <ul className="small muted effects">
      <li>{counted(plan.monthly_runs, "run")} a month</li>
      <li>{plan.parallel_executions} at the same time</li>
      <li>{counted(plan.seats, "seat")}</li>
      <li>{counted(plan.schedules, "schedule")}</li>
      <li>{counted(plan.api_keys, "API key")}</li>
      <li>Results for {plan.retention_days} days</li>
      <li>{plan.visual_baselines ? "Visual baselines" : "No visual baselines"}</li>
    </ul>
  </>
);
