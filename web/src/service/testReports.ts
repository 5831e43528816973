import { queryOptions } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";
import { queryClient } from "./queryClient.ts";

export type TestReport = Answer<"readTestReport", 200>;
export type PastExecution = TestReport["history"][number];
export type Changes = NonNullable<TestReport["changes"]>;

export const testReportQuery = (testId: string) =>
  queryOptions({
    queryKey: ["testReport", testId],
    queryFn: ({ signal }) => {
      const params = { path: { test_id: testId } };
      return ask(client.GET("/api/v1/reports/tests/{test_id}", { params, signal }));
    },
  });

const forget = async (testId: string): Promise<void> => {
  await queryClient.invalidateQueries({ queryKey: testReportQuery(testId).queryKey });
  void queryClient.invalidateQueries({ queryKey: ["dashboard"] });
};

/** Lets the failures of a test not count for some days. */
export const startQuarantine = async (
  testId: string,
  { days, reason }: { readonly days: number; readonly reason: string },
): Promise<void> => {
  const until = new Date(Date.now() + days * 86_400_000).toISOString();
  const params = { path: { id: testId } };
  await ask(client.PUT("/api/v1/tests/{id}/quarantine", { params, body: { until, reason } }));
  await forget(testId);
};

export const endQuarantine = async (testId: string): Promise<void> => {
  await ask(client.DELETE("/api/v1/tests/{id}/quarantine", { params: { path: { id: testId } } }));
  await forget(testId);
};
