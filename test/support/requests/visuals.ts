import { placeOf } from "../comparedRun.ts";
import { ofTest, type Recipe } from "./recipe.ts";

const ofCompared: Recipe = {
  valid: ({ compared }) => ({
    params: { execution_id: compared.executionId, browser: "chromium", step_number: "1" },
  }),
};

export const visualsRequests: Readonly<Record<string, Recipe>> = {
  listHealings: { valid: ({ compared }) => ({ params: { id: compared.testId } }) },
  acceptHealing: {
    valid: ({ compared, healingId }) => ({
      params: { id: compared.testId, healing_id: healingId },
    }),
  },
  rejectHealing: {
    valid: ({ compared, otherHealingId }) => ({
      params: { id: compared.testId, healing_id: otherHealingId },
    }),
  },
  listBaselines: ofTest,
  readBaseline: {
    valid: async ({ fresh }) => ({ params: await fresh.baseline() }),
  },
  setBaseline: {
    valid: ({ compared }) => ({
      params: placeOf(compared),
      body: { execution_id: compared.executionId },
    }),
    naming: ({ compared }) => ({ body: { execution_id: compared.executionId } }),
  },
  removeBaseline: { valid: ({ compared }) => ({ params: placeOf(compared) }) },
  rejectBaselines: { valid: ({ compared }) => ({ params: { id: compared.testId }, body: {} }) },
  changeBaselineSettings: {
    valid: ({ compared }) => ({ params: { id: compared.testId }, body: { threshold: 0.1 } }),
  },
  listRunPictures: { valid: ({ compared }) => ({ params: { id: compared.runId } }) },
  approveRunBaselines: { valid: ({ compared }) => ({ params: { id: compared.runId } }) },
  rejectRunBaselines: { valid: ({ compared }) => ({ params: { id: compared.runId } }) },
  rejudgeExecution: {
    valid: ({ compared }) => ({
      params: { id: compared.executionId },
      body: { settings: { threshold: 0.1 } },
    }),
  },
  readScreenshotBaseline: ofCompared,
  readScreenshotDiff: ofCompared,
};
