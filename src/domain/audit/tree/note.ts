import { decodeBase64, encodeBase64 } from "./base64.ts";
import { equalHashes, type Sha256 } from "./merkle.ts";

/** A key that verifies signed notes (C2SP signed-note): a name and an Ed25519 public key. */
export type NoteKey = {
  /** Contains neither spaces nor plus signs. */
  readonly name: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
};

/** Verifies an Ed25519 signature. Passed in, because the domain imports no cryptography. */
export type VerifyEd25519 = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean;

export type NoteCrypto = { readonly sha256: Sha256; readonly verify: VerifyEd25519 };

const ED25519 = 0x01;
const ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
const DASH = "\u2014";
const encoder = new TextEncoder();
const NAME = /^[^\s+]+$/u;

/** The first four bytes of the hash of a key, which notes refer to it by. */
const keyId = ({ name, publicKey }: NoteKey, sha256: Sha256): Uint8Array =>
  sha256(Uint8Array.from([...encoder.encode(`${name}\n`), ED25519, ...publicKey])).slice(
    0,
    ID_BYTES,
  );

/** Formats a verifier key: `name+id+key`. */
export const formatKey = (key: NoteKey, sha256: Sha256): string =>
  `${key.name}+${hex(keyId(key, sha256))}+${encodeBase64(Uint8Array.from([ED25519, ...key.publicKey]))}`;

/** Parses a verifier key, null if it is malformed or its id does not match. */
export const parseKey = (text: string, sha256: Sha256): NoteKey | null => {
  const [, name = "", id = "", coded = ""] =
    /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text.trim()) ?? [];
  const bytes = decodeBase64(coded);
  if (!NAME.test(name) || bytes?.length !== 33 || bytes[0] !== ED25519) return null;
  const key = { name, publicKey: bytes.slice(1) };
  return hex(keyId(key, sha256)) === id ? key : null;
};

/** Formats a note with one signature over its text, which ends with a line feed. */
export const formatNote = (
  text: string,
  key: NoteKey,
  signature: Uint8Array,
  sha256: Sha256,
): string => {
  const signed = Uint8Array.from([...keyId(key, sha256), ...signature]);
  return `${text}\n${DASH} ${key.name} ${encodeBase64(signed)}\n`;
};

/** The text that a signature covers and the signatures of a note, null if it is malformed. */
const splitNote = (note: string) => {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) return null;
  const lines = note.slice(end + 2, -1).split("\n");
  const signatures = lines.map((line) => {
    const [, name, coded] = new RegExp(`^${DASH} (\\S+) (\\S+)$`, "u").exec(line) ?? [];
    const bytes = coded === undefined ? null : decodeBase64(coded);
    return name === undefined || bytes === null ? null : { name, bytes };
  });
  if (signatures.includes(null)) return null;
  return { text: note.slice(0, end + 1), signatures: signatures.filter((one) => one !== null) };
};

/** The outcome of reading a note: the signed text, or why it proves nothing. */
export type ReadNote =
  | { readonly outcome: "signed"; readonly text: string }
  | { readonly outcome: "malformed" | "other_key" | "altered" };

/** Verifies a note with a key. Signatures of other keys, such as witnesses, are ignored. */
export const readNote = (note: string, key: NoteKey, { sha256, verify }: NoteCrypto): ReadNote => {
  const split = splitNote(note);
  if (!split) return { outcome: "malformed" };
  const id = keyId(key, sha256);
  const own = split.signatures.find(
    ({ name, bytes }) => name === key.name && equalHashes(bytes.slice(0, ID_BYTES), id),
  );
  if (!own) return { outcome: "other_key" };
  const signature = own.bytes.slice(ID_BYTES);
  const isSigned =
    signature.length === SIGNATURE_BYTES &&
    verify(key.publicKey, encoder.encode(split.text), signature);
  return isSigned ? { outcome: "signed", text: split.text } : { outcome: "altered" };
};

const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
