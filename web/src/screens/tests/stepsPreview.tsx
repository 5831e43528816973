import type { Warning } from "../../service/tests.ts";
import { Icon } from "../../ui/icon.tsx";

type Step = {
  readonly action: string;
  readonly target: string;
  readonly value: string;
  readonly description: string;
  readonly optional: boolean;
  readonly disabled: boolean;
};

/** A step as its sentence, with the action that it becomes. */
export const StepText = ({ step }: { readonly step: Step }) => (
  <span className="step-text">
    <span className="sentence">{step.description || `${step.action} ${step.target}`}</span>
    <span className="action">
      <b>{step.action.replaceAll("_", " ")}</b> {step.target}
      {step.value !== "" && <span className="value"> {step.value}</span>}
    </span>
  </span>
);

type PreviewProps = {
  readonly steps: readonly Step[];
  readonly warnings: readonly Warning[];
  /** Replaces a line of the text; absent if the text cannot be changed. */
  readonly onReplace?: ((line: number, sentence: string) => void) | undefined;
};

/** The reading of the text: lines that were not understood first, then the steps. */
export const StepsPreview = ({ steps, warnings, onReplace }: PreviewProps) => (
  <div className="preview">
    {warnings.map((warning) => (
      <NotUnderstood
        key={`${warning.line} ${warning.text}`}
        warning={warning}
        onReplace={onReplace}
      />
    ))}
    {steps.length === 0 && warnings.length === 0 && (
      <p className="muted small hint">The steps appear here as you write.</p>
    )}
    <ol className="steps">
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a preview have no ids yet
        <li key={index} className={step.disabled ? "disabled" : undefined}>
          <span className="number figures">{index + 1}</span>
          <StepText step={step} />
          {step.optional && <span className="tag">optional</span>}
        </li>
      ))}
    </ol>
  </div>
);

const NotUnderstood = ({
  warning,
  onReplace,
}: {
  readonly warning: Warning;
  readonly onReplace: PreviewProps["onReplace"];
}) => (
  <div className="not-understood">
    <p>
      <Icon name="warning" />
      <span>
        <b>Line {warning.line}</b> {warning.message}
      </span>
    </p>
    {onReplace && warning.suggestions.length > 0 && (
      <div className="suggestions">
        {warning.suggestions.map((sentence) => (
          <button
            key={sentence}
            type="button"
            className="suggestion"
            onClick={() => onReplace(warning.line, sentence)}
          >
            <span className="visually-hidden">Replace the line with: </span>
            {sentence}
          </button>
        ))}
      </div>
    )}
  </div>
);

/** A text with one of its lines, counted from 1, replaced. */
export const withLine = (text: string, line: number, sentence: string): string =>
  text
    .split("\n")
    .map((content, index) => (index === line - 1 ? sentence : content))
    .join("\n");
