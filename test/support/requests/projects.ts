import { randomUUID } from "node:crypto";
import { formWith } from "../organization/catalogue.ts";
import type { Organization } from "../organization/organization.ts";
import { name, type Recipe, type ValidRequest } from "./recipe.ts";

const ofProject: Recipe = { valid: ({ projectId }) => ({ params: { id: projectId } }) };
const inProject = (rest: (own: Organization) => ValidRequest | Promise<ValidRequest>): Recipe => ({
  valid: async (own) => {
    const { params, ...more } = await rest(own);
    return { params: { id: own.projectId, ...params }, ...more };
  },
});
const inEnvironment = (body?: object): Recipe =>
  inProject(async ({ fresh }) => ({
    params: { environment_id: await fresh.environmentId(), name: "password" },
    ...(body === undefined ? {} : { body }),
  }));
const ofFile: Recipe = inProject(async ({ fresh }) => ({
  params: { name: await fresh.fileName() },
}));
const ofTestSet: Recipe = { valid: ({ testSetId }) => ({ params: { id: testSetId } }) };
const tagged: Recipe = {
  valid: ({ testId, tagId }) => ({ params: { id: testId, tag_id: tagId } }),
};
const inTestSet: Recipe = {
  valid: ({ testSetId, testId }) => ({ params: { id: testSetId }, body: { test_ids: [testId] } }),
};

export const projectsRequests: Readonly<Record<string, Recipe>> = {
  createProject: { valid: () => ({ body: { name } }) },
  listProjects: {},
  readProject: ofProject,
  renameProject: { valid: ({ projectId }) => ({ params: { id: projectId }, body: { name } }) },
  deleteProject: { valid: async ({ fresh }) => ({ params: { id: await fresh.projectId() } }) },
  listEnvironments: ofProject,
  createEnvironment: inProject(() => ({ body: { name: randomUUID() } })),
  changeEnvironment: inProject(async ({ fresh }) => ({
    params: { environment_id: await fresh.environmentId() },
    body: { name: randomUUID(), base_url: "https://shop.example" },
  })),
  removeEnvironment: inEnvironment(),
  setSecret: inEnvironment({ value: "correct horse" }),
  removeSecret: inEnvironment(),
  listFiles: ofProject,
  addFile: inProject(() => ({ body: formWith("prices.csv") })),
  readFile: ofFile,
  removeFile: ofFile,
  createFolder: {
    valid: ({ projectId }) => ({ body: { name: randomUUID(), project_id: projectId } }),
    naming: ({ folderId }) => ({ body: { name, parent_id: folderId } }),
  },
  listFolders: {
    valid: ({ projectId }) => ({ query: { project_id: projectId } }),
    naming: ({ projectId }) => ({ query: { project_id: projectId } }),
  },
  renameFolder: {
    valid: ({ folderId }) => ({ params: { id: folderId }, body: { name: "Checkout" } }),
  },
  moveFolder: {
    valid: ({ folderId }) => ({ params: { id: folderId }, body: { parent_id: null } }),
    naming: ({ folderId }) => ({ body: { parent_id: folderId } }),
  },
  deleteFolder: { valid: async ({ fresh }) => ({ params: { id: await fresh.folderId() } }) },
  createTag: { valid: () => ({ body: { name: randomUUID() } }) },
  listTags: {},
  renameTag: { valid: ({ tagId }) => ({ params: { id: tagId }, body: { name: "smoke" } }) },
  deleteTag: { valid: async ({ fresh }) => ({ params: { id: await fresh.tagId() } }) },
  tagTest: tagged,
  untagTest: tagged,
  createTestSet: {
    valid: ({ projectId, testId }) => ({
      body: { name, project_id: projectId, test_ids: [testId] },
    }),
    naming: ({ testId }) => ({ body: { name, test_ids: [testId] } }),
  },
  listTestSets: {
    valid: ({ projectId }) => ({ query: { project_id: projectId } }),
    naming: ({ projectId }) => ({ query: { project_id: projectId } }),
  },
  readTestSet: ofTestSet,
  renameTestSet: { valid: ({ testSetId }) => ({ params: { id: testSetId }, body: { name } }) },
  deleteTestSet: { valid: async ({ fresh }) => ({ params: { id: await fresh.testSetId() } }) },
  addTestSetItems: { ...inTestSet, naming: ({ testId }) => ({ body: { test_ids: [testId] } }) },
  reorderTestSetItems: inTestSet,
  removeTestSetItem: {
    valid: async ({ fresh, testId }) => ({
      params: { id: await fresh.testSetId(), test_id: testId },
    }),
  },
};
