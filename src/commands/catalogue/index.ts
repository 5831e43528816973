import {
  type ActiveProject,
  type ProjectCommand,
  projectDecider,
} from "../../domain/catalogue/projects/project.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EnvironmentSecrets } from "../../stores/catalogue/environmentSecrets.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import type { Receipt } from "../kernel/receipt.ts";
import type { FindCallable } from "./calls.ts";
import { type Expected, organizationOf, type Written, write } from "./changes.ts";
import { environmentCommands } from "./environments.ts";
import { fileCommands, fileKey } from "./files.ts";
import { folderCommands } from "./folders.ts";
import { type ImportsState, importJobs } from "./importJobs.ts";
import { importCommands } from "./imports.ts";
import { tagCommands } from "./tags.ts";
import { type FindTests, testSetCommands } from "./testSets.ts";
import { testCommands } from "./tests.ts";

export type CatalogueCommands = ReturnType<typeof catalogueCommands>;

/** Commands of the catalogue. Every change throws `….unknown`, `….foreign` and `….stale` of the changed aggregate. */
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

    /** Deletes a project with its secrets and files. Its tests stay, without a project. */
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
        // A failure leaves an unused blob, which only takes up space.
        await blobs.delete(fileKey(projectId, fileId)).catch(() => undefined);
      }
      return receipt;
    },
  };
};
