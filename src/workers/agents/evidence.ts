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

export type AgentEvidence = {
  /**
   * Takes a part of a file, or the note that the file is missing. Calls `report` once the file is complete.
   * Resolves with null or the reason of the refusal. Never rejects.
   */
  take(message: Message, report: (taken: Taken) => Promise<void>): Promise<string | null>;
  /** Deletes the parts of this delivery and of earlier ones. Never rejects. */
  end(): Promise<void>;
};

/** Evidence kind (null: always recorded) and content type by file name. The agent does not choose the content type. */
const FILES: Readonly<
  Record<EvidenceFile, { readonly kind: EvidenceKind | null; readonly contentType: string }>
> = {
  "trace.zip": { kind: "trace", contentType: "application/zip" },
  "console.json": { kind: null, contentType: "application/json" },
  "network.har": { kind: "har", contentType: "application/json" },
  "video.webm": { kind: "video", contentType: "video/webm" },
};

/**
 * Assembles the evidence files of an agent. Parts are kept in the blob store, so that an agent can send the
 * rest of a file to another process. `inTurn` limits memory to one file at a time.
 */
export const takeAgentEvidence = (deps: EvidenceDeps): AgentEvidence => {
  const evidence: Evidence = {
    deps,
    parts: `${evidenceFolder(deps.runId, deps.executionId)}/parts`,
    reported: new Set((deps.before ?? []).map((one) => keyOf(one))),
    // An earlier holder may have left parts.
    hasParts: deps.before !== null || deps.delivery > 1,
  };
  return {
    take: take.bind(null, evidence),
    end: async () => {
      if (evidence.hasParts) await deps.blobs.deleteUnder(evidence.parts).catch(() => undefined);
    },
  };
};

type EvidenceDeps = {
  readonly runId: string;
  readonly executionId: string;
  readonly delivery: number;
  readonly asked: readonly EvidenceKind[];
  /** Recorded evidence of a resumed delivery; null for a new one. */
  readonly before: Resumed["kept"] | null;
  readonly blobs: BlobStore;
  /** Runs one task at a time. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
};

type Evidence = {
  readonly deps: EvidenceDeps;
  /** The folder of the parts in the blob store. */
  readonly parts: string;
  /** The keys of the files that are complete. */
  readonly reported: Set<string>;
  hasParts: boolean;
};

/** Reports a file: its bytes, or the reason why it is missing. */
type ReportFile = (bytes: Buffer | null, absent: string | null) => Promise<void>;

const take = async (
  evidence: Evidence,
  message: Message,
  report: (taken: Taken) => Promise<void>,
): Promise<string | null> => {
  const { deps, reported } = evidence;
  const { name, attempt, absent } = message;
  const { kind, contentType } = FILES[name];
  if (kind !== null && !evidenceOf(deps.asked, attempt)[kind]) {
    return `The run asks for no ${name}.`;
  }
  if (reported.has(keyOf(message))) return null;
  const reportFile: ReportFile = (bytes, why) => {
    reported.add(keyOf(message));
    return report({ type: "evidenceTaken", name, contentType, bytes, absent: why });
  };
  if (typeof absent === "string") {
    await reportFile(null, absent || "It was not recorded.");
    return null;
  }
  const refusal = refusalOfPart(message);
  if (refusal !== null) return refusal;
  const bytes = Buffer.from(message.base64, "base64");
  if (bytes.length === 0) {
    await reportFile(null, "Nothing was recorded.");
    return null;
  }
  await store(evidence, message, bytes, reportFile).catch((error: unknown) =>
    reportFile(
      null,
      error instanceof PartUnavailableError ? `${error.message}.` : "It could not be stored.",
    ),
  );
  return null;
};

/** Stores a part, and reports the file after its last part. */
const store = async (
  evidence: Evidence,
  message: Message,
  bytes: Buffer,
  report: ReportFile,
): Promise<void> => {
  const { blobs, inTurn } = evidence.deps;
  const isWhole = bytes.length === message.bytes;
  if (isWhole) return report(bytes, null);
  evidence.hasParts = true;
  const folder = folderOf(evidence, message);
  const contentType = "application/octet-stream";
  await blobs.put(`${folder}/${message.offset}`, { bytes, contentType });
  if (message.offset + bytes.length < message.bytes) return;
  await inTurn(async () => {
    const whole = await join(blobs, folder, message.bytes);
    await report(whole, whole ? null : "Some of it did not arrive.");
  });
  await blobs.deleteUnder(folder).catch(() => undefined);
};

const folderOf = ({ parts, deps }: Evidence, message: Message): string =>
  `${parts}/${deps.delivery}/${keyOf(message)}`;

/** Joins the parts of a file; null if one is missing. */
const join = async (blobs: BlobStore, folder: string, bytes: number): Promise<Buffer | null> => {
  const chunks: Buffer[] = [];
  for (let offset = 0; offset < bytes; offset += EVIDENCE_PART_BYTES) {
    const part = await blobs.get(`${folder}/${offset}`);
    if (part?.bytes.length !== lengthAt(offset, bytes)) return null;
    chunks.push(part.bytes);
  }
  return Buffer.concat(chunks);
};

/** The reason why a part is refused; null if it is accepted. */
const refusalOfPart = ({ base64, offset, bytes }: Message): string | null => {
  const length = pictureBytes(base64);
  if (length === null) return "The file is not valid base64.";
  return offset % EVIDENCE_PART_BYTES !== 0 || length !== lengthAt(offset, bytes)
    ? `A file of ${bytes} bytes is sent in parts of ${EVIDENCE_PART_BYTES} bytes, the last one shorter.`
    : null;
};

type Which = Pick<Message, "attempt" | "browser"> & { readonly name: string };
const keyOf = ({ attempt, browser, name }: Which): string => `${attempt}/${browser}/${name}`;

/** Length of the part at an offset. */
const lengthAt = (offset: number, bytes: number): number =>
  Math.max(0, Math.min(EVIDENCE_PART_BYTES, bytes - offset));
