import { readFile } from "node:fs/promises";
import { decodeBase64 } from "../../domain/audit/tree/base64.ts";
import { type Checkpoint, parseCheckpoint } from "../../domain/audit/tree/checkpoint.ts";
import { type NoteKey, parseKey, readNote } from "../../domain/audit/tree/note.ts";
import { readProofHeader } from "../../domain/audit/tree/proofExport.ts";
import { type Succession, successionOf } from "../../domain/audit/tree/succession.ts";
import { assertNever } from "../../domain/kernel/errors.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { noteCrypto, sha256 } from "./crypto.ts";

const unreadable = (file: string, why: string): CommandError =>
  new CommandError(`${file} ${why}`, exitCodes.usage);

/** Parses the verifier key of `--key`: the key or a file with it. Throws CommandError (usage). */
export const keyOf = async (text: string): Promise<NoteKey> => {
  const key =
    parseKey(text, sha256) ?? parseKey(await readFile(text, "utf8").catch(() => ""), sha256);
  if (key) return key;
  throw new CommandError(
    "--key is not a verifier key. It looks like runledger/log/…+1234abcd+…: GET /api/v1/audit/log/checkpoint returns it.",
    exitCodes.usage,
  );
};

/** The checkpoint that a note signs, or why it proves nothing. */
export const signedCheckpoint = (note: string, key: NoteKey): Checkpoint | string => {
  const read = readNote(note, key, noteCrypto);
  switch (read.outcome) {
    case "signed": {
      const checkpoint = parseCheckpoint(read.text);
      if (!checkpoint) return "is signed, but is not a checkpoint.";
      return checkpoint.origin === key.name ? checkpoint : "is the checkpoint of another log.";
    }
    case "malformed":
      return "is not a signed note.";
    case "other_key":
      return `is not signed by the key ${key.name}.`;
    case "altered":
      return "was altered: its signature does not match.";
    default:
      return assertNever(read);
  }
};

/** The note of a file: a checkpoint, or an export with proofs. Rejects with CommandError (usage). */
export const noteOfFile = async (file: string): Promise<string> => {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, `cannot be read: ${error.code}.`);
  });
  return readProofHeader(text.slice(0, text.indexOf("\n")))?.checkpoint ?? text;
};

/** The signed checkpoint of a file. Rejects with CommandError (usage). */
export const checkpointOfFile = async (file: string, key: NoteKey): Promise<Checkpoint> => {
  const checkpoint = signedCheckpoint(await noteOfFile(file), key);
  if (typeof checkpoint === "string") throw unreadable(file, checkpoint);
  return checkpoint;
};

/** Decodes the hashes of a proof. An invalid hash makes the proof fail. */
export const hashesOf = (hashes: readonly string[]): readonly Uint8Array[] =>
  hashes.map((hash) => decodeBase64(hash) ?? new Uint8Array(0));

/** Compares two checkpoints with the proof of the newer one. */
export const compareCheckpoints = (
  older: Checkpoint,
  newer: Checkpoint,
  hashes: readonly string[],
): Succession => successionOf(older, newer, hashesOf(hashes), sha256);

/** Describes the relation of a newer checkpoint to an older one. */
export const describeSuccession = (
  succession: Succession,
  older: Checkpoint,
  newer: Checkpoint,
): string => {
  switch (succession.outcome) {
    case "consistent":
      return `The tree of ${newer.size} events extends the one of ${older.size}: none of these was altered or removed.`;
    case "restored": {
      const { size, at, backup, lost } = succession;
      return `The service says that its log was restored from the backup ${backup} of ${size} events at ${at}. The last ${lost} events of the older checkpoint are not in it. Ask the operator for the reason.`;
    }
    case "forked":
      return `The tree of ${newer.size} events does not extend the one of ${older.size}: an event that the older checkpoint covers was altered or removed.`;
    case "other_log":
      return "The checkpoints are of different logs.";
    default:
      return assertNever(succession);
  }
};
