import { steps } from "../organization/catalogue.ts";
import { content, created, name, ofExecution, ofTest, type Recipe } from "./recipe.ts";

const inAWeek = (): string => new Date(Date.now() + 7 * 86_400_000).toISOString();
const listedTests: Recipe = {
  valid: ({ projectId }) => ({ query: { project_id: projectId, limit: "2" } }),
  naming: ({ projectId }) => ({ query: { project_id: projectId } }),
};
const replaced: Recipe = { valid: ({ testId }) => ({ params: { id: testId }, body: { steps } }) };

export const testsRequests: Readonly<Record<string, Recipe>> = {
  createTest: created,
  listTests: listedTests,
  readTest: ofTest,
  changeTest: {
    valid: ({ testId, projectId }) => ({
      params: { id: testId },
      body: { name, project_id: projectId, text: 'Go to "https://shop.example"' },
    }),
    naming: ({ projectId }) => ({ body: { project_id: projectId } }),
  },
  deleteTest: { valid: async ({ fresh }) => ({ params: { id: await fresh.testId() } }) },
  duplicateTest: { valid: ({ testId }) => ({ params: { id: testId }, body: {} }) },
  undeleteTest: ofTest,
  readTestData: ofTest,
  replaceTestData: {
    valid: async ({ fresh }) => ({
      params: { id: await fresh.testId() },
      body: { columns: ["user"], rows: [{ user: "ada" }, { user: "bob" }] },
    }),
  },
  revertTest: { valid: ({ testId }) => ({ params: { id: testId }, body: { version: 1 } }) },
  changeTests: {
    valid: ({ testId, projectId }) => ({
      body: { ids: [testId], move: { project_id: projectId } },
    }),
    naming: ({ testId }) => ({ body: { ids: [testId], move: { project_id: null } } }),
  },
  importTests: {
    valid: ({ projectId }) => ({
      body: { content: JSON.stringify([content]), project_id: projectId },
    }),
    naming: ({ projectId }) => ({
      body: { content: JSON.stringify([content]), project_id: projectId },
    }),
  },
  readImport: {
    valid: async ({ fresh }) => ({ params: { id: await fresh.importId() } }),
  },
  readTestHistory: ofTest,
  readTestDiff: {
    valid: ({ testId }) => ({ params: { id: testId }, query: { from: "1", to: "1" } }),
  },
  reparseTest: {
    valid: async ({ fresh }) => ({ params: { id: await fresh.wordyTestId() } }),
  },
  addStep: { valid: ({ testId }) => ({ params: { id: testId }, body: steps[0] }) },
  changeStep: {
    valid: async ({ fresh }) => ({ params: await fresh.step(), body: steps[0] }),
  },
  removeStep: { valid: async ({ fresh }) => ({ params: await fresh.step() }) },
  reorderSteps: {
    valid: async ({ fresh }) => {
      const { id, step_id } = await fresh.step();
      return { params: { id }, body: { step_ids: [step_id] } };
    },
  },
  readSteps: ofTest,
  replaceSteps: replaced,
  parseTest: { valid: () => ({ body: { text: 'Click "Save"\nFrobnicate the widget' } }) },
  quarantineTest: {
    valid: ({ testId }) => ({
      params: { id: testId },
      body: { until: inAWeek(), reason: "It is being mended" },
    }),
  },
  unquarantineTest: ofTest,
  downloadYaml: ofExecution,
  downloadJson: ofExecution,
  exportBundle: ofExecution,
  exportPython: ofExecution,
  exportTypescript: ofExecution,
  exportGherkin: ofExecution,
  listCliProjects: {},
  listCliTests: listedTests,
  readCliSpecs: ofTest,
  createCliTest: created,
  replaceCliSteps: replaced,
};
