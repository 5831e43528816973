import "../settings/settings.css";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { messageOf } from "../../service/errors.ts";
import { endQuarantine, startQuarantine, type TestReport } from "../../service/testReports.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import { report } from "../../ui/toasts.tsx";

type QuarantineProps = {
  readonly testId: string;
  readonly quarantine: TestReport["quarantine"];
};

/** Whether the failures of the test count, and the way to change that. */
export const Quarantine = ({ testId, quarantine }: QuarantineProps) => {
  const mayWrite = useMay("schedules:write");
  const [isAsking, setAsking] = useState(false);
  const end = useMutation({
    mutationFn: () => endQuarantine(testId),
    onSuccess: () => report("success", "The quarantine is over: failures count from the next run"),
    onError: (error) => report("error", messageOf(error)),
  });
  if (quarantine) {
    const { reason, until, started_at } = quarantine;
    return (
      <Notice kind="warning">
        <div className="stack">
          <span>
            In quarantine since <Ago at={started_at} />, until {until.slice(0, 10)}: the test runs,
            but its failures do not count. Reason: {reason}
          </span>
          {mayWrite && (
            <div>
              <Button onClick={() => end.mutate()} busy={end.isPending && "Ending…"}>
                End the quarantine
              </Button>
            </div>
          )}
        </div>
      </Notice>
    );
  }
  if (!mayWrite) return null;
  return (
    <div>
      <Button onClick={() => setAsking(true)}>Quarantine the test</Button>
      <Dialog isOpen={isAsking} title="Quarantine the test" onClose={() => setAsking(false)}>
        <QuarantineForm testId={testId} onDone={() => setAsking(false)} />
      </Dialog>
    </div>
  );
};

const durations = [
  { value: "7", label: "A week" },
  { value: "14", label: "Two weeks" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
];

type FormProps = { readonly testId: string; readonly onDone: () => void };

const QuarantineForm = ({ testId, onDone }: FormProps) => {
  const [reason, setReason] = useState("");
  const [days, setDays] = useState("7");
  const start = useMutation({
    mutationFn: () => startQuarantine(testId, { days: Number(days), reason }),
    onSuccess: onDone,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <form className="form" onSubmit={submit}>
      {start.error && <Notice kind="error">{start.error.message}</Notice>}
      <p className="muted">It still runs, but its failures do not count until the end.</p>
      <Field
        label="Reason"
        required
        maxLength={500}
        autoComplete="off"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <Select label="For" value={days} options={durations} onChoose={setDays} />
      <div className="actions end">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={start.isPending && "Starting…"}>
          Start the quarantine
        </Button>
      </div>
    </form>
  );
};
