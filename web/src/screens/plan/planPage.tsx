import "../home/home.css";
import "./plan.css";
import { useMutation, useQuery } from "@tanstack/react-query";
import { messageOf } from "../../service/errors.ts";
import { usageQuery } from "../../service/organization.ts";
import { type CurrentPlan, planQuery, withdrawScheduledChange } from "../../service/plan.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Button } from "../../ui/button.tsx";
import { Failure, Loading, Notice } from "../../ui/states.tsx";
import { report } from "../../ui/toasts.tsx";
import { Needs } from "../forbidden.tsx";
import { SettingsPage } from "../settings/settingsPage.tsx";
import { OpenChange } from "./openChange.tsx";
import { PlanHistory } from "./planHistory.tsx";
import { Plans } from "./plans.tsx";
import { day, planName } from "./words.ts";

/** The plan of the organisation: its limits, their use, a change with its effects, and the plan's events. */
export const PlanPage = () => (
  <SettingsPage title="Plan">
    <Needs permission="plan:read" act="read the plan">
      <Loaded />
    </Needs>
  </SettingsPage>
);

const Loaded = () => {
  const { data, error, refetch } = useQuery(planQuery());
  if (error && !data) {
    return (
      <Failure
        title="The plan could not be loaded"
        detail={error.message}
        onRetry={() => void refetch()}
      />
    );
  }
  if (!data) return <Loading label="Loading the plan" />;
  return (
    <>
      <Summary plan={data} />
      {data.attention && <Notice kind="error">{data.attention.reason}</Notice>}
      {data.scheduled_change && <Scheduled change={data.scheduled_change} />}
      {data.open_change && <OpenChange id={data.open_change.id} />}
      <Plans current={data} />
      <PlanHistory />
    </>
  );
};

const periodText = ({ period_end, interval, granted_until, status }: CurrentPlan): string => {
  if (status === "granted")
    return granted_until ? `granted until ${day(granted_until)}` : "granted";
  if (period_end === null) return "without payment";
  const paid = interval === "year" ? "paid by the year" : "paid by the month";
  return `${paid}, ${status === "cancelling" ? "ends" : "renews"} ${day(period_end)}`;
};

const Summary = ({ plan }: { readonly plan: CurrentPlan }) => {
  const { data: usage } = useQuery(usageQuery());
  const limit = (name: string) => plan.entitlements.find((each) => each.name === name)?.limit;
  const figures = [
    ["Plan", planName(plan.plan), periodText(plan)],
    [
      "Runs left",
      usage ? String(usage.remaining) : "–",
      usage ? `of ${usage.limit}, until ${day(usage.resets_at)}` : "",
    ],
    ["At the same time", String(limit("parallel_executions") ?? "–"), "executions"],
    ["Results are kept", String(limit("retention_days") ?? "–"), "days"],
  ] as const;
  return (
    <section className="card figures-row" aria-label="Your plan">
      {figures.map(([label, value, note]) => (
        <div key={label} className="figure">
          <span className="muted small">{label}</span>
          <span className="big figures">{value}</span>
          <span className="muted small">{note}</span>
        </div>
      ))}
    </section>
  );
};

type ScheduledChange = NonNullable<CurrentPlan["scheduled_change"]>;

const Scheduled = ({ change }: { readonly change: ScheduledChange }) => {
  const mayWrite = useMay("plan:write");
  const withdraw = useMutation({
    mutationFn: withdrawScheduledChange,
    onSuccess: () => report("success", "The scheduled change is withdrawn"),
    onError: (error) => report("error", messageOf(error)),
  });
  return (
    <Notice kind="info">
      <div className="stack">
        <span>
          The plan changes to {planName(change.to_plan)} on {day(change.effective_at)}.
        </span>
        {mayWrite && (
          <div>
            <Button onClick={() => withdraw.mutate()} busy={withdraw.isPending && "Withdrawing…"}>
              Keep the current plan
            </Button>
          </div>
        )}
      </div>
    </Notice>
  );
};
