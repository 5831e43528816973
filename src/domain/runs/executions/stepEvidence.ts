import { z } from "zod";

/** The maximum number of notes of a step, of page problems of a kind, and of characters of each text. */
export const MAX_NOTES = 10;
export const MAX_PROBLEMS = 5;
export const MAX_EVIDENCE_TEXT = 300;

/** Sentences for a person about how a step matched the page, such as "was so before". */
export const stepNotes = z.array(z.string());

const pixels = z.int();

/**
 * Where the element stands that a claim is about, in CSS pixels of the visible part of the page, and how large that
 * part is. The picture of the step shows the same part.
 */
export const seenBox = z.object({
  x: pixels.nonnegative(),
  y: pixels.nonnegative(),
  width: pixels.positive(),
  height: pixels.positive(),
  viewport: z.object({ width: pixels.positive(), height: pixels.positive() }),
});
export type SeenBox = z.output<typeof seenBox>;

/** Problems that pages reported around a failing step. */
export const pageProblems = z.object({
  /** Errors that scripts wrote to the console. */
  logged: z.array(z.string()),
  /** Errors that no script caught. */
  exceptions: z.array(z.string()),
  /** Requests that failed, or were answered with 400 or more. Addresses are without query and fragment. */
  requests: z.array(
    z.object({
      method: z.string(),
      url: z.string(),
      status: z.int().nullable(),
      error: z.string().nullable(),
    }),
  ),
  /** The number of further problems. */
  more: z.int().nonnegative(),
});
export type PageProblems = z.output<typeof pageProblems>;

/** Notes within the limits. */
export const boundedNotes = (notes: readonly string[]): string[] =>
  notes.slice(0, MAX_NOTES).map(cut);

/** Page problems within the limits; the excess is counted. */
export const boundedProblems = (page: PageProblems): PageProblems => {
  const { logged, exceptions, requests } = page;
  const count = logged.length + exceptions.length + requests.length;
  const kept = {
    logged: logged.slice(0, MAX_PROBLEMS).map(cut),
    exceptions: exceptions.slice(0, MAX_PROBLEMS).map(cut),
    requests: requests.slice(0, MAX_PROBLEMS).map(({ method, url, status, error }) => ({
      ...{ method: cut(method), url: cut(url), status },
      error: error === null ? null : cut(error),
    })),
  };
  const shown = kept.logged.length + kept.exceptions.length + kept.requests.length;
  return { ...kept, more: page.more + count - shown };
};

const cut = (text: string): string =>
  text.length > MAX_EVIDENCE_TEXT ? `${text.slice(0, MAX_EVIDENCE_TEXT)}…` : text;

type Rectangle = Pick<SeenBox, "x" | "y" | "width" | "height">;

/** The part of a box that is within the viewport, in whole pixels; null if none is. */
export const boxInViewport = (box: Rectangle, viewport: SeenBox["viewport"]): SeenBox | null => {
  const left = Math.max(0, Math.round(box.x));
  const top = Math.max(0, Math.round(box.y));
  const right = Math.min(viewport.width, Math.round(box.x + box.width));
  const bottom = Math.min(viewport.height, Math.round(box.y + box.height));
  if (right <= left || bottom <= top) return null;
  return { x: left, y: top, width: right - left, height: bottom - top, viewport };
};
