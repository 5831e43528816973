import "../runs/runs.css";
import "../settings/settings.css";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { messageOf } from "../../service/errors.ts";
import {
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  runNow,
  type Schedule,
  scheduleQuery,
} from "../../service/schedules.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Page } from "../../shell/pages.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Failure, Loading, Notice } from "../../ui/states.tsx";
import { report } from "../../ui/toasts.tsx";
import { Needs } from "../forbidden.tsx";
import { Foreign } from "../foreign.tsx";
import { ScheduleForm } from "./scheduleForm.tsx";
import { Ticks } from "./ticks.tsx";

const crumbs = [{ to: "/schedules", label: "Schedules" }];

/** A schedule: its terms, the next ticks and the outcomes of the past ones. */
export const SchedulePage = () => {
  const { scheduleId = "" } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(scheduleQuery(scheduleId));
  if (data) return <Loaded schedule={data} />;
  return (
    <Page title="Schedule" crumbs={crumbs}>
      {error ? (
        <Foreign error={error}>
          <Failure
            title="The schedule could not be loaded"
            detail={error.message}
            onRetry={() => void refetch()}
          />
        </Foreign>
      ) : (
        <Loading label="Loading the schedule" />
      )}
    </Page>
  );
};

export const NewSchedule = () => {
  const navigate = useNavigate();
  const open = ({ id }: Schedule) =>
    void navigate({ to: "/schedules/$scheduleId", params: { scheduleId: id }, replace: true });
  return (
    <Page title="New schedule" crumbs={crumbs}>
      <Needs permission="schedules:write" act="create schedules">
        <ScheduleForm stored={null} onStored={open} />
      </Needs>
    </Page>
  );
};

const Loaded = ({ schedule }: { readonly schedule: Schedule }) => {
  const mayWrite = useMay("schedules:write");
  return (
    <Page
      title={schedule.name}
      crumbs={crumbs}
      actions={mayWrite && <Actions schedule={schedule} />}
    >
      {schedule.status === "paused" && (
        <Notice kind="warning">The schedule is paused: it starts no runs.</Notice>
      )}
      <Ticks schedule={schedule} />
      {!mayWrite && <Notice kind="info">Only owners and administrators change schedules.</Notice>}
      <fieldset className="stack" disabled={!mayWrite}>
        <h2>Terms of the schedule</h2>
        <ScheduleForm
          key={schedule.version}
          stored={schedule}
          onStored={() => report("success", "The schedule is saved")}
        />
      </fieldset>
    </Page>
  );
};

const Actions = ({ schedule: { id, name, status } }: { readonly schedule: Schedule }) => {
  const navigate = useNavigate();
  const onError = (error: unknown) => report("error", messageOf(error));
  const isPaused = status === "paused";
  const pause = useMutation({
    mutationFn: () => (isPaused ? resumeSchedule(id) : pauseSchedule(id)),
    onError,
  });
  const run = useMutation({
    mutationFn: () => runNow(id),
    onSuccess: ([runId]) => {
      if (runId) void navigate({ to: "/runs/$runId", params: { runId } });
    },
    onError,
  });
  const remove = useMutation({
    mutationFn: () => deleteSchedule(id),
    onSuccess: () => {
      report("success", `${name} deleted`);
      void navigate({ to: "/schedules" });
    },
    onError,
  });
  return (
    <>
      <Button icon="play" onClick={() => run.mutate()} busy={run.isPending && "Queueing…"}>
        Run now
      </Button>
      <Button onClick={() => pause.mutate()} disabled={pause.isPending}>
        {isPaused ? "Resume" : "Pause"}
      </Button>
      <Confirm
        trigger={
          <Button icon="trash" busy={remove.isPending && "Deleting…"}>
            Delete
          </Button>
        }
        title={`Delete ${name}?`}
        text="It starts no more runs. Its past runs stay. This cannot be undone."
        action="Delete"
        onConfirm={() => remove.mutate()}
      />
    </>
  );
};
