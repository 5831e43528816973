import type { Decider } from "../../kernel/decider.ts";
import { assertNever, DomainError } from "../../kernel/errors.ts";
import { mustBeCurrent } from "../../kernel/versions.ts";
import {
  decideEnvironment,
  type EnvironmentCommand,
  type Environments,
  evolveEnvironments,
  noEnvironments,
} from "./environments.ts";
import { type ProjectEvent, projectCodec } from "./events.ts";
import { decideFile, evolveFiles, type FileCommand, noFiles, type ProjectFiles } from "./files.ts";
import {
  decideFolder,
  emptyTree,
  evolveFolders,
  type FolderCommand,
  type FolderTree,
} from "./folders.ts";

// ---------------------------------------------------------------- State

export type Project =
  | { readonly status: "none" | "deleted" }
  | ({
      readonly status: "active";
      readonly organizationId: string;
      readonly name: string;
      /** The stream's revision plus one. `ETag` and `If-Match` contain it. */
      readonly version: number;
    } & FolderTree &
      Environments &
      ProjectFiles);

export type ActiveProject = Extract<Project, { status: "active" }>;

// ---------------------------------------------------------------- evolve

export const evolve = (project: Project, event: ProjectEvent): Project => {
  switch (event.type) {
    case "ProjectCreated": {
      const { organizationId, name } = event.data;
      const empty = { ...emptyTree, ...noEnvironments, ...noFiles };
      return { status: "active", organizationId, name, version: 1, ...empty };
    }
    case "ProjectRenamed":
      return project.status === "active"
        ? { ...project, name: event.data.name, version: project.version + 1 }
        : project;
    case "ProjectDeleted":
      return { status: "deleted" };
    case "FolderCreated":
    case "FolderRenamed":
    case "FolderMoved":
    case "FolderDeleted":
      return project.status === "active"
        ? { ...project, ...evolveFolders(project, event), version: project.version + 1 }
        : project;
    case "EnvironmentDefined":
    case "EnvironmentRemoved":
    case "SecretSet":
    case "SecretRemoved":
      return project.status === "active"
        ? { ...project, ...evolveEnvironments(project, event), version: project.version + 1 }
        : project;
    case "FileAdded":
    case "FileRemoved":
      return project.status === "active"
        ? { ...project, ...evolveFiles(project, event), version: project.version + 1 }
        : project;
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

/** `expectedVersions: null` skips the version check. */
type OnProject = {
  readonly projectId: string;
  readonly organizationId: string;
  readonly expectedVersions: readonly number[] | null;
};

export type ProjectCommand =
  | {
      readonly type: "create";
      readonly projectId: string;
      readonly organizationId: string;
      readonly name: string;
    }
  | ({ readonly type: "rename"; readonly name: string } & OnProject)
  | ({ readonly type: "delete" } & OnProject)
  | ((FolderCommand | EnvironmentCommand | FileCommand) & OnProject);

// ---------------------------------------------------------------- decide

export const decide = (command: ProjectCommand, project: Project): readonly ProjectEvent[] => {
  switch (command.type) {
    case "create": {
      const { type: _, ...data } = command;
      return project.status === "none" ? [{ type: "ProjectCreated", data }] : [];
    }
    case "rename": {
      const { projectId, name } = command;
      const { name: current } = requireActive(project, command);
      return name === current ? [] : [{ type: "ProjectRenamed", data: { projectId, name } }];
    }
    case "delete":
      if (project.status === "deleted") return [];
      requireActive(project, command);
      return [{ type: "ProjectDeleted", data: { projectId: command.projectId } }];
    case "createFolder":
    case "renameFolder":
    case "moveFolder":
    case "deleteFolder":
      return decideFolder(command, command.projectId, requireActive(project, command));
    case "defineEnvironment":
    case "changeEnvironment":
    case "removeEnvironment":
    case "setSecret":
    case "removeSecret":
      return decideEnvironment(command, command.projectId, requireActive(project, command));
    case "addFile":
    case "removeFile":
      return decideFile(command, command.projectId, requireActive(project, command));
    default:
      return assertNever(command);
  }
};

/** Throws `project.unknown`, `project.foreign`, `project.stale`. */
const requireActive = (project: Project, command: OnProject): ActiveProject => {
  if (project.status !== "active") {
    throw new DomainError("project.unknown", `There is no project ${command.projectId}.`);
  }
  if (project.organizationId !== command.organizationId) {
    throw new DomainError("project.foreign", "The project belongs to another organisation.");
  }
  const { expectedVersions } = command;
  mustBeCurrent("project.stale", "The project", project.version, expectedVersions);
  return project;
};

export const projectDecider: Decider<Project, ProjectCommand, ProjectEvent> = {
  category: "project",
  initial: { status: "none" },
  codec: projectCodec,
  evolve,
  decide,
};
