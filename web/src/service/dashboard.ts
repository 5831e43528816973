import { queryOptions } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";

export type Dashboard = Answer<"readDashboard", 200>;

/** The days that the home page looks back. */
export const DAYS = 14;

export const dashboardQuery = () =>
  queryOptions({
    queryKey: ["dashboard"],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/dashboard", { params: { query: { days: DAYS } }, signal })),
  });
