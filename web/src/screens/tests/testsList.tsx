import "../runs/runs.css";
import "./tests.css";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type TestSummary, tagsQuery, testsQuery } from "../../service/tests.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Page } from "../../shell/pages.tsx";
import { Icon } from "../../ui/icon.tsx";
import { MoreRows } from "../../ui/moreRows.tsx";
import { Empty, Failure, Loading } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import type { TestsSearch } from "../search.ts";
import { SelectionBar } from "./selectionBar.tsx";

/** The search is applied once typing has paused for this time, in milliseconds. */
const PAUSE_MS = 200;

export const TestsList = () => {
  const search = useSearch({ strict: false }) as TestsSearch;
  const mayWrite = useMay("catalogue:write");
  return (
    <Page
      title="Tests"
      actions={
        mayWrite && (
          <Link className="button primary" to="/tests/new">
            <Icon name="plus" /> New test
          </Link>
        )
      }
    >
      <Filters search={search} />
      <Rows search={search} />
    </Page>
  );
};

/** The filters live in the address. */
const Filters = ({ search }: { readonly search: TestsSearch }) => {
  const navigate = useNavigate();
  const { data: tags } = useQuery(tagsQuery());
  const [text, setText] = useState(search.q ?? "");
  useEffect(() => {
    if (text === (search.q ?? "")) return;
    const timer = setTimeout(
      () =>
        void navigate({
          to: "/tests",
          search: { ...search, q: text.trim() || undefined },
          replace: true,
        }),
      PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [text, search, navigate]);
  return (
    <div className="stack">
      <div className="search">
        <Icon name="search" />
        <input
          className="input"
          type="search"
          aria-label="Search tests"
          placeholder="Search by name or sentence"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {tags && tags.items.length > 0 && (
        <nav className="chips" aria-label="Tag">
          {tags.items.map(({ id, name }) => (
            <Link
              key={id}
              className="chip"
              to="/tests"
              search={{ ...search, tag: search.tag === name ? undefined : name }}
              aria-current={search.tag === name ? "true" : undefined}
            >
              {name}
            </Link>
          ))}
        </nav>
      )}
    </div>
  );
};

const Rows = ({ search }: { readonly search: TestsSearch }) => {
  const query = useInfiniteQuery(testsQuery(search));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const mayWrite = useMay("catalogue:write");
  if (query.error) {
    return (
      <Failure
        title="The tests could not be loaded"
        detail={query.error.message}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (!query.data) return <Loading label="Loading the tests" />;
  const tests = query.data.pages.flatMap(({ items }) => items);
  if (tests.length === 0) return <NoTests isFiltered={Object.values(search).some(Boolean)} />;
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <>
      <ul className="card rows">
        {tests.map((test) => (
          <TestRow
            key={test.id}
            test={test}
            isChosen={chosen.has(test.id)}
            {...(mayWrite && { onToggle: toggle })}
          />
        ))}
      </ul>
      <MoreRows
        hasMore={query.hasNextPage}
        isLoading={query.isFetchingNextPage}
        onMore={query.fetchNextPage}
      />
      {chosen.size > 0 && (
        <SelectionBar
          tests={tests.filter(({ id }) => chosen.has(id))}
          onDone={() => setChosen(new Set())}
        />
      )}
    </>
  );
};

type TestRowProps = {
  readonly test: TestSummary;
  readonly isChosen: boolean;
  readonly onToggle?: (id: string) => void;
};

const TestRow = ({ test, isChosen, onToggle }: TestRowProps) => (
  <li className="row">
    {onToggle && (
      <input
        type="checkbox"
        className="checkbox"
        aria-label={`Select ${test.name}`}
        checked={isChosen}
        onChange={() => onToggle(test.id)}
      />
    )}
    <span className="row-main">
      <Link className="row-title" to="/tests/$testId" params={{ testId: test.id }}>
        {test.name}
      </Link>
      <span className="row-note">
        {test.step_count === 1 ? "1 step" : `${test.step_count} steps`} · changed{" "}
        <Ago at={test.updated_at} />
      </span>
    </span>
    <span className="totals">
      {test.tags.map(({ id, name }) => (
        <span key={id} className="tag">
          {name}
        </span>
      ))}
    </span>
  </li>
);

const NoTests = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  const mayWrite = useMay("catalogue:write");
  if (isFiltered) {
    return (
      <Empty icon="search" title="No test matches">
        <Link className="button plain" to="/tests">
          Show all tests
        </Link>
      </Empty>
    );
  }
  return (
    <Empty icon="tests" title="No tests yet">
      <p>A test is a text in plain English. Each sentence becomes a step in a real browser.</p>
      {mayWrite && (
        <Link className="button primary" to="/tests/new">
          Write a test
        </Link>
      )}
    </Empty>
  );
};
