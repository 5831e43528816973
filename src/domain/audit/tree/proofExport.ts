import { z } from "zod";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import type { LeafEvent } from "./leaf.ts";

/** The name and version of the format. */
export const PROOF_FORMAT = "runledger-proofs/1";

/** The first line of an export with proofs. */
const header = z.object({
  format: z.literal(PROOF_FORMAT),
  stream: z.string(),
  /** The verifier key of the service. The file cannot prove whose key it is. */
  key: z.string(),
  /** The signed note under which all events are. */
  checkpoint: z.string(),
  /** The proof that the checkpoint extends the tree of `from` leaves; null if none was asked for. */
  consistency: z.object({ from: z.int().nonnegative(), hashes: z.array(z.string()) }).nullable(),
});
export type ProofHeader = z.output<typeof header>;

/** An event with the proof that it is leaf `index`; null: the tree does not contain it. */
const line = z.object({
  index: z.int().nonnegative().nullable(),
  revision: z.string().regex(/^\d{1,20}$/),
  type: z.string(),
  id: z.string(),
  content_type: z.enum(["application/json", "application/octet-stream"]),
  data: z.string().optional(),
  data_base64: z.string().optional(),
  metadata: z.string().optional(),
  metadata_base64: z.string().optional(),
  proof: z.array(z.string()),
});

export type ProvenEvent = {
  readonly event: LeafEvent;
  readonly index: number | null;
  readonly proof: readonly Uint8Array[];
};

/** The signed end of an export: how many events precede it, and the SHA-256 of all bytes before it in hex. */
export type ProofEnd = {
  readonly stream: string;
  readonly count: number;
  readonly exportedAt: string;
  readonly sha256: string;
};

const END_TITLE = "runledger-export/1";

/** The text that the last line signs. */
export const formatEnd = ({ stream, count, exportedAt, sha256 }: ProofEnd): string =>
  `${END_TITLE}\n${stream}\n${count}\n${exportedAt}\n${sha256}\n`;

export const parseEnd = (text: string): ProofEnd | null => {
  const [title, stream = "", count = "", exportedAt = "", sha256 = "", ...rest] = text.split("\n");
  if (title !== END_TITLE || !/^\d{1,15}$/.test(count) || rest.join() !== "") return null;
  return { stream, count: Number(count), exportedAt, sha256 };
};

export const writeProofHeader = (of: Omit<ProofHeader, "format">): string =>
  `${JSON.stringify({ format: PROOF_FORMAT, ...of })}\n`;

export const readProofHeader = (text: string): ProofHeader | null => {
  const parsed = header.safeParse(parseJson(text));
  return parsed.success ? parsed.data : null;
};

export const writeProofEnd = (note: string): string => `${JSON.stringify({ end: note })}\n`;

/** The note of the last line, null if it is none. */
export const readProofEnd = (text: string): string | null => {
  const parsed = z.strictObject({ end: z.string() }).safeParse(parseJson(text));
  return parsed.success ? parsed.data.end : null;
};

export const writeProvenEvent = ({ event, index, proof }: ProvenEvent): string => {
  const { revision, type, id, isJson, data, metadata } = event;
  return `${JSON.stringify({
    ...{ index, revision: String(revision), type, id },
    content_type: isJson ? "application/json" : "application/octet-stream",
    ...textOr("data", data),
    ...textOr("metadata", metadata),
    proof: proof.map(encodeBase64),
  })}\n`;
};

/** Parses a line of an event of a stream, null if it is malformed. */
export const readProvenEvent = (text: string, stream: string): ProvenEvent | null => {
  const parsed = line.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const { index, revision, type, id, content_type, proof, ...bytes } = parsed.data;
  const data = bytesOf(bytes.data, bytes.data_base64);
  const metadata = bytesOf(bytes.metadata, bytes.metadata_base64);
  const hashes = proof.map(decodeBase64);
  if (data === null || metadata === null || hashes.includes(null)) return null;
  const isJson = content_type === "application/json";
  return {
    event: { stream, revision: BigInt(revision), type, id, isJson, data, metadata },
    index,
    proof: hashes.filter((hash) => hash !== null),
  };
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const encoder = new TextEncoder();

/** Bytes as text if they are UTF-8, else as base64. */
const textOr = (name: string, bytes: Uint8Array): object => {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { [name]: decoder.decode(bytes) };
  } catch {
    return { [`${name}_base64`]: encodeBase64(bytes) };
  }
};

const bytesOf = (text: string | undefined, base64: string | undefined): Uint8Array | null => {
  if (text !== undefined) return base64 === undefined ? encoder.encode(text) : null;
  return base64 === undefined ? null : decodeBase64(base64);
};
