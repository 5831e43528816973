import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type Connection, watchRun } from "./liveEvents.ts";
import { runAfter } from "./runProgress.ts";
import { executionQuery, type Run, type RunEvent, runQuery } from "./runs.ts";

/** Interval in which a shown execution is read again while events arrive, in milliseconds. */
const REREAD_MS = 250;

const isOver = (run: Run): boolean => run.finished_at !== null;

/** The screenshot that an event announces. */
const pictureOf = (event: RunEvent): string =>
  `/api/v1/tests/${event.execution_id}/screenshots/${event.browser}/${event.step_number}?attempt=${event.attempt}`;

/**
 * A run that follows its events until it is over. `pictures` has the latest screenshot of each execution that has
 * taken one since the screen was opened.
 */
export const useLiveRun = (id: string) => {
  const queries = useQueryClient();
  const query = useQuery(runQuery(id));
  const [connection, setConnection] = useState<Connection>("connecting");
  const [pictures, setPictures] = useState<Readonly<Record<string, string>>>({});
  const over = query.data === undefined || isOver(query.data);

  useEffect(() => {
    if (over) return;
    const { queryKey } = runQuery(id);
    const rereads = rereadExecutions((executionId) =>
      queries.invalidateQueries({ queryKey: executionQuery(executionId).queryKey }),
    );
    const onEvent = (event: RunEvent): void => {
      queries.setQueryData(queryKey, (run: Run | undefined) => run && runAfter(run, event));
      if (event.execution_id !== null) rereads.add(event.execution_id);
      if (event.name === "screenshot_taken" && event.execution_id !== null) {
        const picture = { [event.execution_id]: pictureOf(event) };
        setPictures((known) => ({ ...known, ...picture }));
      }
      if (event.name === "run_finished" || event.name === "run_cancelled") {
        void queries.invalidateQueries({ queryKey });
        void queries.invalidateQueries({ queryKey: ["usage"] });
      }
    };
    const end = watchRun({
      runId: id,
      after: queries.getQueryData(queryKey)?.sequence ?? 0,
      onEvent,
      onConnection: setConnection,
      onRefused: () => setConnection("interrupted"),
    });
    return () => {
      end();
      rereads.flush();
    };
  }, [id, over, queries]);

  return { ...query, connection, pictures };
};

/** Reads executions again, each at most once in `REREAD_MS`, and a last time when flushed. */
const rereadExecutions = (reread: (id: string) => Promise<void>) => {
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    for (const id of waiting) void reread(id);
    waiting.clear();
  };
  return {
    add: (id: string): void => {
      waiting.add(id);
      timer ??= setTimeout(flush, REREAD_MS);
    },
    flush,
  };
};
