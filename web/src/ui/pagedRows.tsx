import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { MoreRows } from "./moreRows.tsx";
import { Failure, Loading } from "./states.tsx";

type Pages<Row> = { readonly pages: readonly { readonly items: readonly Row[] }[] };

type PagedRowsProps<Row> = {
  readonly query: UseInfiniteQueryResult<Pages<Row>>;
  /** The rows in the plural, such as "runs". */
  readonly what: string;
  /** Shown instead of an empty list. */
  readonly empty: ReactNode;
  readonly children: (row: Row) => ReactNode;
};

/** A list that is read page by page, with its wait, its error and its emptiness. */
export const PagedRows = <Row,>({ query, what, empty, children }: PagedRowsProps<Row>) => {
  if (query.error && !query.data) {
    return (
      <Failure
        title={`The ${what} could not be loaded`}
        detail={query.error.message}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (!query.data) return <Loading label={`Loading the ${what}`} />;
  const rows = query.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0) return empty;
  return (
    <>
      <ul className="card rows">{rows.map(children)}</ul>
      <MoreRows
        hasMore={query.hasNextPage}
        isLoading={query.isFetchingNextPage}
        onMore={query.fetchNextPage}
      />
    </>
  );
};
