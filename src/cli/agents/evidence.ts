import { EVIDENCE_PART_BYTES } from "../../domain/agents/protocol.ts";
import type { ExecutorReport } from "../../workers/executor/index.ts";
import type { Unsent } from "./outbox.ts";
import type { AttemptKey } from "./visuals.ts";

/** The files of one test are sent for so long: then the service takes the test for one that hangs. */
const PATIENCE_MS = 30_000;

/**
 * Sends what one test leaves besides its pictures, a piece at a time, so that a slow line is not taken for a dead
 * one. A file that there is no time for is said to be absent.
 */
export const createEvidenceSender = (
  on: AttemptKey,
  post: (message: Unsent) => Promise<void>,
  signal: AbortSignal,
) => {
  let until: number | null = null;
  return async ({
    name,
    bytes,
    absent,
  }: Extract<ExecutorReport, { type: "evidenceTaken" }>): Promise<void> => {
    until ??= performance.now() + PATIENCE_MS;
    const of = { type: "evidence", ...on, name } as const;
    const nothing = { bytes: 0, offset: 0, base64: "" };
    if (bytes === null || bytes.length === 0) {
      return post({ ...of, ...nothing, absent: absent ?? "Nothing was recorded." });
    }
    for (let offset = 0; offset < bytes.length; offset += EVIDENCE_PART_BYTES) {
      if (signal.aborted) return;
      if (performance.now() > until) {
        return post({ ...of, ...nothing, absent: "Sending it took too long." });
      }
      const base64 = bytes.subarray(offset, offset + EVIDENCE_PART_BYTES).toString("base64");
      await post({ ...of, bytes: bytes.length, offset, base64 });
    }
  };
};
