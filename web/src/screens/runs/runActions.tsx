import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { messageOf } from "../../service/errors.ts";
import { cancelRun, type Run, rerun } from "../../service/runs.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Button } from "../../ui/button.tsx";
import { isUnderWay } from "../../ui/status.tsx";
import { report } from "../../ui/toasts.tsx";

/** The actions of a person on a run; none for a role that may not dispatch runs. */
export const RunActions = ({ run }: { readonly run: Run }) => {
  const mayDispatch = useMay("runs:dispatch");
  if (!mayDispatch) return null;
  return isUnderWay(run.status) ? <Cancel run={run} /> : <Rerun run={run} />;
};

const Cancel = ({ run }: { readonly run: Run }) => {
  const cancel = useMutation({
    mutationFn: () => cancelRun(run.id),
    onError: (error) => report("error", messageOf(error)),
  });
  const isCancelling = cancel.isPending || cancel.isSuccess;
  return (
    <Button icon="stop" onClick={() => cancel.mutate()} busy={isCancelling && "Cancelling…"}>
      Cancel the run
    </Button>
  );
};

const Rerun = ({ run }: { readonly run: Run }) => {
  const navigate = useNavigate();
  const again = useMutation({
    mutationFn: (failedOnly: boolean) => rerun(run.id, failedOnly),
    onSuccess: (runId) => void navigate({ to: "/runs/$runId", params: { runId } }),
    onError: (error) => report("error", messageOf(error)),
  });
  const broken = run.totals.failed + run.totals.errored + run.totals.cancelled;
  const isPartial = broken > 0 && broken < run.tests.length;
  return (
    <>
      {isPartial && (
        <Button
          icon="retry"
          look="primary"
          onClick={() => again.mutate(true)}
          busy={again.isPending && again.variables && "Queueing…"}
        >
          Run the failed tests again
        </Button>
      )}
      <Button
        icon="retry"
        onClick={() => again.mutate(false)}
        busy={again.isPending && !again.variables && "Queueing…"}
      >
        Run again
      </Button>
    </>
  );
};
