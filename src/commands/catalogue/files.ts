import { type ActiveProject, projectDecider } from "../../domain/catalogue/project.ts";
import type { FileCommand, ProjectFile } from "../../domain/catalogue/projectFiles.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import { sha256 } from "../../platform/crypto.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import type { Receipt } from "../kernel/receipt.ts";
import { organizationOf, type Written, write } from "./changes.ts";

/** Where what is in a file of a project lies in the blob store. */
export const fileKey = (projectId: string, fileId: string): string =>
  `files/${projectId}/${fileId}`;

/** Keeping the files of projects. */
export const fileCommands = (deps: { readonly loop: CommandLoop; readonly blobs: BlobStore }) => {
  const { loop, blobs } = deps;

  const on = (context: CommandContext, projectId: string, command: FileCommand) => ({
    ...command,
    projectId,
    organizationId: organizationOf(context),
    expectedVersions: null,
  });

  const writeFile = (
    context: CommandContext,
    projectId: string,
    command: FileCommand,
  ): Promise<Written<ActiveProject>> =>
    write(loop, projectDecider, projectId, on(context, projectId, command), context);

  return {
    /**
     * Keeps a file, in place of the one of that name. Throws `project.unknown`, `project.foreign`, `file.tooMany`;
     * PartAwayError when the blob store cannot be used.
     */
    addFile: async (
      context: CommandContext,
      projectId: string,
      file: Pick<ProjectFile, "name" | "contentType"> & { readonly bytes: Buffer },
    ): Promise<Written<ProjectFile>> => {
      const { name, contentType, bytes } = file;
      const fileId = idFor(context, "file");
      const kept = { fileId, name, size: bytes.length, contentType, sha256: sha256(bytes) };
      const command = { type: "addFile", ...kept } as const;
      const { state } = await loop.load(projectDecider, projectId);
      projectDecider.decide(on(context, projectId, command), state);
      const before = state.status === "active" ? state.files.get(name) : undefined;
      // The bytes first: what the log says to be there must be there.
      await blobs.put(fileKey(projectId, fileId), { bytes, contentType });
      const { at, receipt } = await writeFile(context, projectId, command);
      if (before && before.fileId !== fileId) {
        // What stays behind takes up room, and nothing more.
        await blobs.delete(fileKey(projectId, before.fileId)).catch(() => undefined);
      }
      return { id: fileId, state: kept, at, receipt };
    },

    removeFile: async (
      context: CommandContext,
      projectId: string,
      name: string,
    ): Promise<Receipt> => {
      const { state } = await loop.load(projectDecider, projectId);
      const before = state.status === "active" ? state.files.get(name) : undefined;
      const { receipt } = await writeFile(context, projectId, { type: "removeFile", name });
      if (before) await blobs.delete(fileKey(projectId, before.fileId)).catch(() => undefined);
      return receipt;
    },
  };
};
