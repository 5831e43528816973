import { z } from "zod";
import { defineCodec, type EventOf } from "../../kernel/events.ts";

const folder = { projectId: z.uuid(), folderId: z.uuid() };
const environment = { projectId: z.uuid(), environmentId: z.uuid() };
const file = { projectId: z.uuid(), fileId: z.uuid(), name: z.string() };

const schemas = {
  ProjectCreated: z.object({ projectId: z.uuid(), organizationId: z.uuid(), name: z.string() }),
  ProjectRenamed: z.object({ projectId: z.uuid(), name: z.string() }),
  /** The project's tests stay, without a project. */
  ProjectDeleted: z.object({ projectId: z.uuid() }),
  FolderCreated: z.object({ ...folder, name: z.string(), parentId: z.uuid().nullable() }),
  FolderRenamed: z.object({ ...folder, name: z.string() }),
  FolderMoved: z.object({ ...folder, parentId: z.uuid().nullable() }),
  /** The folder's tests stay in the project, without a folder. */
  FolderDeleted: z.object(folder),
  /** Creates the environment or replaces its definition. */
  EnvironmentDefined: z.object({
    ...environment,
    name: z.string(),
    baseUrl: z.string().nullable(),
    variables: z.record(z.string(), z.string()),
  }),
  EnvironmentRemoved: z.object(environment),
  /** No event contains the value of a secret. */
  SecretSet: z.object({ ...environment, secret: z.string(), setId: z.uuid() }),
  SecretRemoved: z.object({ ...environment, secret: z.string() }),
  /** Adds the file or replaces the file of the same name. */
  FileAdded: z.object({
    ...file,
    size: z.int(),
    contentType: z.string(),
    sha256: z.string(),
  }),
  FileRemoved: z.object(file),
};

export const projectCodec = defineCodec(schemas);

export type ProjectEvent = EventOf<typeof schemas>;

export type FolderEvent = Extract<ProjectEvent, { type: `Folder${string}` }>;
export type EnvironmentEvent = Extract<
  ProjectEvent,
  { type: `Environment${string}` | `Secret${string}` }
>;
export type FileEvent = Extract<ProjectEvent, { type: `File${string}` }>;
