import { projectDecider } from "../domain/catalogue/project.ts";
import type { Step, StepInput } from "../domain/catalogue/step.ts";
import { type ChangeTest, testDecider } from "../domain/catalogue/test.ts";
import { DomainError } from "../domain/kernel/errors.ts";
import { newId } from "../platform/ids.ts";
import type { CommandContext, CommandLoop } from "./kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "./kernel/receipt.ts";

/** What a test says and does: the person's own words, or none, and the steps. */
export type TestContent = { readonly text: string; readonly steps: readonly StepInput[] };

export type NewTest = TestContent & {
  readonly name: string;
  readonly projectId: string | null;
  readonly language: string;
  readonly platform: string;
};

/** What is absent stays as it is. */
export type TestChanges = {
  readonly name?: string | undefined;
  readonly projectId?: string | null | undefined;
  readonly content?: TestContent | undefined;
};

/** The version that a change is based on; null: whatever it is. */
type Expected = number | null;

export type CatalogueCommands = ReturnType<typeof catalogueCommands>;

/** Writing projects and tests. Every function throws `….unknown`, `….foreign` and `….stale` of what it changes. */
export const catalogueCommands = ({ loop }: { readonly loop: CommandLoop }) => {
  /** Throws unless a test may be put into the project: it is there, and of the caller's organisation. */
  const checkProject = async (organizationId: string, projectId: string): Promise<void> => {
    const { state } = await loop.load(projectDecider, projectId);
    if (state.status !== "active") {
      throw new DomainError(
        "project.unknownInRequest",
        `project_id: there is no project ${projectId}.`,
      );
    }
    if (state.organizationId !== organizationId) {
      throw new DomainError("project.foreign", "The project belongs to another organisation.");
    }
  };

  return {
    createProject: async (
      context: CommandContext,
      name: string,
    ): Promise<{ projectId: string; receipt: Receipt }> => {
      const projectId = newId();
      const organizationId = organizationOf(context);
      const created = await loop.execute(
        projectDecider,
        projectId,
        { type: "create", projectId, organizationId, name },
        context,
      );
      return { projectId, receipt: receiptOf(created) };
    },

    renameProject: async (
      context: CommandContext,
      projectId: string,
      name: string,
      expectedVersion: Expected,
    ): Promise<Receipt> => {
      const organizationId = organizationOf(context);
      const command = { type: "rename", projectId, organizationId, name, expectedVersion } as const;
      return receiptOf(await loop.execute(projectDecider, projectId, command, context));
    },

    /** Deletes a project; its tests stay, without a project. */
    deleteProject: async (
      context: CommandContext,
      projectId: string,
      expectedVersion: Expected,
    ): Promise<Receipt> => {
      const organizationId = organizationOf(context);
      const command = { type: "delete", projectId, organizationId, expectedVersion } as const;
      return receiptOf(await loop.execute(projectDecider, projectId, command, context));
    },

    createTest: async (
      context: CommandContext,
      test: NewTest,
    ): Promise<{ testId: string; receipt: Receipt }> => {
      const organizationId = organizationOf(context);
      if (test.projectId !== null) await checkProject(organizationId, test.projectId);
      const testId = newId();
      const { name, projectId, language, platform, text } = test;
      const steps = withIds(test.steps);
      const created = await loop.execute(
        testDecider,
        testId,
        {
          type: "create",
          testId,
          organizationId,
          projectId,
          name,
          language,
          platform,
          text,
          steps,
        },
        context,
      );
      return { testId, receipt: receiptOf(created) };
    },

    /** Changes what is given of a test, all of it or nothing; steps that continue an old one keep its id. */
    changeTest: async (
      context: CommandContext,
      testId: string,
      changes: TestChanges,
      expectedVersion: Expected,
    ): Promise<Receipt> => {
      const organizationId = organizationOf(context);
      const { name, projectId, content } = changes;
      if (typeof projectId === "string") await checkProject(organizationId, projectId);
      const command: ChangeTest = {
        type: "change",
        testId,
        organizationId,
        expectedVersion,
        ...(name === undefined ? {} : { name }),
        ...(projectId === undefined ? {} : { projectId }),
        ...(content ? { content: { text: content.text, steps: withIds(content.steps) } } : {}),
      };
      return receiptOf(await loop.execute(testDecider, testId, command, context));
    },

    deleteTest: async (
      context: CommandContext,
      testId: string,
      expectedVersion: Expected,
    ): Promise<Receipt> => {
      const organizationId = organizationOf(context);
      const command = { type: "delete", testId, organizationId, expectedVersion } as const;
      return receiptOf(await loop.execute(testDecider, testId, command, context));
    },
  };
};

const organizationOf = (context: CommandContext): string => {
  if (context.organizationId === null) throw new Error("The catalogue is of an organisation");
  return context.organizationId;
};

const withIds = (steps: readonly StepInput[]): Step[] =>
  steps.map(({ action, target, value, description, optional, disabled }) => ({
    id: newId(),
    action,
    target,
    value,
    description,
    optional,
    disabled,
  }));
