import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { messageOf } from "../../service/errors.ts";
import { queueRun } from "../../service/runs.ts";
import { deleteTests, restoreTests, type TestSummary } from "../../service/tests.ts";
import { useMay } from "../../service/usePermissions.ts";
import { useSignedIn } from "../../service/useSession.ts";
import { Button } from "../../ui/button.tsx";
import { report } from "../../ui/toasts.tsx";
import { lastBaseUrl } from "./baseUrl.ts";

type SelectionBarProps = {
  readonly tests: readonly TestSummary[];
  /** Called when the selection is no longer needed. */
  readonly onDone: () => void;
};

const counted = (count: number): string => (count === 1 ? "1 test" : `${count} tests`);

/** Acts on the selected tests together. */
export const SelectionBar = ({ tests, onDone }: SelectionBarProps) => {
  const { organization } = useSignedIn();
  const navigate = useNavigate();
  const mayRun = useMay("runs:dispatch");
  const ids = tests.map(({ id }) => id);
  const onError = (error: unknown) => report("error", messageOf(error));
  const run = useMutation({
    mutationFn: () => queueRun({ testIds: ids, baseUrl: lastBaseUrl(organization?.id ?? "") }),
    onSuccess: (runId) => void navigate({ to: "/runs/$runId", params: { runId } }),
    onError,
  });
  const remove = useMutation({
    mutationFn: () => deleteTests(ids),
    onSuccess: () => {
      onDone();
      report("success", `${counted(ids.length)} deleted`, {
        label: "Undo",
        act: () => void restoreTests(ids).catch(onError),
      });
    },
    onError,
  });
  return (
    <section className="selection" aria-label="Selected tests">
      <span className="figures">{counted(tests.length)} selected</span>
      {mayRun && (
        <Button
          look="primary"
          icon="play"
          onClick={() => run.mutate()}
          busy={run.isPending && "Queueing…"}
        >
          Run
        </Button>
      )}
      <Button
        look="danger"
        icon="trash"
        onClick={() => remove.mutate()}
        busy={remove.isPending && "Deleting…"}
      >
        Delete
      </Button>
      <Button look="quiet" onClick={onDone}>
        Clear
      </Button>
    </section>
  );
};
