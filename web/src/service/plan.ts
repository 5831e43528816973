import { queryOptions } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";
import { newIdempotencyKey } from "./idempotencyKey.ts";
import { queryClient } from "./queryClient.ts";

export type CurrentPlan = Answer<"readPlan", 200>;
export type Plan = Answer<"listPlans", 200>["items"][number];
export type PlanChange = Answer<"readPlanChange", 200>;
export type PlanEvent = Answer<"readPlanHistory", 200>["items"][number];
export type Interval = NonNullable<PlanChange["to_interval"]>;

export const planQuery = () =>
  queryOptions({
    queryKey: ["plan"],
    queryFn: ({ signal }) => ask(client.GET("/api/v1/plan", { signal })),
  });

/** The plans to choose from, cheapest first. */
export const plansQuery = () =>
  queryOptions({
    queryKey: ["plans"],
    queryFn: ({ signal }) => ask(client.GET("/api/v1/catalog/plans", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const planChangeQuery = (id: string) =>
  queryOptions({
    queryKey: ["plan", "change", id],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/plan/change/{id}", { params: { path: { id } }, signal })),
  });

/** The events of the plan up to an instant (ISO 8601), oldest first; all of them without one. */
export const planHistoryQuery = (asOf?: string) =>
  queryOptions({
    queryKey: ["plan", "history", asOf ?? null],
    queryFn: ({ signal }) => {
      const query = asOf === undefined ? {} : { as_of: asOf };
      return ask(client.GET("/api/v1/plan/history", { params: { query }, signal }));
    },
  });

const forgetPlan = async (): Promise<void> => {
  void queryClient.invalidateQueries({ queryKey: ["entitlements"] });
  void queryClient.invalidateQueries({ queryKey: ["usage"] });
  await queryClient.invalidateQueries({ queryKey: ["plan"] });
};

/** Requests a change, which shows its effects and has none until it is confirmed. */
export const requestChange = async (plan: Plan["code"], interval: Interval): Promise<void> => {
  const params = { header: { "Idempotency-Key": newIdempotencyKey() } };
  await ask(client.POST("/api/v1/plan/change", { params, body: { plan, interval } }));
  await forgetPlan();
};

/** Applies or schedules a change, or returns it with the address where it is paid. */
export const confirmChange = async (id: string): Promise<PlanChange> => {
  const params = { path: { id } };
  const changed = await ask(client.POST("/api/v1/plan/change/{id}/confirm", { params }));
  await forgetPlan();
  return changed;
};

export const cancelChange = async (id: string): Promise<void> => {
  await ask(client.POST("/api/v1/plan/change/{id}/cancel", { params: { path: { id } } }));
  await forgetPlan();
};

export const withdrawScheduledChange = async (): Promise<void> => {
  await ask(client.DELETE("/api/v1/plan/scheduled-change"));
  await forgetPlan();
};
