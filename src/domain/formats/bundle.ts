import { z } from "zod";
import { dataOfPlain, plainDataSchema } from "../catalogue/testData.ts";
import { validateSteps } from "../catalogue/vocabulary.ts";
import { DomainError } from "../kernel/errors.ts";
import { issueMessage } from "../kernel/issueMessage.ts";
import { plainDataOf, plainStep, type TestDocument } from "./testDocument.ts";

/** The bundle format's name, as the file says it. */
export const BUNDLE_FORMAT = "runledger.test";
/** Raised when a reader of the version before could misread the file. */
export const BUNDLE_VERSION = 1;
export const BUNDLE_CONTENT_TYPE = "application/vnd.runledger.test+json";
export const BUNDLE_EXTENSION = ".runledger";

/** Longer files are refused before they are parsed. 500 steps of four full fields are 16 MB. */
const MAX_BUNDLE_LENGTH = 20_000_000;

const bundleSchema = z.object({
  format: z.literal(BUNDLE_FORMAT),
  version: z.literal(BUNDLE_VERSION),
  name: z.string().trim().min(1).max(200),
  language: z.string().min(1).max(35),
  platform: z.string().min(1).max(35),
  text: z.string().max(1_000_000),
  steps: z.array(
    z.object({
      action: z.string(),
      target: z.string().optional(),
      value: z.string().optional(),
      description: z.string().optional(),
      optional: z.boolean().optional(),
      disabled: z.boolean().optional(),
    }),
  ),
  data: plainDataSchema.transform(dataOfPlain).optional(),
});

/** A test as one self-contained file: steps, original text, language, platform, data. Same document, same bytes. */
export const toBundle = (document: TestDocument): string => {
  const bundle = {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    name: document.name,
    language: document.language,
    platform: document.platform,
    text: document.text,
    steps: document.steps.map(plainStep),
    ...plainDataOf(document),
  };
  return `${JSON.stringify(bundle, null, 2)}\n`;
};

/**
 * Reads a bundle. Throws DomainError `test.bundleInvalid`, whose message says what is wrong with it, for
 * anything that `toBundle` could not have written.
 */
export const fromBundle = (file: string): TestDocument => {
  if (file.length > MAX_BUNDLE_LENGTH) throw refusal("it is too large");
  const parsed = bundleSchema.safeParse(parseJson(file));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") || "the file";
    throw refusal(`${where}: ${issue ? issueMessage(issue) : "not as it should be"}`);
  }
  const { name, text, language, platform, data } = parsed.data;
  const validated = validateSteps(parsed.data.steps);
  if (!validated.ok) {
    const [problem] = validated.problems;
    throw refusal(`step ${problem?.position}, ${problem?.field}: ${problem?.message}`);
  }
  return {
    ...{ name, text, language, platform, steps: validated.steps },
    ...(data === undefined ? {} : { data }),
  };
};

const parseJson = (file: string): unknown => {
  try {
    // A byte order mark is what some editors add.
    return JSON.parse(file.replace(/^\uFEFF/, ""));
  } catch {
    throw refusal("it is not JSON");
  }
};

const refusal = (reason: string): DomainError =>
  new DomainError(
    "test.bundleInvalid",
    `This is not a ${BUNDLE_EXTENSION} file that can be read: ${reason}.`,
  );
