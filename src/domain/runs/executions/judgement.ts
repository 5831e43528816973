import { z } from "zod";
import { visualOutcome } from "../../baselines/picture.ts";
import { browserName, type Verdict } from "../verdict.ts";

/** The position of a compared picture in an execution. */
const at = {
  attempt: z.int().positive(),
  browser: browserName,
  number: z.int().positive(),
};

/** The outcome of a comparison. `diff` is the key of the difference picture. */
const found = {
  outcome: visualOutcome,
  /** The number of different pixels, and their share of all pixels. */
  pixels: z.int().nonnegative(),
  ratio: z.number().min(0).max(1),
  /** The pictures differ in size. */
  sizeDiffers: z.boolean(),
  diff: z.string().nullable(),
};

export const comparedSchema = z.object(found);
export const judgedPicture = z.object({ ...at, ...found });
export type JudgedPicture = z.output<typeof judgedPicture>;

const ending = z.enum(["passed", "failed", "errored"]);
type Ending = z.output<typeof ending>;

/** The outcome of a browser of an attempt, or of an attempt over all its browsers. */
export const judgedBrowser = z.object({
  attempt: at.attempt,
  browser: browserName,
  status: ending,
  error: z.string().nullable(),
});
export const judgedAttempt = judgedBrowser.omit({ browser: true });
type JudgedBrowser = z.output<typeof judgedBrowser>;
type JudgedAttempt = z.output<typeof judgedAttempt>;

/** The last judgement of a picture. `passedOver`: its step is optional, so the picture does not count. */
type KnownPicture = JudgedPicture & { readonly passedOver: boolean };

/** The end of a browser. `onlyPictures`: only pictures differ, so they alone decide the outcome. */
type BrowserEnd = JudgedBrowser & { readonly onlyPictures: boolean };

/** The visual part of the verdict of an execution. */
export type Judgement = {
  readonly pictures: ReadonlyMap<string, KnownPicture>;
  readonly browsers: ReadonlyMap<string, BrowserEnd>;
};

export const nothingJudged: Judgement = { pictures: new Map(), browsers: new Map() };

const keyOf = (one: Pick<JudgedPicture, "attempt" | "browser"> & { readonly number?: number }) =>
  `${one.attempt} ${one.browser} ${one.number ?? ""}`;

/** Adds a picture that was compared or judged again. */
export const withPicture = (
  judgement: Judgement,
  picture: JudgedPicture & { readonly passedOver?: boolean },
): Judgement => {
  const passedOver = judgement.pictures.get(keyOf(picture))?.passedOver ?? false;
  const pictures = new Map(judgement.pictures);
  return { ...judgement, pictures: pictures.set(keyOf(picture), { passedOver, ...picture }) };
};

export const withBrowser = (judgement: Judgement, end: BrowserEnd): Judgement => ({
  ...judgement,
  browsers: new Map(judgement.browsers).set(keyOf(end), end),
});

export type Rejudged = {
  readonly pictures: readonly JudgedPicture[];
  readonly browsers: readonly JudgedBrowser[];
  readonly attempts: readonly JudgedAttempt[];
  readonly verdict: Exclude<Verdict, "cancelled">;
  readonly error: string | null;
};

/**
 * Judges an execution again after its baselines changed. Only pictures that were compared with a baseline can change.
 * Null if none changes.
 */
export const rejudge = (judgement: Judgement, anew: readonly JudgedPicture[]): Rejudged | null => {
  const pictures = new Map(judgement.pictures);
  const changed: JudgedPicture[] = [];
  for (const picture of anew) {
    const before = pictures.get(keyOf(picture));
    if (!before || before.outcome === "proposed" || isSame(before, picture)) continue;
    pictures.set(keyOf(picture), { ...before, ...picture });
    changed.push(picture);
  }
  if (changed.length === 0) return null;
  const all = [...pictures.values()];
  const browsers = [...judgement.browsers.values()].map((end) => browserAnew(end, all));
  const attempts = attemptsOf(browsers);
  const passed = attempts.findIndex(({ status }) => status === "passed");
  const last = attempts.at(-1);
  const ended = passed < 0 ? (last?.status ?? "errored") : passed === 0 ? "passed" : "flaky";
  const error = passed < 0 ? (last?.error ?? null) : null;
  return { pictures: changed, browsers, attempts, verdict: ended, error };
};

const isSame = (one: JudgedPicture, other: JudgedPicture): boolean =>
  one.outcome === other.outcome && one.pixels === other.pixels && one.diff === other.diff;

/** The pictures decide the outcome of a browser that failed only because of them. Any other failure stays. */
const browserAnew = (end: BrowserEnd, pictures: readonly KnownPicture[]): JudgedBrowser => {
  const { attempt, browser, status, error } = end;
  if (status !== "passed" && !end.onlyPictures) return { attempt, browser, status, error };
  const wrong = pictures
    .filter((one) => one.attempt === attempt && one.browser === browser)
    .filter(({ outcome, passedOver }) => outcome === "different" && !passedOver)
    .sort((one, other) => one.number - other.number)[0];
  return wrong
    ? {
        attempt,
        browser,
        status: "failed",
        error: `Step ${wrong.number} failed: ${differs(wrong)}`,
      }
    : { attempt, browser, status: "passed", error: null };
};

const SEVERITY: Readonly<Record<Ending, number>> = { passed: 0, failed: 1, errored: 2 };

const attemptsOf = (browsers: readonly JudgedBrowser[]): JudgedAttempt[] => {
  const attempts = new Map<number, JudgedAttempt>();
  for (const { attempt, status, error } of browsers) {
    const worst = attempts.get(attempt);
    if (worst && SEVERITY[worst.status] >= SEVERITY[status]) continue;
    attempts.set(attempt, { attempt, status, error });
  }
  return [...attempts.values()].sort((one, other) => one.attempt - other.attempt);
};

/** Describes the fault of a picture. */
export const differs = ({
  pixels,
  ratio,
  sizeDiffers,
}: Pick<JudgedPicture, "pixels" | "ratio" | "sizeDiffers">): string => {
  if (sizeDiffers) return "The picture is not of the baseline's size.";
  const part = ratio >= 0.0001 ? ` (${(ratio * 100).toFixed(2)} %)` : "";
  return `The picture differs from the baseline in ${pixels} ${pixels === 1 ? "pixel" : "pixels"}${part}.`;
};
