import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Schedule, type Tick, ticksQuery, upcomingQuery } from "../../service/schedules.ts";
import { PagedRows } from "../../ui/pagedRows.tsx";
import { Ago } from "../../ui/time.tsx";
import { cronText } from "./cronText.ts";
import { OutcomeBadge } from "./outcome.tsx";

/** When the schedule starts runs next, and the outcomes of the past ticks. */
export const Ticks = ({ schedule }: { readonly schedule: Schedule }) => {
  const past = useInfiniteQuery(ticksQuery(schedule.id));
  return (
    <>
      <section className="stack" aria-labelledby="next">
        <h2 id="next">Next ticks</h2>
        <p>
          {cronText(schedule.cron) ?? <code>{schedule.cron}</code>}{" "}
          <span className="muted">· {schedule.timezone}</span>
        </p>
        {schedule.status === "active" && <Upcoming schedule={schedule} />}
      </section>
      <section className="stack" aria-labelledby="past">
        <h2 id="past">Past ticks</h2>
        <PagedRows
          query={past}
          what="past ticks"
          empty={<p className="muted">The schedule has not started a run yet.</p>}
        >
          {(tick) => <TickRow key={tick.id} tick={tick} zone={schedule.timezone} />}
        </PagedRows>
      </section>
    </>
  );
};

const inZone = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    ...{ weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
    timeZone,
  }).format(new Date(at));

const Upcoming = ({ schedule }: { readonly schedule: Schedule }) => {
  const { data, error } = useQuery(upcomingQuery(schedule));
  if (error) return <p className="note error">{error.message}</p>;
  if (data?.items.length === 0) return <p className="muted">No date fits this expression.</p>;
  return (
    <ol className="chips figures">
      {data?.items.map(({ tick_at }) => (
        <li key={tick_at} className="tag">
          <time dateTime={tick_at}>{inZone(tick_at, schedule.timezone)}</time>
        </li>
      ))}
    </ol>
  );
};

const TickRow = ({ tick, zone }: { readonly tick: Tick; readonly zone: string }) => {
  const { tick_at, until_at, count, outcome, run_ids, reason } = tick;
  return (
    <li className="row">
      <OutcomeBadge outcome={outcome} />
      <span className="row-main">
        <span>
          {inZone(tick_at, zone)}
          {count > 1 && ` to ${inZone(until_at, zone)}, ${count} ticks`}
        </span>
        {reason && <span className="note">{reason}</span>}
      </span>
      {run_ids.map((runId, index) => (
        <Link key={runId} to="/runs/$runId" params={{ runId }}>
          {run_ids.length === 1 ? "Run" : `Run ${index + 1}`}
        </Link>
      ))}
      <span className="row-time">
        <Ago at={tick_at} />
      </span>
    </li>
  );
};
