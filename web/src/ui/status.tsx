import { Icon, type IconName } from "./icon.tsx";

/** The states of runs, executions, attempts and steps: one look for each, everywhere. */
const looks = {
  queued: { label: "Queued", tone: "idle", icon: "clock" },
  pending: { label: "Pending", tone: "idle", icon: "clock" },
  claimed: { label: "Starting", tone: "running", icon: "clock" },
  running: { label: "Running", tone: "running", icon: "runs" },
  passed: { label: "Passed", tone: "passed", icon: "check" },
  passed_with_gaps: { label: "Passed with gaps", tone: "flaky", icon: "warning" },
  healed: { label: "Healed", tone: "flaky", icon: "retry" },
  flaky: { label: "Flaky", tone: "flaky", icon: "retry" },
  failed: { label: "Failed", tone: "failed", icon: "cross" },
  errored: { label: "Errored", tone: "failed", icon: "warning" },
  cancelled: { label: "Cancelled", tone: "idle", icon: "minus" },
  gap: { label: "Not performed", tone: "flaky", icon: "warning" },
  skipped: { label: "Skipped", tone: "idle", icon: "minus" },
} as const satisfies Record<string, { label: string; tone: string; icon: IconName }>;

export type Status = keyof typeof looks;

/** Whether the state may still change. */
export const isUnderWay = (status: Status): boolean =>
  status === "queued" || status === "claimed" || status === "running" || status === "pending";

export const statusLabel = (status: Status): string => looks[status].label;

/** The state as an icon, its name read aloud only. */
export const StatusDot = ({ status }: { readonly status: Status }) => {
  const { tone, icon, label } = looks[status];
  const spins = status === "running" || status === "claimed";
  return (
    <span className={`dot ${tone}`} role="img" aria-label={label} title={label}>
      {spins ? <span className="spinner" /> : <Icon name={icon} />}
    </span>
  );
};

export const StatusBadge = ({ status }: { readonly status: Status }) => {
  const { tone, icon, label } = looks[status];
  const spins = status === "running" || status === "claimed";
  return (
    <span className={`badge ${tone}`}>
      {spins ? <span className="spinner" aria-hidden="true" /> : <Icon name={icon} />}
      {label}
    </span>
  );
};
