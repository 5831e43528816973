import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Checkpoint } from "../../domain/audit/tree/checkpoint.ts";
import type { LeafEvent } from "../../domain/audit/tree/leaf.ts";
import { type NoteKey, parseKey, readNote } from "../../domain/audit/tree/note.ts";
import {
  type ProofHeader,
  parseEnd,
  readProofEnd,
  readProofHeader,
} from "../../domain/audit/tree/proofExport.ts";
import { proofVerification } from "../../domain/audit/tree/proofVerification.ts";
import { disagreementOf } from "../../domain/billing/planAudit.ts";
import { exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import {
  checkpointOfFile,
  compareCheckpoints,
  describeSuccession,
  keyOf,
  signedCheckpoint,
} from "./checkpoints.ts";
import { noteCrypto, sha256 } from "./crypto.ts";
import { openLines } from "./exportLines.ts";

export type ProofOptions = {
  /** The trusted verifier key, or a file with it; null: trust the key in the file. */
  readonly key: string | null;
  /** An older checkpoint or export; null: none. */
  readonly against: string | null;
};

/** The header of an export with proofs; null if a file is none, or cannot be read. */
export const proofHeaderOf = async (file: string): Promise<ProofHeader | null> => {
  const input = createReadStream(file);
  try {
    for await (const line of createInterface({ input })) return readProofHeader(line);
  } catch {
    return null;
  } finally {
    input.destroy();
  }
  return null;
};

/**
 * Verifies an export with proofs without a service. Returns the exit code: 0 whole, 1 not whole. Rejects with
 * CommandError (usage) if a file cannot be read.
 */
export const verifyProofs = async (
  file: string,
  header: ProofHeader,
  { key: trusted, against }: ProofOptions,
  terminal: Terminal,
): Promise<number> => {
  const key = trusted === null ? parseKey(header.key, sha256) : await keyOf(trusted);
  if (key === null) return broken(file, ["The key in the file is malformed."], terminal);
  const checkpoint = signedCheckpoint(header.checkpoint, key);
  if (typeof checkpoint === "string") {
    return broken(file, [`The checkpoint ${checkpoint}`], terminal);
  }
  const reasons: string[] = [];
  const { head, lines, ending } = await openLines(file);
  if (ending !== "") reasons.push("The file does not end with a line feed: its end is missing.");
  const events = proofVerification(checkpoint, header.stream, sha256, contentProblem);
  let isFirst = true;
  const { sha256: digest } = await lines((line) => {
    if (!isFirst) events.take(line);
    isFirst = false;
  });
  const { count, problems } = events.end();
  reasons.push(...problems.map(({ line, reason }) => `Line ${line}: ${reason}`));
  reasons.push(...endProblems(head, key, { count, digest, stream: header.stream }));
  const succession = against === null ? null : await compareWith(against, key, header, checkpoint);
  if (succession && !succession.isConsistent) reasons.push(succession.text);
  if (reasons.length > 0) return broken(file, reasons, terminal);
  sayWhole(file, { checkpoint, count, key, isTrusted: trusted !== null }, terminal);
  if (succession) terminal.say(`  ${succession.text}`);
  return exitCodes.passed;
};

/** Why the signed end does not match the file. */
const endProblems = (
  head: string | null,
  key: NoteKey,
  found: { readonly count: number; readonly digest: string; readonly stream: string },
): readonly string[] => {
  const note = head === null ? null : readProofEnd(head);
  if (note === null)
    return ["The last line is not a signed end: lines at the end were removed or inserted."];
  const read = readNote(note, key, noteCrypto);
  const end = read.outcome === "signed" ? parseEnd(read.text) : null;
  if (!end) return ["The end was altered: its signature does not match."];
  const { count, digest, stream } = found;
  if (end.stream !== stream) return ["The end belongs to another export."];
  if (end.count !== count) return [`The end counts ${end.count} events, the file has ${count}.`];
  return end.sha256 === digest ? [] : ["The bytes differ from the signed ones."];
};

const compareWith = async (
  against: string,
  key: NoteKey,
  { consistency }: ProofHeader,
  newer: Checkpoint,
) => {
  const older = await checkpointOfFile(against, key);
  const isProven = consistency?.from === older.size || older.size === newer.size;
  const hashes = consistency?.from === older.size ? consistency.hashes : [];
  const succession = compareCheckpoints(older, newer, hashes);
  if (!isProven && succession.outcome === "forked" && older.size < newer.size) {
    const text = `The export has no proof from the ${older.size} events of ${against} on. Export it with from_size=${older.size}.`;
    return { isConsistent: false, text };
  }
  const isConsistent = succession.outcome === "consistent";
  return { isConsistent, text: describeSuccession(succession, older, newer) };
};

/** Compares the parts of an event with each other. */
const contentProblem = ({ type, data }: LeafEvent): string | null => {
  try {
    return disagreementOf({ type, data: JSON.parse(Buffer.from(data).toString("utf8")) });
  } catch {
    return "its data is not JSON.";
  }
};

const sayWhole = (
  file: string,
  of: {
    readonly checkpoint: Checkpoint;
    readonly count: number;
    readonly key: NoteKey;
    readonly isTrusted: boolean;
  },
  terminal: Terminal,
): void => {
  const { checkpoint, count, key, isTrusted } = of;
  const { size, remarks } = checkpoint;
  terminal.say(`${terminal.paint.green("whole")}  ${file}`);
  terminal.say(
    `  ${count} events, each in the signed tree of ${size} events, none missing between.`,
  );
  terminal.say(`  Signed by the key ${key.name}${isTrusted ? ", which you trust." : "."}`);
  if (!isTrusted) {
    terminal.say("  The file cannot prove whose key this is. Set --key to the key that you know.");
  }
  for (const remark of remarks) {
    terminal.say(
      remark.kind === "adopted"
        ? `  The first ${remark.size} events of the log are older than its tree, which proves them from ${remark.at} on.`
        : `  The log was restored from the backup ${remark.backup} of ${remark.size} events at ${remark.at}.`,
    );
  }
  terminal.record({ file, whole: true, count, size, key: key.name, key_compared: isTrusted });
};

const broken = (file: string, reasons: readonly string[], terminal: Terminal): number => {
  terminal.say(`${terminal.paint.red("not whole")}  ${file}`);
  for (const reason of reasons) terminal.say(`  ${reason}`);
  terminal.record({ file, whole: false, reasons });
  return exitCodes.failed;
};
