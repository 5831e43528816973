import {
  type Tag,
  type TagsCommand,
  tagsDecider,
  tagsOfTest,
} from "../../domain/catalogue/tags.ts";
import { testDecider } from "../../domain/catalogue/tests/test.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import { type Expected, organizationOf, type Written } from "./changes.ts";

type TagOfTest = { readonly id: string; readonly name: string };

export const tagCommands = (loop: CommandLoop) => ({
  createTag: createTag.bind(null, loop),
  renameTag: renameTag.bind(null, loop),
  deleteTag: deleteTag.bind(null, loop),
  tagTest: tagTest.bind(null, loop),
  checkTagNames: checkTagNames.bind(null, loop),
  setTagsOfTest: setTagsOfTest.bind(null, loop),
  untagTest: untagTest.bind(null, loop),
});

const execute = (loop: CommandLoop, context: CommandContext, command: TagsCommand) =>
  loop.execute(tagsDecider, organizationOf(context), command, context);

/** Throws `tag.unknown` if the command was a repeat and the tag has been deleted since. */
const writeTag = async (
  loop: CommandLoop,
  context: CommandContext,
  command: TagsCommand & { readonly tagId: string },
): Promise<Written<Tag>> => {
  const written = await execute(loop, context, command);
  const state = written.state.tags.get(command.tagId);
  if (!state) throw new DomainError("tag.unknown", `There is no tag ${command.tagId}.`);
  return { id: command.tagId, state, at: written.at, receipt: receiptOf(written) };
};

/** Throws `test.unknown`, `test.foreign`. Does nothing for a repeated command. */
const checkTest = async (
  loop: CommandLoop,
  context: CommandContext,
  testId: string,
  type: TagsCommand["type"],
): Promise<void> => {
  const organizationId = organizationOf(context);
  if (await loop.findDone(tagsDecider, organizationId, type, context)) return;
  const { state } = await loop.load(testDecider, testId);
  if (state.status !== "active") {
    throw new DomainError("test.unknown", `There is no test ${testId}.`);
  }
  if (state.organizationId !== organizationId) {
    throw new DomainError("test.foreign", "The test belongs to another organisation.");
  }
};

/** Throws `tag.nameTaken`, `tag.tooMany`. */
const createTag = (
  loop: CommandLoop,
  context: CommandContext,
  name: string,
): Promise<Written<Tag>> =>
  writeTag(loop, context, { type: "create", tagId: idFor(context, "tag"), name });

/** Throws `tag.nameTaken`. */
const renameTag = (
  loop: CommandLoop,
  context: CommandContext,
  tagId: string,
  name: string,
  expectedVersions: Expected,
): Promise<Written<Tag>> =>
  writeTag(loop, context, { type: "rename", tagId, name, expectedVersions });

/** Deletes a tag and removes it from all tests. */
const deleteTag = async (
  loop: CommandLoop,
  context: CommandContext,
  tagId: string,
  expectedVersions: Expected,
): Promise<Receipt> =>
  receiptOf(await execute(loop, context, { type: "delete", tagId, expectedVersions }));

/** Throws `test.unknown`, `test.foreign`, `tag.unknown`, `tag.tooManyOfTest`. */
const tagTest = async (
  loop: CommandLoop,
  context: CommandContext,
  testId: string,
  tagId: string,
): Promise<Receipt> => {
  await checkTest(loop, context, testId, "tag");
  return receiptOf(await execute(loop, context, { type: "tag", tagId, testId }));
};

/** Throws the errors of `setTagsOfTest` for these names. Called before the test with these tags is written. */
const checkTagNames = async (
  loop: CommandLoop,
  context: CommandContext,
  names: readonly string[],
): Promise<void> => {
  const { state } = await loop.load(tagsDecider, organizationOf(context));
  const tags = names.map((name, at) => ({ tagId: `new ${at}`, name }));
  tagsDecider.decide({ type: "set", testId: "", tags }, state);
};

/**
 * Replaces the tags of a test and creates missing ones. Does not check the test: call it only for a test that
 * the same request wrote. Throws `tag.tooMany`, `tag.tooManyOfTest`.
 */
const setTagsOfTest = async (
  loop: CommandLoop,
  context: CommandContext,
  testId: string,
  names: readonly string[],
): Promise<{ readonly tags: readonly TagOfTest[]; readonly receipt: Receipt }> => {
  const tags = names.map((name, at) => ({ tagId: idFor(context, `tag ${at}`), name }));
  const written = await execute(loop, context, { type: "set", testId, tags });
  return { tags: tagsOfTest(written.state, testId), receipt: receiptOf(written) };
};

/** Throws `test.unknown`, `test.foreign`, `tag.unknown`. */
const untagTest = async (
  loop: CommandLoop,
  context: CommandContext,
  testId: string,
  tagId: string,
): Promise<Receipt> => {
  await checkTest(loop, context, testId, "untag");
  return receiptOf(await execute(loop, context, { type: "untag", tagId, testId }));
};
