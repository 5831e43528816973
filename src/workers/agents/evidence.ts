import {
  type AgentReport,
  EVIDENCE_PART_BYTES,
  pictureBytes,
} from "../../domain/agents/protocol.ts";
import { type EvidenceFile, evidenceFolder } from "../../domain/runs/executions/evidence.ts";
import type { EvidenceKind } from "../../domain/runs/pinned.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import { PartUnavailableError } from "../../platform/partHealth.ts";
import { evidenceOf } from "../executor/evidence.ts";
import type { NewReport } from "../executor/report.ts";
import type { Resumed } from "../runs/claim.ts";

type Message = Extract<AgentReport, { type: "evidence" }>;
type Taken = Extract<NewReport, { type: "evidenceTaken" }>;

type AgentEvidence = {
  /**
   * Takes a piece of a file, or the word that there is none. `report` is handed what is there now, once the file is
   * whole. Answers why it is refused, else null. Never rejects.
   */
  take(message: Message, report: (taken: Taken) => Promise<void>): Promise<string | null>;
  /** Leaves no pieces behind, of this delivery or of one before: nothing more is taken. Never rejects. */
  end(): Promise<void>;
};

/** Which kind a file is of, for what only some runs ask for; and what it is: never what an agent says of it. */
const FILES: Readonly<
  Record<EvidenceFile, { readonly kind: EvidenceKind | null; readonly contentType: string }>
> = {
  "trace.zip": { kind: "trace", contentType: "application/zip" },
  "console.json": { kind: null, contentType: "application/json" },
  "network.har": { kind: "har", contentType: "application/json" },
  "video.webm": { kind: "video", contentType: "video/webm" },
};

/**
 * Puts the files together that an agent's tests leave. Pieces wait in the blob store, so that an agent may send
 * the rest of a file to another process; of what is put together there is one in the memory of the process.
 */
export const takeAgentEvidence = (deps: {
  readonly runId: string;
  readonly executionId: string;
  readonly delivery: number;
  readonly asked: readonly EvidenceKind[];
  /** What is recorded already of a delivery that goes on; null for one that begins. */
  readonly before: Resumed["kept"] | null;
  readonly blobs: BlobStore;
  /** Does one piece of work at a time of all that is given to it. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}): AgentEvidence => {
  const { blobs, delivery } = deps;
  const parts = `${evidenceFolder(deps.runId, deps.executionId)}/parts`;
  const told = new Set((deps.before ?? []).map((one) => keyOf(one)));
  // Those who had it before may have left some.
  let hasParts = deps.before !== null || delivery > 1;

  const folderOf = (message: Message): string => `${parts}/${delivery}/${keyOf(message)}`;

  const join = async (message: Message): Promise<Buffer | null> => {
    const pieces: Buffer[] = [];
    for (let offset = 0; offset < message.bytes; offset += EVIDENCE_PART_BYTES) {
      const piece = await blobs.get(`${folderOf(message)}/${offset}`);
      if (piece?.bytes.length !== lengthAt(offset, message.bytes)) return null;
      pieces.push(piece.bytes);
    }
    return Buffer.concat(pieces);
  };

  const store = async (
    message: Message,
    bytes: Buffer,
    report: (bytes: Buffer | null, absent: string | null) => Promise<void>,
  ): Promise<void> => {
    const isWhole = bytes.length === message.bytes;
    if (isWhole) return report(bytes, null);
    hasParts = true;
    const contentType = "application/octet-stream";
    await blobs.put(`${folderOf(message)}/${message.offset}`, { bytes, contentType });
    if (message.offset + bytes.length < message.bytes) return;
    await deps.inTurn(async () => {
      const whole = await join(message);
      await report(whole, whole ? null : "Some of it did not arrive.");
    });
    await blobs.deleteUnder(folderOf(message)).catch(() => undefined);
  };

  return {
    take: async (message, report) => {
      const { name, attempt, offset, absent } = message;
      const { kind, contentType } = FILES[name];
      if (kind !== null && !evidenceOf(deps.asked, attempt)[kind]) {
        return `The run asks for no ${name}.`;
      }
      if (told.has(keyOf(message))) return null;
      const tell = (bytes: Buffer | null, why: string | null): Promise<void> => {
        told.add(keyOf(message));
        return report({ type: "evidenceTaken", name, contentType, bytes, absent: why });
      };
      if (typeof absent === "string") {
        await tell(null, absent || "It was not recorded.");
        return null;
      }
      const length = pictureBytes(message.base64);
      if (length === null) return "The file is no base64.";
      if (offset % EVIDENCE_PART_BYTES !== 0 || length !== lengthAt(offset, message.bytes)) {
        return `A file of ${message.bytes} bytes comes in pieces of ${EVIDENCE_PART_BYTES} and what is left.`;
      }
      if (length === 0) {
        await tell(null, "Nothing was recorded.");
        return null;
      }
      try {
        await store(message, Buffer.from(message.base64, "base64"), tell);
      } catch (error) {
        const why =
          error instanceof PartUnavailableError ? `${error.message}.` : "It could not be stored.";
        await tell(null, why);
      }
      return null;
    },
    end: async () => {
      if (hasParts) await blobs.deleteUnder(parts).catch(() => undefined);
    },
  };
};

type Which = Pick<Message, "attempt" | "browser"> & { readonly name: string };
const keyOf = ({ attempt, browser, name }: Which): string => `${attempt}/${browser}/${name}`;

/** How long the piece is that begins there. */
const lengthAt = (offset: number, bytes: number): number =>
  Math.max(0, Math.min(EVIDENCE_PART_BYTES, bytes - offset));
