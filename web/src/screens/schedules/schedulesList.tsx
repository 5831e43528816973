import "../runs/runs.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Schedule, schedulesQuery } from "../../service/schedules.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Page } from "../../shell/pages.tsx";
import { Icon } from "../../ui/icon.tsx";
import { PagedRows } from "../../ui/pagedRows.tsx";
import { Empty } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import { Needs } from "../forbidden.tsx";
import { cronText } from "./cronText.ts";
import { OutcomeBadge } from "./outcome.tsx";

const newSchedule = (
  <Link className="button primary" to="/schedules/new">
    <Icon name="plus" /> New schedule
  </Link>
);

export const SchedulesList = () => {
  const mayWrite = useMay("schedules:write");
  return (
    <Page title="Schedules" actions={mayWrite && newSchedule}>
      <Needs permission="results:read" act="read schedules">
        <Rows />
      </Needs>
    </Page>
  );
};

const Rows = () => {
  const query = useInfiniteQuery(schedulesQuery());
  const mayWrite = useMay("schedules:write");
  return (
    <PagedRows
      query={query}
      what="schedules"
      empty={
        <Empty icon="clock" title="No schedules yet">
          <p>A schedule runs tests at fixed times, such as every morning.</p>
          {mayWrite ? newSchedule : <p>Only owners and administrators create schedules.</p>}
        </Empty>
      }
    >
      {(schedule) => <ScheduleRow key={schedule.id} schedule={schedule} />}
    </PagedRows>
  );
};

const ScheduleRow = ({ schedule }: { readonly schedule: Schedule }) => {
  const { id, name, cron, timezone, status, next_tick_at, last_tick } = schedule;
  return (
    <li className="row">
      <span className="row-main">
        <Link className="row-title" to="/schedules/$scheduleId" params={{ scheduleId: id }}>
          {name}
        </Link>
        <span className="row-note">
          {cronText(cron) ?? cron} · {timezone}
        </span>
      </span>
      {last_tick && (
        <span className="small muted">
          <OutcomeBadge outcome={last_tick.outcome} /> <Ago at={last_tick.tick_at} />
        </span>
      )}
      <span className="row-time">
        {status === "paused" ? "Paused" : next_tick_at && <Ago at={next_tick_at} />}
      </span>
    </li>
  );
};
