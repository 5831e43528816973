import { readFile } from "node:fs/promises";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Service } from "../service.ts";
import type { Terminal } from "../terminal.ts";

/** Time limit for uploading and processing a report, in milliseconds. */
const UPLOAD_LIMIT_MS = 60_000;

/**
 * `runledger results import`: imports reports of other tools, file by file. Importing a file again has no effect.
 * Returns the exit code: 0 whatever the results.
 */
export const importResults = async (
  service: Service,
  paths: readonly string[],
  options: { readonly project?: string; readonly signal: AbortSignal },
  terminal: Terminal,
): Promise<number> => {
  for (const path of paths) {
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      throw new CommandError(
        `${path} cannot be read: ${error.code ?? error.message}`,
        exitCodes.usage,
      );
    });
    const imported = await service
      .ask(
        (client, signal) =>
          client.POST("/api/v1/runs/import", {
            params: { query: options.project ? { project_id: options.project } : {} },
            body: bytes as unknown as string,
            bodySerializer: (body) => body as unknown as NonNullable<RequestInit["body"]>,
            // The service detects the format by content.
            headers: { "content-type": "application/xml" },
            signal,
          }),
        { signal: options.signal, timeoutMs: UPLOAD_LIMIT_MS },
      )
      .catch((error: unknown) => {
        if (!(error instanceof CommandError)) throw error;
        throw new CommandError(`${path}: ${error.message}`, error.exitCode);
      });
    const { run_id, duplicate, status, tests, skipped } = imported;
    terminal.record({ type: "imported", path, ...imported });
    const left = skipped === 0 ? "" : `, ${skipped} skipped`;
    terminal.say(
      duplicate
        ? `${path}: already imported as run ${run_id}.`
        : `${path}: ${tests} ${tests === 1 ? "test" : "tests"}${left}, ${status}: run ${run_id}`,
    );
  }
  return exitCodes.passed;
};
