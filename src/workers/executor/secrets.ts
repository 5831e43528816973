import { secretsIn } from "../../domain/catalogue/secrets.ts";
import { CannotJudgeError, StepError } from "./errors.ts";

/** Reads the secrets of the test's environment of these names; what is not there is left out. */
export type ReadSecrets = (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** A test that has no environment has no secrets. */
export const noSecrets: ReadSecrets = async () => new Map();

/** The text that stands in the place of a secret. */
const BLOTTED = "[secret]";
/** So much of the beginning of a secret is taken for it. */
const HEAD = 8;
/** And so much where a text says that it was cut off. */
const MIN_PREFIX = 3;

/** The secrets that a test has put anywhere. */
export type Secrets = {
  /**
   * The secrets that a text speaks of, as variables (`secret.name`). They are read when a step needs them and not
   * before. Throws StepError for one that is not there, CannotJudgeError when they cannot be read.
   */
  variablesFor(text: string): Promise<Readonly<Record<string, string>>>;
  /** Whether any has been read: from then on the page may show it. */
  isAnyKnown(): boolean;
  /** Whether a text holds one of them, however it is spaced. */
  isIn(text: string): boolean;
  /** A text without any of them, nor what addresses, quotes and pages make of them. */
  blot(text: string): string;
};

/** The secrets of one test on one browser. */
export const createSecrets = (read: ReadSecrets): Secrets => {
  const values = new Map<string, string>();
  let forms: readonly string[] = [];

  const learn = (name: string, value: string): void => {
    values.set(name, value);
    const all = new Set([...values.values()].flatMap(formsOf).filter((form) => form !== ""));
    // The longest first: what is left of it when a part is gone would be no form of it any more.
    forms = [...all].sort((one, other) => other.length - one.length);
  };

  return {
    variablesFor: async (text) => {
      const names = secretsIn(text);
      const missing = names.filter((name) => !values.has(name));
      if (missing.length > 0) {
        const found = await read(missing).catch(() => null);
        if (!found) throw new CannotJudgeError("The secrets cannot be read just now.");
        for (const [name, value] of found) learn(name, value);
      }
      const unknown = names.find((name) => !values.has(name));
      if (unknown !== undefined) {
        throw new StepError(
          `There is no secret \${secret.${unknown}} in the environment of the run.`,
        );
      }
      return Object.fromEntries(names.map((name) => [`secret.${name}`, values.get(name) ?? ""]));
    },
    isAnyKnown: () => values.size > 0,
    isIn: (text) => {
      const bare = withoutMarks(text);
      return [...values.values()].some((value) => {
        const wanted = withoutMarks(value);
        return text.includes(value) || (wanted.length >= MIN_PREFIX && bare.includes(wanted));
      });
    },
    blot: (text) => (forms.length === 0 ? text : blotCut(blotted(text, forms), forms)),
  };
};

/** The forms of a value that a page writes in groups. */
const withoutMarks = (text: string): string => text.replace(/[\s.,/-]+/g, "").toLowerCase();

/** A secret as quotes, addresses, markup and folded white space write it. */
const formsOf = (value: string): readonly string[] => [
  value,
  value.trim(),
  value.replace(/\s+/g, " ").trim(),
  JSON.stringify(value).slice(1, -1),
  // A quote within a quote.
  JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1),
  encodeURIComponent(value),
  encodeURI(value),
  new URLSearchParams({ v: value }).toString().slice(2),
  inAddress(`http://x/?${value}`, 10),
  inAddress(`http://x/${value}`, 9),
  value.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"),
  Buffer.from(value, "utf8").toString("base64"),
];

const inAddress = (address: string, from: number): string =>
  URL.canParse(address) ? new URL(address).href.slice(from) : "";

/** A text without these, and then without their beginnings where it shows so much of one that it must have been cut off. */
const blotted = (text: string, forms: readonly string[]): string =>
  [true, false].reduce(
    (left, isWhole) => forms.reduce((rest, form) => without(rest, form, isWhole), left),
    text,
  );

const without = (text: string, form: string, isWhole: boolean): string => {
  const wanted = lowered(form);
  const head = isWhole ? wanted : wanted.slice(0, HEAD);
  let left = text;
  for (let from = 0; ; from += BLOTTED.length) {
    const low = lowered(left);
    const start = low.indexOf(head, from);
    if (start < 0) return left;
    let end = start + head.length;
    while (end - start < wanted.length && low[end] === wanted[end - start]) end += 1;
    left = left.slice(0, start) + BLOTTED + left.slice(end);
    from = start;
  }
};

/** In small letters, each in its place: pages show texts in capitals too. */
const lowered = (text: string): string => {
  const low = text.toLowerCase();
  return low.length === text.length ? low : text;
};

/** Where a text says that it was cut off, less of a secret's beginning is enough. */
const blotCut = (text: string, forms: readonly string[]): string =>
  text.replace(/([\s\S]{1,400}?)…/gu, (whole, before: string) => {
    const low = lowered(before);
    for (let length = Math.min(before.length, HEAD); length >= MIN_PREFIX; length -= 1) {
      const end = low.slice(-length);
      if (!forms.some((form) => lowered(form).startsWith(end))) continue;
      return `${before.slice(0, -length)}${BLOTTED}…`;
    }
    return whole;
  });
