import type { ReactNode } from "react";
import { Button, Spinner } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** A wait, with what is awaited. */
export const Loading = ({ label }: { readonly label: string }) => (
  <p className="state" role="status">
    <Spinner /> {label}…
  </p>
);

type EmptyProps = {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
};

export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div className="state empty">
    <span className="state-icon">
      <Icon name={icon} />
    </span>
    <h2>{title}</h2>
    {children}
  </div>
);

/** A message that interrupts nothing: an error of a form, a notice above a list. */
export const Notice = ({
  kind,
  children,
}: {
  readonly kind: "error" | "info" | "success" | "warning";
  readonly children: ReactNode;
}) => (
  <div className={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
    <Icon name={kind === "success" ? "check" : "warning"} />
    <div>{children}</div>
  </div>
);

type FailureProps = {
  readonly title: string;
  readonly detail: string;
  readonly onRetry?: () => void;
  readonly children?: ReactNode;
};

/** An error in the place of a screen or a part of it. */
export const Failure = ({ title, detail, onRetry, children }: FailureProps) => (
  <div className="state empty" role="alert">
    <span className="state-icon failed">
      <Icon name="warning" />
    </span>
    <h2>{title}</h2>
    <p>{detail}</p>
    <div className="actions">
      {onRetry && (
        <Button icon="retry" onClick={onRetry}>
          Try again
        </Button>
      )}
      {children}
    </div>
  </div>
);
