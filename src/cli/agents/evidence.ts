import { EVIDENCE_PART_BYTES } from "../../domain/agents/protocol.ts";
import type { ExecutorReport } from "../../workers/executor/index.ts";
import type { Unsent } from "./outbox.ts";
import type { AttemptKey } from "./visuals.ts";

/** Time limit for the files of one test: after a longer silence the service considers the test hung. */
const SEND_LIMIT_MS = 30_000;

/**
 * Sends the evidence files of one test in parts, so that heartbeats pass in between. Reports a file as absent if the
 * time limit is over.
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
    until ??= performance.now() + SEND_LIMIT_MS;
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
