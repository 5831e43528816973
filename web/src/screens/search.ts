import type { RunStatus } from "../service/runs.ts";

/** The query of the sign-in and the sign-up: where to go on, and whether a session has ended. */
export type ReturnSearch = { return_to?: string | undefined; expired?: boolean | undefined };

/** The query of a link in a mail. */
export type TokenSearch = { token?: string | undefined };

/** A text of the address's query; undefined if it is empty or no text. */
export const optionalText = (value: unknown): string | undefined => {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** A positive whole number of the address's query. */
export const optionalNumber = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 ? number : undefined;
};

export type RunSearch = { status?: RunStatus | undefined };

/** The attempt, browser and step of an execution that are shown. */
export type ExecutionSearch = {
  attempt?: number | undefined;
  browser?: string | undefined;
  step?: number | undefined;
};

/** Ways to compare a picture with its baseline. */
export const views = ["side", "slider", "overlay", "blink", "difference"] as const;
export type View = (typeof views)[number];

/** The picture of a review, as `pictureKey` names it, and how it is compared. */
export type PicturesSearch = { picture?: string | undefined; view?: View | undefined };

export type TestsSearch = { q?: string | undefined; tag?: string | undefined };

/** A day of the address's query, such as `2026-03-01`. */
export const optionalDay = (value: unknown): string | undefined => {
  const isDay = typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);
  return isDay && !Number.isNaN(Date.parse(value)) ? value : undefined;
};

/** The day as of whose end the history of the plan is shown. */
export type PlanSearch = { as_of?: string | undefined };
