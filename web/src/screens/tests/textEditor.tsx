import { type KeyboardEvent, useId, useRef } from "react";
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
  const gutter = useRef<HTMLDivElement>(null);
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
      <div className="gutter" ref={gutter} aria-hidden="true">
        {text.split("\n").map((_line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity beside its number
          <span key={index} className={marked.has(index + 1) ? "marked" : undefined}>
            {index + 1}
          </span>
        ))}
      </div>
      <textarea
        id={id}
        value={text}
        wrap="off"
        spellCheck={false}
        autoCapitalize="off"
        readOnly={readOnly}
        placeholder={placeholder}
        aria-invalid={warnings.length > 0 ? true : undefined}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={submitOnEnter}
        onScroll={(event) => {
          if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
};
