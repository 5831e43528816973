import type { Parsed } from "../../service/tests.ts";
import { StepsPreview, withLine } from "./stepsPreview.tsx";
import { TextEditor } from "./textEditor.tsx";

type WorkbenchProps = {
  readonly text: string;
  readonly parsed: Parsed;
  readonly placeholder?: string;
  /** Absent if the text cannot be changed. */
  readonly onChange?: ((text: string) => void) | undefined;
  /** Called on Ctrl+Enter or ⌘+Enter. */
  readonly onSubmit?: () => void;
};

/** The sentences of a test on the left, its steps on the right. */
export const Workbench = ({ text, parsed, placeholder, onChange, onSubmit }: WorkbenchProps) => {
  const replace = (line: number, sentence: string) => onChange?.(withLine(text, line, sentence));
  return (
    <div className="card workbench">
      <TextEditor
        label="Sentences of the test"
        text={text}
        warnings={parsed.warnings}
        readOnly={onChange === undefined}
        onChange={(next) => onChange?.(next)}
        {...(placeholder !== undefined && { placeholder })}
        {...(onSubmit && { onSubmit })}
      />
      <StepsPreview
        steps={parsed.steps}
        warnings={parsed.warnings}
        onReplace={onChange && replace}
      />
    </div>
  );
};
