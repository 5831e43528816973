import { queryOptions } from "@tanstack/react-query";
import { ask, client } from "./client.ts";

/** The permissions of the caller, and what the plan allows. */
export const entitlementsQuery = () =>
  queryOptions({
    queryKey: ["entitlements"],
    queryFn: ({ signal }) => ask(client.GET("/api/v1/entitlements", { signal })),
    staleTime: 60_000,
  });

export const usageQuery = () =>
  queryOptions({
    queryKey: ["usage"],
    queryFn: ({ signal }) => ask(client.GET("/api/v1/usage", { signal })),
    staleTime: 30_000,
  });

export const providersQuery = () =>
  queryOptions({
    queryKey: ["providers"],
    queryFn: ({ signal }) => ask(client.GET("/api/v1/auth/oauth/providers", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
