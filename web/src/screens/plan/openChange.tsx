import { useMutation, useQuery } from "@tanstack/react-query";
import { messageOf } from "../../service/errors.ts";
import {
  cancelChange,
  confirmChange,
  type PlanChange,
  planChangeQuery,
} from "../../service/plan.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Button } from "../../ui/button.tsx";
import { Loading, Notice } from "../../ui/states.tsx";
import { report } from "../../ui/toasts.tsx";
import { day, dollars, planName } from "./words.ts";

/** A requested change with its effects, before it is confirmed. */
export const OpenChange = ({ id }: { readonly id: string }) => {
  const { data, error } = useQuery(planChangeQuery(id));
  if (error && !data) return <Notice kind="error">{error.message}</Notice>;
  if (!data) return <Loading label="Loading the change" />;
  return <Preview change={data} />;
};

const outcomes: Partial<Record<PlanChange["status"], string>> = {
  applied: "The plan is changed",
  scheduled: "The change is scheduled",
};

const Preview = ({ change }: { readonly change: PlanChange }) => {
  const mayWrite = useMay("plan:write");
  const onError = (error: unknown) => report("error", messageOf(error));
  const confirm = useMutation({
    mutationFn: () => confirmChange(change.id),
    onSuccess: ({ checkout_url, status }) => {
      if (checkout_url !== null) location.assign(checkout_url);
      else report("success", outcomes[status] ?? "The change is confirmed");
    },
    onError,
  });
  const cancel = useMutation({ mutationFn: () => cancelChange(change.id), onError });
  const { preview, from_plan, to_plan, effective_at } = change;
  const due = preview.proration.due_cents;
  return (
    <section className="card change" aria-labelledby="change">
      <h2 id="change">
        From {planName(from_plan)} to {planName(to_plan)}
      </h2>
      <p>
        It takes effect on {day(effective_at)}.{" "}
        {due > 0 ? <b className="figures">{dollars(due)} are due now.</b> : "Nothing is due now."}
      </p>
      <ul className="muted small figures">
        {preview.proration.lines.map(({ what, cents }) => (
          <li key={what}>
            {what === "credit" ? "Unused part of the current plan" : "New plan"}: {dollars(cents)}
          </li>
        ))}
      </ul>
      <Effects title="You gain" effects={preview.gains} />
      <Effects title="You lose" effects={preview.losses} />
      {preview.no_longer_fits.length > 0 && (
        <Notice kind="warning">
          <Effects title="No longer fits" effects={preview.no_longer_fits} />
        </Notice>
      )}
      {change.status === "awaiting_payment" && (
        <Notice kind="info">The change awaits its payment.</Notice>
      )}
      {mayWrite && (
        <div className="actions">
          <Button
            look="primary"
            onClick={() => confirm.mutate()}
            busy={confirm.isPending && "Confirming…"}
          >
            {due > 0 ? "Go to the payment" : "Confirm the change"}
          </Button>
          <Button onClick={() => cancel.mutate()} busy={cancel.isPending && "Cancelling…"}>
            Cancel
          </Button>
        </div>
      )}
    </section>
  );
};

type EffectsProps = { readonly title: string; readonly effects: readonly string[] };

const Effects = ({ title, effects }: EffectsProps) =>
  effects.length === 0 ? null : (
    <div>
      <h3 className="label">{title}</h3>
      <ul className="effects">
        {effects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </div>
  );
