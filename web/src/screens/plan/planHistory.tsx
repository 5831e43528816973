import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type PlanEvent, planHistoryQuery } from "../../service/plan.ts";
import { Field } from "../../ui/field.tsx";
import { Loading, Notice } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import { eventWords } from "../eventWords.ts";
import type { PlanSearch } from "../search.ts";
import { planName } from "./words.ts";

/** The events of the plan, also as of the end of a day, with the plan that was in force then. */
export const PlanHistory = () => {
  const { as_of } = useSearch({ strict: false }) as PlanSearch;
  const navigate = useNavigate();
  const { data, error } = useQuery({
    ...planHistoryQuery(as_of && `${as_of}T23:59:59.999Z`),
    placeholderData: keepPreviousData,
  });
  return (
    <section className="stack" aria-labelledby="plan-history">
      <h2 id="plan-history">History of the plan</h2>
      <div className="narrow">
        <Field
          label="As of the end of (UTC)"
          type="date"
          value={as_of ?? ""}
          max={new Date().toISOString().slice(0, 10)}
          onChange={({ target }) =>
            void navigate({
              to: "/settings/plan",
              search: { as_of: target.value || undefined },
              replace: true,
            })
          }
        />
      </div>
      {error && <Notice kind="error">{error.message}</Notice>}
      {!data && !error && <Loading label="Loading the history" />}
      {data && (
        <>
          <p>
            {as_of ? "In force then" : "In force now"}: <b>{planName(data.plan_at.plan)}</b>
          </p>
          {data.items.length > 0 && (
            <ul className="card rows">
              {data.items.toReversed().map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
            </ul>
          )}
          {data.items.length === 0 && <p className="muted">The plan had not changed yet.</p>}
        </>
      )}
    </section>
  );
};

const EventRow = ({ event }: { readonly event: PlanEvent }) => {
  const { plan_before, plan_after, actor, occurred_at, hash, sequence } = event;
  return (
    <li className="row">
      <span className="row-main">
        <span className="row-title">{eventWords(event.event)}</span>
        <span className="row-note" title={`Event ${sequence}, SHA-256 ${hash}`}>
          {actor.name ?? actor.type} · <Ago at={occurred_at} />
        </span>
      </span>
      <span className="muted small">
        {plan_before === plan_after
          ? planName(plan_after)
          : `${planName(plan_before)} → ${planName(plan_after)}`}
      </span>
    </li>
  );
};
