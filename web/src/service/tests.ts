import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";
import { newIdempotencyKey } from "./idempotencyKey.ts";
import { queryClient } from "./queryClient.ts";

export type Test = Answer<"readTest", 200>;
export type TestSummary = Answer<"listTests", 200>["items"][number];
export type Parsed = Answer<"parseTest", 200>;
export type Warning = Parsed["warnings"][number];

export type TestFilters = {
  readonly q?: string | undefined;
  readonly tag?: string | undefined;
  readonly project_id?: string | undefined;
  readonly folder_id?: string | undefined;
};

const PAGE_SIZE = 100;

const defined = (filters: TestFilters): { [Name in keyof TestFilters]-?: string } =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as never;

export const testsQuery = (filters: TestFilters) =>
  infiniteQueryOptions({
    queryKey: ["tests", filters],
    queryFn: ({ signal, pageParam }) =>
      ask(
        client.GET("/api/v1/tests", {
          params: {
            query: {
              limit: PAGE_SIZE,
              ...defined(filters),
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

export const testQuery = (id: string) =>
  queryOptions({
    queryKey: ["test", id],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/tests/{id}", { params: { path: { id } }, signal })),
  });

/** The steps of a text, before it is stored. */
export const parseQuery = (text: string) =>
  queryOptions({
    queryKey: ["parse", text],
    queryFn: ({ signal }) => ask(client.POST("/api/v1/tests/parse", { body: { text }, signal })),
    enabled: text.trim() !== "",
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });

const forgetLists = () => queryClient.invalidateQueries({ queryKey: ["tests"] });

export const createTest = async (body: { readonly name: string; readonly text: string }) => {
  const header = { "Idempotency-Key": newIdempotencyKey() };
  const test = await ask(client.POST("/api/v1/tests", { params: { header }, body }));
  queryClient.setQueryData(testQuery(test.id).queryKey, test);
  void forgetLists();
  return test;
};

/** Stores a change on top of `version`. Throws ServiceError 412 if somebody else changed the test meanwhile. */
export const changeTest = async (
  { id, version }: Pick<Test, "id" | "version">,
  body: { readonly name: string; readonly text: string },
) => {
  const params = { path: { id }, header: { "If-Match": `"${version}"` } };
  const test = await ask(client.PUT("/api/v1/tests/{id}", { params, body }));
  queryClient.setQueryData(testQuery(id).queryKey, test);
  void forgetLists();
  return test;
};

export const deleteTests = async (ids: readonly string[]): Promise<void> => {
  const { items } = await ask(
    client.POST("/api/v1/tests/bulk", { body: { ids: [...ids], delete: true } }),
  );
  await forgetLists();
  const refused = items.find(({ detail }) => detail !== null);
  if (refused) throw new Error(refused.detail ?? "A test could not be deleted.");
};

export const restoreTests = async (ids: readonly string[]): Promise<void> => {
  await Promise.all(
    ids.map((id) => ask(client.POST("/api/v1/tests/{id}/undelete", { params: { path: { id } } }))),
  );
  await forgetLists();
};

export const duplicateTest = async (id: string) => {
  const test = await ask(
    client.POST("/api/v1/tests/{id}/duplicate", { params: { path: { id } }, body: {} }),
  );
  await forgetLists();
  return test;
};

export const tagsQuery = () =>
  queryOptions({
    queryKey: ["tags"],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/tags", { params: { query: { limit: 100 } }, signal })),
  });
