import "./schedules.css";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ScheduleTerms, testSetsQuery } from "../../service/schedules.ts";
import { testsQuery } from "../../service/tests.ts";
import { Check } from "../../ui/choice.tsx";
import { Field } from "../../ui/field.tsx";
import { MoreRows } from "../../ui/moreRows.tsx";

type TestChoiceProps = {
  readonly terms: ScheduleTerms;
  readonly onChange: (change: Partial<ScheduleTerms>) => void;
};

const toggled = (ids: readonly string[], id: string, on: boolean): string[] => [
  ...ids.filter((each) => each !== id),
  ...(on ? [id] : []),
];

/** Chooses the tests and test sets that a schedule runs. */
export const TestChoice = ({ terms, onChange }: TestChoiceProps) => {
  const [text, setText] = useState("");
  const q = text.trim() || undefined;
  const tests = useInfiniteQuery(testsQuery({ q }));
  const { data: sets } = useQuery(testSetsQuery());
  const { test_ids, test_set_ids } = terms;
  const rows = tests.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <fieldset className="stack">
      <legend className="label">
        Tests{" "}
        <span className="muted figures">· {test_ids.length + test_set_ids.length} chosen</span>
      </legend>
      {sets?.items.map(({ id, name, test_ids: members }) => (
        <Check
          key={id}
          label={name}
          hint={`Test set of ${members.length}`}
          checked={test_set_ids.includes(id)}
          onChange={(on) => onChange({ test_set_ids: toggled(test_set_ids, id, on) })}
        />
      ))}
      <Field
        label="Search tests"
        type="search"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard */}
      <section className="card choice" tabIndex={0} aria-label="Tests to choose">
        {tests.error && <p className="note error">{tests.error.message}</p>}
        {tests.data && rows.length === 0 && <p className="muted">No test matches.</p>}
        {rows.map(({ id, name }) => (
          <Check
            key={id}
            label={name}
            checked={test_ids.includes(id)}
            onChange={(on) => onChange({ test_ids: toggled(test_ids, id, on) })}
          />
        ))}
        <MoreRows
          hasMore={tests.hasNextPage}
          isLoading={tests.isFetchingNextPage}
          onMore={tests.fetchNextPage}
        />
      </section>
    </fieldset>
  );
};
