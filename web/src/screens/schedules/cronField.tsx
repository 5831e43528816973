import { Field } from "../../ui/field.tsx";
import { cronText } from "./cronText.ts";

const examples = ["0 * * * *", "0 7 * * *", "0 7 * * 1-5", "0 3 * * 1"] as const;

type CronFieldProps = { readonly value: string; readonly onChange: (cron: string) => void };

/** A cron expression, with its meaning and some examples to choose. */
export const CronField = ({ value, onChange }: CronFieldProps) => (
  <div className="stack">
    <Field
      label="Time as a cron expression"
      required
      maxLength={200}
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      hint={cronText(value) ?? "Five fields: minute, hour, day of month, month, day of week."}
    />
    <div className="chips">
      {examples.map((cron) => (
        <button
          key={cron}
          type="button"
          className="chip"
          aria-pressed={cron === value}
          onClick={() => onChange(cron)}
        >
          {cronText(cron)}
        </button>
      ))}
    </div>
  </div>
);
