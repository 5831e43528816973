import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";
import { queryClient } from "./queryClient.ts";

export type ApiKey = Answer<"listApiKeys", 200>["items"][number];
/** A new key with its secret, which the service tells only once. */
export type NewApiKey = Answer<"createApiKey", 201>;

export const apiKeysQuery = () =>
  infiniteQueryOptions({
    queryKey: ["apiKeys"],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: 100, ...(pageParam !== null && { cursor: pageParam }) };
      return ask(client.GET("/api/v1/api-keys", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

const forgetKeys = () => queryClient.invalidateQueries({ queryKey: ["apiKeys"] });

/** `days` is the time until the key expires; null for a key that does not expire. */
export const createApiKey = async (name: string, days: number | null): Promise<NewApiKey> => {
  const expires_at = days === null ? null : new Date(Date.now() + days * 86_400_000).toISOString();
  const created = await ask(client.POST("/api/v1/api-keys", { body: { name, expires_at } }));
  await forgetKeys();
  return created;
};

export const revokeApiKey = async (id: string): Promise<void> => {
  await ask(client.DELETE("/api/v1/api-keys/{id}", { params: { path: { id } } }));
  await forgetKeys();
};
