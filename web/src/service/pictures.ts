import { queryOptions } from "@tanstack/react-query";
import type { Answer, BaselineSettingsChange } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";
import { queryClient } from "./queryClient.ts";
import { executionQuery, runQuery } from "./runs.ts";

/** A picture of a run that has no baseline or differs from it. */
export type Picture = Answer<"listRunPictures", 200>["items"][number];
export type Baselines = Answer<"listBaselines", 200>;
export type ComparisonSettings = Baselines["settings"];
export type Mask = ComparisonSettings["masks"][number];

/** Names a picture within its run, for the address. */
export const pictureKey = ({
  execution_id,
  browser,
  step_number,
}: Pick<Picture, "execution_id" | "step_number"> & { readonly browser: string }): string =>
  `${execution_id}.${browser}.${step_number}`;

export const picturesQuery = (runId: string) =>
  queryOptions({
    queryKey: ["pictures", runId],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/runs/{id}/baselines", { params: { path: { id: runId } }, signal })),
  });

export const baselinesQuery = (testId: string) =>
  queryOptions({
    queryKey: ["baselines", testId],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/tests/{id}/baselines", { params: { path: { id: testId } }, signal })),
  });

type Reviewed = Pick<Picture, "test_id" | "execution_id">;

const forget = (runId: string, { test_id, execution_id }: Reviewed): Promise<unknown> =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: picturesQuery(runId).queryKey }),
    queryClient.invalidateQueries({ queryKey: baselinesQuery(test_id).queryKey }),
    queryClient.invalidateQueries({ queryKey: executionQuery(execution_id).queryKey }),
    queryClient.invalidateQueries({ queryKey: runQuery(runId).queryKey }),
  ]);

/** Makes a picture the baseline of its step. */
export const approvePicture = async (runId: string, picture: Picture): Promise<void> => {
  const { test_id, step_id, browser, viewport, execution_id } = picture;
  const params = { path: { id: test_id, step_id, browser }, query: { viewport } };
  await ask(
    client.PUT("/api/v1/tests/{id}/baselines/{step_id}/{browser}", {
      params,
      body: { execution_id },
    }),
  );
  await forget(runId, picture);
};

/** Rejects a proposed picture; the baseline stays. */
export const rejectPicture = async (runId: string, picture: Picture): Promise<void> => {
  const { test_id, step_id, browser, viewport, execution_id } = picture;
  const body = { execution_id, step_id, browser, viewport };
  const params = { path: { id: test_id } };
  await ask(client.POST("/api/v1/tests/{id}/baselines/reject", { params, body }));
  await forget(runId, picture);
};

/** Approves or rejects all pictures of a run. */
export const reviewRun = async (runId: string, decision: "approve" | "reject"): Promise<void> => {
  const params = { path: { id: runId } };
  const reply =
    decision === "approve"
      ? client.POST("/api/v1/runs/{id}/baselines/approve", { params })
      : client.POST("/api/v1/runs/{id}/baselines/reject", { params });
  queryClient.setQueryData(picturesQuery(runId).queryKey, await ask(reply));
  await queryClient.invalidateQueries({ queryKey: ["baselines"] });
};

/** Stores the comparison settings of a test, and judges the pictures of an execution by them, without a browser. */
export const judgeBy = async (
  runId: string,
  picture: Picture,
  change: BaselineSettingsChange,
): Promise<Answer<"rejudgeExecution", 200>> => {
  const { test_id, execution_id } = picture;
  const ofTest = { path: { id: test_id } };
  await ask(client.PUT("/api/v1/tests/{id}/baselines/settings", { params: ofTest, body: change }));
  const params = { path: { id: execution_id } };
  const judged = await ask(client.POST("/api/v1/executions/{id}/rejudge", { params, body: {} }));
  await forget(runId, picture);
  return judged;
};
