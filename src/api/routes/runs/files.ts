import { z } from "zod";
import type { SentFile } from "../../../commands/runs/pinnedTests.ts";
import { contentOfFile } from "../../../domain/catalogue/fileContent.ts";
import { sourcePath } from "../../../domain/catalogue/source.ts";
import { dataOfPlain, plainDataSchema } from "../../../domain/catalogue/testData.ts";
import { displayName } from "../../../domain/organizations/names.ts";
import { ApiError } from "../../apiError.ts";
import { id } from "../../schemas.ts";
import { stepsInput, textInput } from "../catalogue/content.ts";
import { readText } from "../catalogue/readText.ts";

/** A test file of a checkout in a request. */
export const sentFile = z
  .strictObject({
    source: sourcePath.describe("The path of the file in its repository."),
    commit: z
      .string()
      .regex(/^[0-9a-f]{7,64}$/, "must be the hash of a commit")
      .nullable()
      .default(null)
      .describe("The commit of the file; null if it has uncommitted changes."),
    test_id: id.nullable().default(null).describe("Default: `project_id` and `source` decide."),
    project_id: id.nullable().default(null),
    name: displayName,
    text: textInput.optional(),
    steps: stepsInput.optional(),
    data: plainDataSchema.optional().describe("Default: the rows of the stored test."),
  })
  .refine(({ text, steps }) => (text === undefined) !== (steps === undefined), {
    message: "send text or steps",
    path: ["text"],
  })
  .meta({ id: "TestFile", description: "A test file, which runs with its own content." });

/** Parses the files of a request. Throws ApiError 422 with every sentence that is not understood. */
export const readFiles = async (
  files: readonly z.output<typeof sentFile>[],
): Promise<readonly SentFile[]> => {
  const read: SentFile[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const { source, commit, test_id: testId, project_id: projectId, name } = file;
    if (file.text !== undefined) await readText(file.text);
    const { content, problems: own } = contentOfFile(source, file);
    problems.push(...own);
    const data = file.data === undefined ? null : dataOfPlain(file.data);
    if (content) read.push({ source, commit, testId, projectId, name, ...content, data });
  }
  if (problems.length > 0) throw new ApiError(422, listed(problems));
  return read;
};

/** Maximum number of problems in a message. */
const MAX_PROBLEMS = 20;

const listed = (problems: readonly string[]): string => {
  const more = problems.length - MAX_PROBLEMS;
  return problems.slice(0, MAX_PROBLEMS).join("\n") + (more > 0 ? `\nand ${more} more` : "");
};
