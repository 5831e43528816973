import type { ButtonHTMLAttributes } from "react";
import { Icon, type IconName } from "./icon.tsx";

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly look?: "primary" | "plain" | "quiet" | "danger";
  readonly icon?: IconName;
  /** Text shown while the button's action is under way: the button is then disabled. */
  readonly busy?: string | false;
};

export const Button = ({ look = "plain", icon, busy, children, ...rest }: ButtonProps) => (
  <button type="button" {...rest} className={`button ${look}`} disabled={rest.disabled || !!busy}>
    {busy ? <Spinner /> : icon && <Icon name={icon} />}
    {busy || children}
  </button>
);

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children"> & {
  readonly icon: IconName;
  readonly label: string;
};

export const IconButton = ({ icon, label, ...rest }: IconButtonProps) => (
  <button type="button" {...rest} className="icon-button" aria-label={label} title={label}>
    <Icon name={icon} />
  </button>
);

export const Spinner = () => <span className="spinner" aria-hidden="true" />;
