import { queryOptions } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";
import { queryClient } from "./queryClient.ts";

export type Organization = Answer<"readOrganization", 200>;

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

export const organizationQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/organizations/{id}", { params: { path: { id } }, signal })),
  });

/** Stores settings on top of `version`. Throws ServiceError 412 if somebody else changed them meanwhile. */
export const changeOrganization = async (
  { id, version }: Pick<Organization, "id" | "version">,
  body: Pick<Organization, "name" | "settings">,
): Promise<Organization> => {
  const params = { path: { id }, header: { "If-Match": `"${version}"` } };
  const changed = await ask(client.PUT("/api/v1/organizations/{id}", { params, body }));
  queryClient.setQueryData(organizationQuery(id).queryKey, changed);
  return changed;
};
