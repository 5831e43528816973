import type { Outcome } from "../../service/schedules.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";

const looks = {
  fired: { label: "Started", tone: "passed", icon: "check" },
  skipped: { label: "Skipped", tone: "idle", icon: "minus" },
  missed: { label: "Missed", tone: "flaky", icon: "warning" },
  refused: { label: "Refused", tone: "failed", icon: "cross" },
} as const satisfies Record<Outcome, { label: string; tone: string; icon: IconName }>;

/** The outcome of a tick: whether its runs were started. */
export const OutcomeBadge = ({ outcome }: { readonly outcome: Outcome }) => {
  const { label, tone, icon } = looks[outcome];
  return (
    <span className={`badge ${tone}`}>
      <Icon name={icon} />
      {label}
    </span>
  );
};
