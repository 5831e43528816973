import { randomUUID } from "node:crypto";
import { call } from "../client.ts";
import { placeOf } from "../comparedRun.ts";
import { formWith, makeEnvironment, steps } from "./catalogue.ts";
import type { Entities } from "./entities.ts";
import type { Owner } from "./owner.ts";

/** Creates entities of the catalogue. */
export const freshCatalogue = (owner: Owner, entities: Entities) => {
  const { create, withKey } = owner;
  const { projectId, testId, compared } = entities;
  return {
    projectId: () => create("/projects", { name: "Gone soon" }),
    environmentId: () => makeEnvironment(owner, projectId),
    /** The name of a file of the project. */
    fileName: async (): Promise<string> => {
      const fileName = `${randomUUID()}.txt`;
      await withKey("POST", `/projects/${projectId}/files`, formWith(fileName));
      return fileName;
    },
    testId: () => create("/tests", { name: "Gone soon", steps }),
    /** A test with text. */
    wordyTestId: () => create("/tests", { name: "In words", text: "Go to /login" }),
    /** The only step of a test. */
    step: async (): Promise<{ id: string; step_id: string }> => {
      const { body } = await withKey("POST", "/tests", { name: "One step", steps });
      return { id: body.id, step_id: body.steps[0].id };
    },
    folderId: () => create("/folders", { name: randomUUID(), project_id: projectId }),
    tagId: () => create("/tags", { name: randomUUID() }),
    testSetId: () => create("/test-sets", { name: "Gone soon", test_ids: [testId] }),
    /** An import that is in progress or has ended. */
    importId: async (): Promise<string> => {
      const many = JSON.stringify(Array.from({ length: 101 }, () => ({ name: "Nothing in it" })));
      const { body } = await withKey("POST", "/tests/import?dry_run=true", { content: many });
      return body.import_id;
    },
    /** The place of an approved baseline. */
    baseline: async () => {
      const place = placeOf(compared);
      const path = `/api/v1/tests/${place.id}/baselines/${place.step_id}/${place.browser}`;
      const body = { execution_id: compared.executionId };
      await call(owner.service.url, "PUT", path, { bearer: owner.key, body });
      return place;
    },
  };
};
