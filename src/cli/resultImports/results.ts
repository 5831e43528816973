import { readFile } from "node:fs/promises";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Service } from "../service.ts";
import type { Terminal } from "../terminal.ts";

/** So long a large report may take to get there and be read, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * `runledger results import`: hands reports of other tools to the service, file by file. A file that was handed in
 * before is no fault. Answers the exit code: 0, however the tests ended; they ran elsewhere.
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
            // What is in it says what it is, not its name.
            headers: { "content-type": "application/xml" },
            signal,
          }),
        { signal: options.signal, timeoutMs: PATIENCE_MS },
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
        ? `${path}: imported before, as run ${run_id}. Nothing is recorded.`
        : `${path}: ${tests} ${tests === 1 ? "test" : "tests"}${left}, ${status}: run ${run_id}`,
    );
  }
  return exitCodes.passed;
};
