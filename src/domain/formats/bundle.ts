import { z } from "zod";
import { dataOfPlain, plainDataSchema } from "../catalogue/testData.ts";
import { validateSteps } from "../catalogue/vocabulary.ts";
import { DomainError } from "../kernel/errors.ts";
import { issueMessage } from "../kernel/issueMessage.ts";
import { plainDataOf, plainStep, type TestDocument } from "./testDocument.ts";

/** Value of the `format` field. */
export const BUNDLE_FORMAT = "runledger.test";
/** Increased by changes that a reader of the previous version could misread. */
export const BUNDLE_VERSION = 1;
export const BUNDLE_CONTENT_TYPE = "application/vnd.runledger.test+json";
export const BUNDLE_EXTENSION = ".runledger";

/** In characters. 500 steps with four fields of maximum length have 16 million. */
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

/** Writes a test to a self-contained file. Deterministic. */
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

/** Reads a bundle. Throws DomainError `test.bundleInvalid` for anything that `toBundle` cannot write. */
export const fromBundle = (file: string): TestDocument => {
  if (file.length > MAX_BUNDLE_LENGTH) throw refusal("it is too large");
  const parsed = bundleSchema.safeParse(parseJson(file));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") || "the file";
    throw refusal(`${where}: ${issue ? issueMessage(issue) : "invalid"}`);
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
    // Some editors add a byte order mark.
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
