import { type ReactNode, type SelectHTMLAttributes, useId } from "react";

type Option = { readonly value: string; readonly label: string };

type SelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange"> & {
  readonly label: string;
  readonly options: readonly Option[];
  readonly hint?: ReactNode;
  /** Whether the label is only read aloud. */
  readonly isLabelHidden?: boolean;
  readonly onChoose: (value: string) => void;
};

/** A labelled list of options of which one is chosen. */
export const Select = (props: SelectProps) => {
  const { label, options, hint, isLabelHidden, onChoose, ...select } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? "visually-hidden" : undefined}>
        {label}
      </label>
      <select
        {...select}
        id={id}
        className="input select"
        aria-describedby={hint ? `${id}-note` : undefined}
        onChange={(event) => onChoose(event.target.value)}
      >
        {options.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <p id={`${id}-note`} className="note">
          {hint}
        </p>
      )}
    </div>
  );
};

type CheckProps = {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
};

/** A labelled checkbox. */
export const Check = ({ label, hint, checked, disabled, onChange }: CheckProps) => (
  <label className="check">
    <input
      type="checkbox"
      className="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.target.checked)}
    />
    <span>
      {label}
      {hint && <span className="note"> {hint}</span>}
    </span>
  </label>
);
