import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

type MenuProps = {
  /** The button that opens the menu. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly align?: "start" | "end";
  readonly children: ReactNode;
};

export const Menu = ({ trigger, align = "start", children }: MenuProps) => (
  <Base.Root modal={false}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner className="popup-layer" sideOffset={6} align={align}>
        <Base.Popup className="menu">{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);

type ItemProps = {
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
};

export const MenuItem = ({ icon, danger, onSelect, children }: ItemProps) => (
  <Base.Item className={danger ? "menu-item danger" : "menu-item"} onClick={onSelect}>
    {icon && <Icon name={icon} />}
    {children}
  </Base.Item>
);

type ChoiceProps = {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChoose: (value: string) => void;
};

/** A labelled group of items of which one is chosen. */
export const MenuChoice = ({ label, value, options, onChoose }: ChoiceProps) => (
  <Base.RadioGroup value={value} onValueChange={(next: string) => onChoose(next)}>
    <Base.Group>
      <Base.GroupLabel className="menu-label">{label}</Base.GroupLabel>
      {options.map((option) => (
        <Base.RadioItem
          key={option.value}
          value={option.value}
          className="menu-item"
          closeOnClick={true}
        >
          <span className="menu-mark">
            <Base.RadioItemIndicator>
              <Icon name="check" />
            </Base.RadioItemIndicator>
          </span>
          {option.label}
        </Base.RadioItem>
      ))}
    </Base.Group>
  </Base.RadioGroup>
);

export const MenuSeparator = () => <Base.Separator className="menu-separator" />;
