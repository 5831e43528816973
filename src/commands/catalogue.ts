import {
  type ActiveProject,
  type ProjectCommand,
  projectDecider,
} from "../domain/catalogue/project.ts";
import type { Clock } from "../platform/clock.ts";
import { folderCommands } from "./catalogueFolders.ts";
import { type Expected, organizationOf, type Written, write } from "./catalogueShared.ts";
import { tagCommands } from "./catalogueTags.ts";
import { type FindTests, testSetCommands } from "./catalogueTestSets.ts";
import { testCommands } from "./catalogueTests.ts";
import type { CommandLoop } from "./kernel/commandLoop.ts";
import { type CommandContext, idFor } from "./kernel/context.ts";
import type { Receipt } from "./kernel/receipt.ts";

export type CatalogueCommands = ReturnType<typeof catalogueCommands>;

/** Writing projects, folders, tests, tags and test sets. Every change throws `….unknown`, `….foreign` and `….stale` of what it changes. */
export const catalogueCommands = (deps: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly findTests: FindTests;
}) => ({
  ...projectCommands(deps.loop),
  ...folderCommands(deps.loop),
  ...testCommands(deps),
  ...tagCommands(deps.loop),
  ...testSetCommands(deps),
});

const projectCommands = (loop: CommandLoop) => {
  const writeProject = (
    context: CommandContext,
    command: ProjectCommand,
  ): Promise<Written<ActiveProject>> =>
    write(loop, projectDecider, command.projectId, command, context);

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
  };
};
