import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";
import { queryClient } from "./queryClient.ts";

export type Preferences = Answer<"readPreferences", 200>;
export type Contact = Answer<"listContacts", 200>["items"][number];

export const preferencesQuery = () =>
  queryOptions({
    queryKey: ["preferences"],
    queryFn: ({ signal }) => ask(client.GET("/api/v1/notifications/preferences", { signal })),
  });

export const changePreferences = async (body: Preferences): Promise<Preferences> => {
  const changed = await ask(client.PUT("/api/v1/notifications/preferences", { body }));
  queryClient.setQueryData(preferencesQuery().queryKey, changed);
  return changed;
};

export const contactsQuery = () =>
  infiniteQueryOptions({
    queryKey: ["contacts"],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: 100, ...(pageParam !== null && { cursor: pageParam }) };
      return ask(client.GET("/api/v1/notifications/contacts", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

const forgetContacts = () => queryClient.invalidateQueries({ queryKey: ["contacts"] });

export const addContact = async (email: string): Promise<void> => {
  await ask(client.POST("/api/v1/notifications/contacts", { body: { email } }));
  await forgetContacts();
};

export const enableContact = async (id: string, enabled: boolean): Promise<void> => {
  const params = { path: { id } };
  await ask(client.PUT("/api/v1/notifications/contacts/{id}", { params, body: { enabled } }));
  await forgetContacts();
};

export const removeContact = async (id: string): Promise<void> => {
  await ask(client.DELETE("/api/v1/notifications/contacts/{id}", { params: { path: { id } } }));
  await forgetContacts();
};
