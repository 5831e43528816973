import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";
import { newIdempotencyKey } from "./idempotencyKey.ts";
import { queryClient } from "./queryClient.ts";

export type Schedule = Answer<"readSchedule", 200>;
export type Tick = Answer<"listTicks", 200>["items"][number];
export type Outcome = Tick["outcome"];
export type ScheduleTerms = Pick<
  Schedule,
  "name" | "cron" | "timezone" | "base_url" | "overlap" | "failures_only"
> & {
  readonly test_ids: string[];
  readonly test_set_ids: string[];
  readonly notification_emails: string[];
};

export const schedulesQuery = () =>
  infiniteQueryOptions({
    queryKey: ["schedules"],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: 50, ...(pageParam !== null && { cursor: pageParam }) };
      return ask(client.GET("/api/v1/schedules", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: ["schedule", id],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/schedules/{id}", { params: { path: { id } }, signal })),
  });

/** The next ticks of a stored schedule; none if it is paused. */
export const upcomingQuery = ({ id, version }: Pick<Schedule, "id" | "version">) =>
  queryOptions({
    queryKey: ["schedule", id, "upcoming", version],
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: { limit: 5 } };
      return ask(client.GET("/api/v1/schedules/{id}/upcoming", { params, signal }));
    },
  });

/** The ticks that are past, newest first. */
export const ticksQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["schedule", id, "ticks"],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: 20, ...(pageParam !== null && { cursor: pageParam }) };
      const params = { path: { id }, query };
      return ask(client.GET("/api/v1/schedules/{id}/ticks", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export const testSetsQuery = () =>
  queryOptions({
    queryKey: ["testSets"],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/test-sets", { params: { query: { limit: 100 } }, signal })),
  });

const remember = (schedule: Schedule): Schedule => {
  queryClient.setQueryData(scheduleQuery(schedule.id).queryKey, schedule);
  void queryClient.invalidateQueries({ queryKey: ["schedules"] });
  return schedule;
};

export const createSchedule = async (body: ScheduleTerms): Promise<Schedule> => {
  const params = { header: { "Idempotency-Key": newIdempotencyKey() } };
  return remember(await ask(client.POST("/api/v1/schedules", { params, body })));
};

/** Stores a change on top of `version`. Throws ServiceError 412 if somebody else changed the schedule meanwhile. */
export const changeSchedule = async (
  { id, version }: Pick<Schedule, "id" | "version">,
  body: ScheduleTerms,
): Promise<Schedule> => {
  const params = { path: { id }, header: { "If-Match": `"${version}"` } };
  return remember(await ask(client.PUT("/api/v1/schedules/{id}", { params, body })));
};

export const pauseSchedule = async (id: string): Promise<Schedule> => {
  const params = { path: { id } };
  return remember(await ask(client.POST("/api/v1/schedules/{id}/pause", { params })));
};

export const resumeSchedule = async (id: string): Promise<Schedule> => {
  const params = { path: { id } };
  return remember(await ask(client.POST("/api/v1/schedules/{id}/resume", { params })));
};

export const deleteSchedule = async (id: string): Promise<void> => {
  await ask(client.DELETE("/api/v1/schedules/{id}", { params: { path: { id } } }));
  await queryClient.invalidateQueries({ queryKey: ["schedules"] });
};

/** Starts the runs of a schedule outside its ticks. Returns their ids. */
export const runNow = async (id: string): Promise<readonly string[]> => {
  const params = { path: { id }, header: { "Idempotency-Key": newIdempotencyKey() } };
  const queued = await ask(client.POST("/api/v1/schedules/{id}/run-now", { params }));
  void queryClient.invalidateQueries({ queryKey: ["runs"] });
  return queued.run_ids;
};
