import { assertNever, DomainError } from "../kernel/errors.ts";
import type { ProjectEvent } from "./project.ts";

/** A file that the tests of a project upload. What is in it is kept elsewhere, under its id. */
export type ProjectFile = {
  readonly fileId: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly contentType: string;
  /** Of what is in it, in hex. */
  readonly sha256: string;
};

/** The files of a project by name. */
export type ProjectFiles = { readonly files: ReadonlyMap<string, ProjectFile> };

export const noFiles: ProjectFiles = { files: new Map() };

/** operations.md, "Projects". */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;
const MAX_FILES = 200;

/** What is wrong with the name of a file; null when it is fine. The same names are taken by an `upload` step. */
export const fileNameProblem = (name: string): string | null =>
  /^[^\p{Cc}/\\]{1,255}$/u.test(name) && name.trim() === name && !/^\.{1,2}$/.test(name)
    ? null
    : "The name of a file: no folders, no slashes.";

export type FileCommand =
  /** In place of the one of that name, where there is one. */
  | ({ readonly type: "addFile" } & ProjectFile)
  | { readonly type: "removeFile"; readonly name: string };

type FileEvent = Extract<ProjectEvent, { type: `File${string}` }>;

/** Takes an event about a file into those of its project. */
export const evolveFiles = ({ files: before }: ProjectFiles, event: FileEvent): ProjectFiles => {
  const files = new Map(before);
  switch (event.type) {
    case "FileAdded": {
      const { projectId: _, ...file } = event.data;
      files.set(file.name, file);
      return { files };
    }
    case "FileRemoved":
      files.delete(event.data.name);
      return { files };
    default:
      return assertNever(event);
  }
};

/** Decides on the files of a project. Throws `file.tooMany`, `file.unknown`. */
export const decideFile = (
  command: FileCommand,
  projectId: string,
  { files }: ProjectFiles,
): readonly FileEvent[] => {
  switch (command.type) {
    case "addFile": {
      const { fileId, name, size, contentType, sha256 } = command;
      const current = files.get(name);
      if (current?.fileId === fileId) return [];
      if (!current && files.size >= MAX_FILES) {
        throw new DomainError("file.tooMany", `A project has at most ${MAX_FILES} files.`);
      }
      const file = { fileId, name, size, contentType, sha256 };
      return [{ type: "FileAdded", data: { projectId, ...file } }];
    }
    case "removeFile": {
      const file = files.get(command.name);
      if (!file) return [];
      const { fileId, name } = file;
      return [{ type: "FileRemoved", data: { projectId, fileId, name } }];
    }
    default:
      return assertNever(command);
  }
};
