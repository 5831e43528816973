import {
  type ActiveProject,
  type ProjectCommand,
  projectDecider,
} from "../domain/catalogue/project.ts";
import type { BlobStore } from "../platform/blobs/port.ts";
import type { Clock } from "../platform/clock.ts";
import type { EnvironmentSecrets } from "../platform/state/environmentSecrets.ts";
import { environmentCommands } from "./catalogueEnvironments.ts";
import { fileCommands, fileKey } from "./catalogueFiles.ts";
import { folderCommands } from "./catalogueFolders.ts";
import { type ImportsState, importJobs } from "./catalogueImportJobs.ts";
import { importCommands } from "./catalogueImports.ts";
import { type Expected, organizationOf, type Written, write } from "./catalogueShared.ts";
import { tagCommands } from "./catalogueTags.ts";
import { type FindTests, testSetCommands } from "./catalogueTestSets.ts";
import { testCommands } from "./catalogueTests.ts";
import type { CommandLoop } from "./kernel/commandLoop.ts";
import { type CommandContext, idFor } from "./kernel/context.ts";
import type { Receipt } from "./kernel/receipt.ts";
import type { FindCallable } from "./testCalls.ts";

export type CatalogueCommands = ReturnType<typeof catalogueCommands>;

/** Writing projects, folders, tests, tags and test sets. Every change throws `….unknown`, `….foreign` and `….stale` of what it changes. */
export const catalogueCommands = (deps: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly findTests: FindTests;
  readonly findCallable: FindCallable;
  readonly secrets: EnvironmentSecrets;
  readonly blobs: BlobStore;
  readonly imports: ImportsState;
}) => {
  const tests = testCommands(deps);
  const tags = tagCommands(deps.loop);
  const imports = importCommands({ ...tests, ...tags });
  return {
    ...projectCommands(deps),
    ...environmentCommands(deps),
    ...fileCommands(deps),
    ...folderCommands(deps.loop),
    ...tests,
    ...tags,
    ...testSetCommands(deps),
    ...imports,
    ...importJobs({ ...deps, ...imports }),
  };
};

const projectCommands = (deps: {
  readonly loop: CommandLoop;
  readonly secrets: EnvironmentSecrets;
  readonly blobs: BlobStore;
}) => {
  const { loop, secrets, blobs } = deps;
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

    /** Deletes a project, its secrets and its files; its tests stay, without a project. */
    deleteProject: async (
      context: CommandContext,
      projectId: string,
      expectedVersions: Expected,
    ): Promise<Receipt> => {
      const organizationId = organizationOf(context);
      const command = { type: "delete", projectId, organizationId, expectedVersions } as const;
      const { state } = await loop.load(projectDecider, projectId);
      projectDecider.decide(command, state);
      await secrets.removeProject(projectId);
      const { receipt } = await writeProject(context, command);
      for (const { fileId } of state.status === "active" ? state.files.values() : []) {
        // What stays behind takes up room, and nothing more.
        await blobs.delete(fileKey(projectId, fileId)).catch(() => undefined);
      }
      return receipt;
    },
  };
};
