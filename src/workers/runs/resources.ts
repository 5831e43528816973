import { fileKey } from "../../commands/catalogue/files.ts";
import type { QueuedExecution } from "../../domain/runs/executions/events.ts";
import type { Blob, BlobStore } from "../../platform/blobs/port.ts";
import type { EnvironmentSecrets } from "../../stores/catalogue/environmentSecrets.ts";
import type { ReadSecrets } from "../executor/index.ts";

/** Secrets and files of a test. They are in no event and are read when a step needs them. */
export type Resources = {
  readonly secrets: ReadSecrets;
  /** Whether screenshots may show secrets in the fields they were typed into. */
  readonly showsSecrets: boolean;
  /** A file of the test's project by name. A replaced file has another `id`. */
  readonly files: (name: string) => Promise<(Blob & { readonly id: string }) | null>;
};

/** Finds the resources of an execution of an organisation. */
export type ResourcesOf = (
  planned: Pick<QueuedExecution, "environmentId" | "projectId" | "showsSecrets">,
  organizationId: string,
) => Resources;

/** Reads secrets of the execution's environment and files of the test's project. */
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
