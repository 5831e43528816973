import {
  type ActiveProject,
  type ProjectCommand,
  projectDecider,
} from "../domain/catalogue/project.ts";
import type { Step, StepInput } from "../domain/catalogue/step.ts";
import {
  type ActiveTest,
  type ChangeTest,
  type TestCommand,
  testDecider,
} from "../domain/catalogue/test.ts";
import { DomainError } from "../domain/kernel/errors.ts";
import type { CommandLoop } from "./kernel/commandLoop.ts";
import { type CommandContext, idFor } from "./kernel/context.ts";
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

/** What was written, as the log has it now: an answer need not wait for the read models to say it. */
export type Written<State> = {
  readonly id: string;
  readonly state: State;
  /** When; null when it was so already and nothing was written. */
  readonly at: string | null;
  readonly receipt: Receipt;
};

/** The versions that a change may be based on; null: whatever it is. */
type Expected = readonly number[] | null;

export type CatalogueCommands = ReturnType<typeof catalogueCommands>;

/** Writing projects and tests. Every change throws `….unknown`, `….foreign` and `….stale` of what it changes. */
export const catalogueCommands = (deps: { readonly loop: CommandLoop }) => {
  const { loop } = deps;

  const writeProject = async (
    context: CommandContext,
    command: ProjectCommand,
  ): Promise<Written<ActiveProject>> => {
    const id = command.projectId;
    const written = await loop.execute(projectDecider, id, command, context);
    return {
      id,
      state: written.state as ActiveProject,
      at: written.at,
      receipt: receiptOf(written),
    };
  };

  const writeTest = async (
    context: CommandContext,
    command: TestCommand,
  ): Promise<Written<ActiveTest>> => {
    const id = command.testId;
    const written = await loop.execute(testDecider, id, command, context);
    return {
      id,
      state: written.state as ActiveTest,
      at: written.at,
      receipt: receiptOf(written),
    };
  };

  /** Deleting a project writes nothing into the streams of its tests: they are without one all the same. */
  const withoutGoneProject = async (test: ActiveTest): Promise<ActiveTest> => {
    if (test.projectId === null) return test;
    const { state } = await loop.load(projectDecider, test.projectId);
    return state.status === "active" ? test : { ...test, projectId: null };
  };

  /**
   * Throws unless a test may be put into the project: it is there, and of the caller's organisation. A command
   * that comes again and was done already rested on how it was then.
   */
  const checkProject = async (
    context: CommandContext,
    organizationId: string,
    projectId: string,
    command: TestCommand,
  ): Promise<void> => {
    if (await loop.findDone(testDecider, command.testId, command.type, context)) return;
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
    createProject: (context: CommandContext, name: string): Promise<Written<ActiveProject>> => {
      const organizationId = organizationOf(context);
      const projectId = idFor(context, "project");
      return writeProject(context, { type: "create", projectId, organizationId, name });
    },

    renameProject: (
      context: CommandContext,
      projectId: string,
      name: string,
      expectedVersions: Expected,
    ): Promise<Written<ActiveProject>> => {
      const organizationId = organizationOf(context);
      return writeProject(context, {
        type: "rename",
        projectId,
        organizationId,
        name,
        expectedVersions,
      });
    },

    /** Deletes a project; its tests stay, without a project. */
    deleteProject: async (
      context: CommandContext,
      projectId: string,
      expectedVersions: Expected,
    ): Promise<Receipt> => {
      const organizationId = organizationOf(context);
      const command = { type: "delete", projectId, organizationId, expectedVersions } as const;
      return (await writeProject(context, command)).receipt;
    },

    /** Throws `project.unknownInRequest` and `project.foreign` besides. */
    createTest: async (context: CommandContext, test: NewTest): Promise<Written<ActiveTest>> => {
      const organizationId = organizationOf(context);
      const { name, projectId, language, platform, text } = test;
      const command: TestCommand = {
        type: "create",
        testId: idFor(context, "test"),
        organizationId,
        projectId,
        name,
        language,
        platform,
        text,
        steps: withIds(context, test.steps),
      };
      if (projectId !== null) await checkProject(context, organizationId, projectId, command);
      return writeTest(context, command);
    },

    /** Changes what is given of a test, all of it or nothing; steps that continue an old one keep its id. */
    changeTest: async (
      context: CommandContext,
      testId: string,
      changes: TestChanges,
      expectedVersions: Expected,
    ): Promise<Written<ActiveTest>> => {
      const organizationId = organizationOf(context);
      const { name, projectId, content } = changes;
      const command: ChangeTest = {
        type: "change",
        testId,
        organizationId,
        expectedVersions,
        ...(name === undefined ? {} : { name }),
        ...(projectId === undefined ? {} : { projectId }),
        ...(content ? { content: contentOf(context, content) } : {}),
      };
      if (typeof projectId === "string") {
        await checkProject(context, organizationId, projectId, command);
      }
      const written = await writeTest(context, command);
      return { ...written, state: await withoutGoneProject(written.state) };
    },

    deleteTest: async (
      context: CommandContext,
      testId: string,
      expectedVersions: Expected,
    ): Promise<Receipt> => {
      const organizationId = organizationOf(context);
      const command = { type: "delete", testId, organizationId, expectedVersions } as const;
      return (await writeTest(context, command)).receipt;
    },
  };
};

const organizationOf = (context: CommandContext): string => {
  if (context.organizationId === null) throw new Error("The catalogue is of an organisation");
  return context.organizationId;
};

const contentOf = (context: CommandContext, { text, steps }: TestContent) => ({
  text,
  steps: withIds(context, steps),
});

const withIds = (context: CommandContext, steps: readonly StepInput[]): Step[] =>
  steps.map(({ action, target, value, description, optional, disabled }, index) => ({
    id: idFor(context, `step ${index}`),
    action,
    target,
    value,
    description,
    optional,
    disabled,
  }));
