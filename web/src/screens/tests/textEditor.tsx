import { type KeyboardEvent, useId } from "react";
import type { Warning } from "../../service/tests.ts";

type TextEditorProps = {
  readonly label: string;
  readonly text: string;
  readonly warnings: readonly Warning[];
  readonly readOnly?: boolean;
  readonly placeholder?: string;
  readonly onChange: (text: string) => void;
  /** Called on Ctrl+Enter or ⌘+Enter. */
  readonly onSubmit?: () => void;
};

/** The sentences of a test, with numbered lines. Lines that were not understood are marked. */
export const TextEditor = (props: TextEditorProps) => {
  const { label, text, warnings, readOnly, placeholder, onChange, onSubmit } = props;
  const id = useId();
  const marked = new Set(warnings.map(({ line }) => line));
  const submitOnEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <div className="editor">
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      {/* The same text with the same breaks below the field: it gives each number the height of its line. */}
      <div className="lines" aria-hidden="true">
        {text.split("\n").map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity beside its number
          <div key={index} className={marked.has(index + 1) ? "line marked" : "line"}>
            <span className="line-number">{index + 1}</span>
            {line}
          </div>
        ))}
      </div>
      <textarea
        id={id}
        value={text}
        spellCheck={false}
        autoCapitalize="off"
        readOnly={readOnly}
        placeholder={placeholder}
        aria-invalid={warnings.length > 0 ? true : undefined}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={submitOnEnter}
      />
    </div>
  );
};
