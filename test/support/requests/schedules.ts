import { name, type Recipe } from "./recipe.ts";

const ofSchedule: Recipe = { valid: ({ scheduleId }) => ({ params: { id: scheduleId } }) };

export const schedulesRequests: Readonly<Record<string, Recipe>> = {
  createSchedule: {
    valid: ({ testId }) => ({ body: { name, cron: "0 0 1 1 *", test_ids: [testId] } }),
    naming: ({ testId }) => ({ body: { name, cron: "0 0 1 1 *", test_ids: [testId] } }),
  },
  listSchedules: {},
  readSchedule: ofSchedule,
  changeSchedule: {
    valid: ({ scheduleId }) => ({ params: { id: scheduleId }, body: { name } }),
  },
  deleteSchedule: { valid: async ({ fresh }) => ({ params: { id: await fresh.scheduleId() } }) },
  pauseSchedule: ofSchedule,
  resumeSchedule: ofSchedule,
  runScheduleNow: ofSchedule,
  listUpcomingTicks: ofSchedule,
  listTicks: ofSchedule,
};
