import { randomUUID } from "node:crypto";
import type { Owner } from "./owner.ts";

/** Steps of a minimal test. */
export const steps = [{ action: "navigate", target: "", value: "https://shop.example" }];

export type Catalogue = {
  readonly projectId: string;
  readonly testId: string;
  readonly folderId: string;
  readonly tagId: string;
  readonly testSetId: string;
};

/** Creates a project with a folder, a tagged test and a test set. */
export const makeCatalogue = async ({ create, withKey }: Owner): Promise<Catalogue> => {
  const projectId = await create("/projects", { name: "Shop" });
  const folderId = await create("/folders", { name: "Checkout", project_id: projectId });
  const testId = await create("/tests", { name: "opens", project_id: projectId, steps });
  const tagId = await create("/tags", { name: "smoke" });
  await withKey("PUT", `/tests/${testId}/tags/${tagId}`);
  const testSetId = await create("/test-sets", { name: "Every night", test_ids: [testId] });
  return { projectId, folderId, testId, tagId, testSetId };
};

/** Creates an environment of a project with a secret `password`. */
export const makeEnvironment = async (owner: Owner, projectId: string): Promise<string> => {
  const environments = `/projects/${projectId}/environments`;
  const { body } = await owner.withSession("POST", environments, { name: randomUUID() });
  const secret = `${environments}/${body.id}/secrets/password`;
  await owner.withSession("PUT", secret, { value: "a secret" });
  return body.id;
};

export const makeSchedule = async (owner: Owner, testId: string): Promise<string> => {
  const schedule = { name: "S", cron: "0 0 1 1 *", test_ids: [testId] };
  return (await owner.withSession("POST", "/schedules", schedule)).body.id;
};

/** Returns a form with a small file. */
export const formWith = (fileName: string): FormData => {
  const form = new FormData();
  form.set("file", new Blob(["a,b"], { type: "text/csv" }), fileName);
  return form;
};
