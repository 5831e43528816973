import type { FileCommand, ProjectFile } from "../../domain/catalogue/projects/files.ts";
import { type ActiveProject, projectDecider } from "../../domain/catalogue/projects/project.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import { sha256 } from "../../platform/crypto.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import type { Receipt } from "../kernel/receipt.ts";
import { organizationOf, type Written, write } from "./changes.ts";

/** Key of a file's bytes in the blob store. */
export const fileKey = (projectId: string, fileId: string): string =>
  `files/${projectId}/${fileId}`;

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
     * Stores a file and replaces the one of the same name. Throws `project.unknown`, `project.foreign`, `file.tooMany`,
     * and PartAwayError if the blob store is unavailable.
     */
    addFile: async (
      context: CommandContext,
      projectId: string,
      file: Pick<ProjectFile, "name" | "contentType"> & { readonly bytes: Buffer },
    ): Promise<Written<ProjectFile>> => {
      const { name, contentType, bytes } = file;
      const fileId = idFor(context, "file");
      const stored = { fileId, name, size: bytes.length, contentType, sha256: sha256(bytes) };
      const command = { type: "addFile", ...stored } as const;
      const { state } = await loop.load(projectDecider, projectId);
      projectDecider.decide(on(context, projectId, command), state);
      const before = state.status === "active" ? state.files.get(name) : undefined;
      // Bytes before the event: every file in the log must have its bytes.
      await blobs.put(fileKey(projectId, fileId), { bytes, contentType });
      const { at, receipt } = await writeFile(context, projectId, command);
      if (before && before.fileId !== fileId) {
        // A failure leaves an unused blob, which only takes up space.
        await blobs.delete(fileKey(projectId, before.fileId)).catch(() => undefined);
      }
      return { id: fileId, state: stored, at, receipt };
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
