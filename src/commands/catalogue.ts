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
import type { Clock } from "../platform/clock.ts";
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

/** What was written, as the log has it now: an answer need not wait for the read models to say it. */
export type Written<State> = {
  readonly id: string;
  readonly state: State;
  /** When; null when it was so already and nothing was written. */
  readonly at: string | null;
  readonly receipt: Receipt;
};

/** The version that a change is based on; null: whatever it is. */
type Expected = number | null;

export type CatalogueCommands = ReturnType<typeof catalogueCommands>;

/** Writing projects and tests. Every change throws `….unknown`, `….foreign` and `….stale` of what it changes. */
export const catalogueCommands = (deps: { readonly loop: CommandLoop; readonly clock: Clock }) => {
  const { loop, clock } = deps;

  const writeProject = async (
    context: CommandContext,
    command: ProjectCommand,
  ): Promise<Written<ActiveProject>> => {
    const id = command.projectId;
    const at = clock().toISOString();
    const written = await loop.execute(projectDecider, id, command, { ...context, occurredAt: at });
    return {
      id,
      state: written.state as ActiveProject,
      at: written.position === null ? null : at,
      receipt: receiptOf(written),
    };
  };

  const writeTest = async (
    context: CommandContext,
    command: TestCommand,
  ): Promise<Written<ActiveTest>> => {
    const id = command.testId;
    const at = clock().toISOString();
    const written = await loop.execute(testDecider, id, command, { ...context, occurredAt: at });
    return {
      id,
      state: written.state as ActiveTest,
      at: written.position === null ? null : at,
      receipt: receiptOf(written),
    };
  };

  /** Deleting a project writes nothing into the streams of its tests: they are without one all the same. */
  const withoutGoneProject = async (test: ActiveTest): Promise<ActiveTest> => {
    if (test.projectId === null) return test;
    const { state } = await loop.load(projectDecider, test.projectId);
    return state.status === "active" ? test : { ...test, projectId: null };
  };

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
    createProject: (context: CommandContext, name: string): Promise<Written<ActiveProject>> => {
      const organizationId = organizationOf(context);
      return writeProject(context, { type: "create", projectId: newId(), organizationId, name });
    },

    renameProject: (
      context: CommandContext,
      projectId: string,
      name: string,
      expectedVersion: Expected,
    ): Promise<Written<ActiveProject>> => {
      const organizationId = organizationOf(context);
      return writeProject(context, {
        type: "rename",
        projectId,
        organizationId,
        name,
        expectedVersion,
      });
    },

    /** Deletes a project; its tests stay, without a project. */
    deleteProject: async (
      context: CommandContext,
      projectId: string,
      expectedVersion: Expected,
    ): Promise<Receipt> => {
      const organizationId = organizationOf(context);
      const command = { type: "delete", projectId, organizationId, expectedVersion } as const;
      return (await writeProject(context, command)).receipt;
    },

    /** Throws `project.unknownInRequest` and `project.foreign` besides. */
    createTest: async (context: CommandContext, test: NewTest): Promise<Written<ActiveTest>> => {
      const organizationId = organizationOf(context);
      if (test.projectId !== null) await checkProject(organizationId, test.projectId);
      const { name, projectId, language, platform, text } = test;
      return writeTest(context, {
        type: "create",
        testId: newId(),
        organizationId,
        projectId,
        name,
        language,
        platform,
        text,
        steps: withIds(test.steps),
      });
    },

    /** Changes what is given of a test, all of it or nothing; steps that continue an old one keep its id. */
    changeTest: async (
      context: CommandContext,
      testId: string,
      changes: TestChanges,
      expectedVersion: Expected,
    ): Promise<Written<ActiveTest>> => {
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
      const written = await writeTest(context, command);
      return { ...written, state: await withoutGoneProject(written.state) };
    },

    deleteTest: async (
      context: CommandContext,
      testId: string,
      expectedVersion: Expected,
    ): Promise<Receipt> => {
      const organizationId = organizationOf(context);
      const command = { type: "delete", testId, organizationId, expectedVersion } as const;
      return (await writeTest(context, command)).receipt;
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
