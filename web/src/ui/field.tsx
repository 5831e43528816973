import { type InputHTMLAttributes, type ReactNode, useId } from "react";

type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null;
};

/** A labelled text input with a hint or an error below it. */
export const Field = ({ label, hint, error, ...input }: FieldProps) => {
  const id = useId();
  const note = error || hint;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        className="input"
        aria-invalid={error ? true : undefined}
        aria-describedby={note ? `${id}-note` : undefined}
      />
      {note && (
        <p id={`${id}-note`} className={error ? "note error" : "note"}>
          {note}
        </p>
      )}
    </div>
  );
};
