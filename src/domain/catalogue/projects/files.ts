import { assertNever, DomainError } from "../../kernel/errors.ts";
import type { FileEvent } from "./events.ts";

/** A file that tests of a project upload. The blob store holds its bytes under `fileId`. */
export type ProjectFile = {
  readonly fileId: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly contentType: string;
  /** Hexadecimal digest of the bytes. */
  readonly sha256: string;
};

/** The files of a project by name. */
export type ProjectFiles = { readonly files: ReadonlyMap<string, ProjectFile> };

export const noFiles: ProjectFiles = { files: new Map() };

/** operations.md, "Projects". */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;
const MAX_FILES = 200;

/** The message for an invalid file name, or null. `upload` steps accept the same names. */
export const fileNameProblem = (name: string): string | null =>
  /^[^\p{Cc}/\\]{1,255}$/u.test(name) && name.trim() === name && !/^\.{1,2}$/.test(name)
    ? null
    : "The name of a file, without folders or slashes.";

export type FileCommand =
  /** Replaces the file of the same name, if any. */
  | ({ readonly type: "addFile" } & ProjectFile)
  | { readonly type: "removeFile"; readonly name: string };

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

/** Throws `file.tooMany`. */
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
