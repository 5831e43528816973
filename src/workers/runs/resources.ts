import { fileKey } from "../../commands/catalogue/files.ts";
import type { Blob, BlobStore } from "../../platform/blobs/port.ts";
import type { EnvironmentSecrets } from "../../stores/catalogue/environmentSecrets.ts";
import type { ReadSecrets } from "../executor/index.ts";
import type { Planned } from "./delivery.ts";

/** What a test may use that is in no event: read when a step needs it, and not before. */
export type Resources = {
  readonly secrets: ReadSecrets;
  /** Pictures show secrets in the fields that they were put into. */
  readonly showsSecrets: boolean;
  /** A file of the test's project by its name; another `id` is another file of the same name. */
  readonly files: (name: string) => Promise<(Blob & { readonly id: string }) | null>;
};

/** What an execution may use, of the organisation that it is of. */
export type ResourcesOf = (
  planned: Pick<Planned, "environmentId" | "projectId" | "showsSecrets">,
  organizationId: string,
) => Resources;

/** The secrets of an execution's environment, and the files of its test's project. */
export const resourcesFrom =
  (deps: {
    readonly secrets: Pick<EnvironmentSecrets, "read">;
    readonly findFile: (
      projectId: string,
      name: string,
    ) => Promise<{ readonly id: string; readonly organization_id: string } | null>;
    readonly blobs: Pick<BlobStore, "get">;
  }): ResourcesOf =>
  ({ environmentId, projectId, showsSecrets = false }, organizationId) => ({
    showsSecrets,
    secrets: async (names) =>
      environmentId === undefined
        ? new Map()
        : deps.secrets.read(environmentId, organizationId, names),
    files: async (name) => {
      if (projectId === undefined) return null;
      const file = await deps.findFile(projectId, name);
      if (!file || file.organization_id !== organizationId) return null;
      const blob = await deps.blobs.get(fileKey(projectId, file.id));
      return blob && { ...blob, id: file.id };
    },
  });
