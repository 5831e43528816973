import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";
import { newIdempotencyKey } from "./idempotencyKey.ts";
import { queryClient } from "./queryClient.ts";

export type RunSummary = Answer<"listRuns", 200>["items"][number];
export type Run = Answer<"readRun", 200>;
export type RunTest = Run["tests"][number];
export type RunEvent = Answer<"listRunEvents", 200>["items"][number];
export type Execution = Answer<"readExecution", 200>;
export type Attempt = Execution["attempts"][number];
export type BrowserResult = Attempt["browsers"][number];
export type StepResult = BrowserResult["steps"][number];
export type RunStatus = Run["status"];

export const runStatuses = [
  "queued",
  "running",
  "passed",
  "failed",
  "errored",
  "cancelled",
] as const satisfies readonly RunStatus[];

export const runsQuery = (status?: RunStatus) =>
  infiniteQueryOptions({
    queryKey: ["runs", status ?? null],
    queryFn: ({ signal, pageParam }) =>
      ask(
        client.GET("/api/v1/runs", {
          params: {
            query: {
              limit: 50,
              ...(status !== undefined && { status }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["run", id],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/runs/{id}", { params: { path: { id } }, signal })),
  });

export const executionQuery = (id: string) =>
  queryOptions({
    queryKey: ["execution", id],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/executions/{id}", { params: { path: { id } }, signal })),
  });

export const artifactsQuery = (id: string) =>
  queryOptions({
    queryKey: ["artifacts", id],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/executions/{id}/artifacts", { params: { path: { id } }, signal })),
  });

export type RunRequest = {
  readonly testIds: readonly string[];
  /** The address that relative addresses of the tests belong to; empty for none. */
  readonly baseUrl: string;
};

const forgetRuns = () => {
  void queryClient.invalidateQueries({ queryKey: ["runs"] });
  void queryClient.invalidateQueries({ queryKey: ["usage"] });
  void queryClient.invalidateQueries({ queryKey: ["dashboard"] });
};

/** Queues a run in the cloud and returns its id. Throws ServiceError 429 if the quota is used up. */
export const queueRun = async ({ testIds, baseUrl }: RunRequest): Promise<string> => {
  const header = { "Idempotency-Key": newIdempotencyKey() };
  const body = {
    test_ids: [...testIds],
    ...(baseUrl.trim() !== "" && { base_url: withScheme(baseUrl) }),
  };
  const queued = await ask(client.POST("/api/v1/runner/runs", { params: { header }, body }));
  forgetRuns();
  return firstRun(queued.run_ids);
};

/** An address as people paste it, with a scheme. */
export const withScheme = (address: string): string => {
  const trimmed = address.trim();
  if (trimmed === "" || /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return trimmed;
  return /^(localhost|127\.|\[)/.test(trimmed) ? `http://${trimmed}` : `https://${trimmed}`;
};

const firstRun = (ids: readonly string[]): string => {
  const [id] = ids;
  if (id === undefined) throw new Error("The service queued no run. Try again.");
  return id;
};

export const cancelRun = async (id: string): Promise<void> => {
  await ask(client.POST("/api/v1/runner/runs/{id}/cancel", { params: { path: { id } } }));
  await queryClient.invalidateQueries({ queryKey: ["run", id] });
};

export const rerun = async (id: string, failedOnly: boolean): Promise<string> => {
  const params = { path: { id }, header: { "Idempotency-Key": newIdempotencyKey() } };
  const body = { failed_only: failedOnly };
  const queued = await ask(client.POST("/api/v1/runner/runs/{id}/rerun", { params, body }));
  forgetRuns();
  return firstRun(queued.run_ids);
};
