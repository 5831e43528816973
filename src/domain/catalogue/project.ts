import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import {
  decideEnvironment,
  type EnvironmentCommand,
  type Environments,
  evolveEnvironments,
  noEnvironments,
} from "./environments.ts";
import {
  decideFolder,
  emptyTree,
  evolveFolders,
  type FolderCommand,
  type FolderTree,
} from "./folders.ts";
import {
  decideFile,
  evolveFiles,
  type FileCommand,
  noFiles,
  type ProjectFiles,
} from "./projectFiles.ts";

// ---------------------------------------------------------------- Events

const folder = { projectId: z.uuid(), folderId: z.uuid() };
const environment = { projectId: z.uuid(), environmentId: z.uuid() };
const file = { projectId: z.uuid(), fileId: z.uuid(), name: z.string() };

const schemas = {
  ProjectCreated: z.object({ projectId: z.uuid(), organizationId: z.uuid(), name: z.string() }),
  ProjectRenamed: z.object({ projectId: z.uuid(), name: z.string() }),
  /** Its tests stay, without a project. */
  ProjectDeleted: z.object({ projectId: z.uuid() }),
  FolderCreated: z.object({ ...folder, name: z.string(), parentId: z.uuid().nullable() }),
  FolderRenamed: z.object({ ...folder, name: z.string() }),
  FolderMoved: z.object({ ...folder, parentId: z.uuid().nullable() }),
  /** Its tests stay, in the project. */
  FolderDeleted: z.object(folder),
  /** Made, or made another. */
  EnvironmentDefined: z.object({
    ...environment,
    name: z.string(),
    baseUrl: z.string().nullable(),
    variables: z.record(z.string(), z.string()),
  }),
  EnvironmentRemoved: z.object(environment),
  /** Its value is in no event. */
  SecretSet: z.object({ ...environment, secret: z.string(), setId: z.uuid() }),
  SecretRemoved: z.object({ ...environment, secret: z.string() }),
  /** New, or in place of the one of that name. */
  FileAdded: z.object({
    ...file,
    size: z.int(),
    contentType: z.string(),
    sha256: z.string(),
  }),
  FileRemoved: z.object(file),
};

export type ProjectEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type Project =
  | { readonly status: "none" | "deleted" }
  | ({
      readonly status: "active";
      readonly organizationId: string;
      readonly name: string;
      /** The stream's revision + 1: what `ETag` and `If-Match` speak of. */
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
      const nothing = { ...emptyTree, ...noEnvironments, ...noFiles };
      return { status: "active", organizationId, name, version: 1, ...nothing };
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

/** A change is on behalf of an organisation, and where the caller says so, on a version: one of these. */
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
      const { name: current } = mine(project, command);
      return name === current ? [] : [{ type: "ProjectRenamed", data: { projectId, name } }];
    }
    case "delete":
      if (project.status === "deleted") return [];
      mine(project, command);
      return [{ type: "ProjectDeleted", data: { projectId: command.projectId } }];
    case "createFolder":
    case "renameFolder":
    case "moveFolder":
    case "deleteFolder":
      return decideFolder(command, command.projectId, mine(project, command));
    case "defineEnvironment":
    case "changeEnvironment":
    case "removeEnvironment":
    case "setSecret":
    case "removeSecret":
      return decideEnvironment(command, command.projectId, mine(project, command));
    case "addFile":
    case "removeFile":
      return decideFile(command, command.projectId, mine(project, command));
    default:
      return assertNever(command);
  }
};

const mine = (project: Project, command: OnProject): ActiveProject => {
  if (project.status !== "active") {
    throw new DomainError("project.unknown", `There is no project ${command.projectId}.`);
  }
  if (project.organizationId !== command.organizationId) {
    throw new DomainError("project.foreign", "The project belongs to another organisation.");
  }
  const { expectedVersions } = command;
  if (expectedVersions !== null && !expectedVersions.includes(project.version)) {
    throw new DomainError(
      "project.stale",
      `The project is at version ${project.version} by now. Read it again, and base the change on that.`,
    );
  }
  return project;
};

export const projectDecider: Decider<Project, ProjectCommand, ProjectEvent> = {
  category: "project",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
