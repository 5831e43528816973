import { claims } from "./claims.ts";
import type { ActionDefinition } from "./definition.ts";
import { doing } from "./doing.ts";
import { page } from "./page.ts";

export type { ActionDefinition, CodeParts, Purpose } from "./definition.ts";

const { navigate, screenshot, visual_check, store, call_test, wait_for, wait, ...rest } = page;

/** The actions in the order of their lists. A new action is one new entry. */
export const actionTable = {
  navigate,
  ...doing,
  wait_for,
  wait,
  ...claims,
  screenshot,
  visual_check,
  ...rest,
  store,
  call_test,
} as const satisfies Record<string, ActionDefinition>;
