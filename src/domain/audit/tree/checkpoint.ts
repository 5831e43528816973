import { decodeBase64, encodeBase64 } from "./base64.ts";
import { HASH_BYTES, type Tree } from "./merkle.ts";

/**
 * A fact about the tree that every later checkpoint repeats.
 * `adopted`: the events before `size` are older than the tree; it proves them from this time on only.
 * `restored`: the log continued from a backup of these `size` events with this root. Events that an earlier checkpoint
 * covered beyond `size` are no longer in the log.
 */
export type Remark =
  | { readonly kind: "adopted"; readonly size: number; readonly at: string }
  | {
      readonly kind: "restored";
      readonly size: number;
      readonly root: Uint8Array;
      readonly at: string;
      readonly backup: string;
    };

/** The signed statement of a tree (C2SP tlog-checkpoint), with its remarks as extension lines. */
export type Checkpoint = Tree & { readonly origin: string; readonly remarks: readonly Remark[] };

/** Formats the text of a checkpoint, which a note signs. */
export const formatCheckpoint = ({ origin, size, root, remarks }: Checkpoint): string =>
  [origin, String(size), encodeBase64(root), ...remarks.map(formatRemark), ""].join("\n");

/** Parses the text of a checkpoint, null if it is malformed. Unknown extension lines are ignored. */
export const parseCheckpoint = (text: string): Checkpoint | null => {
  if (!text.endsWith("\n")) return null;
  const [origin = "", sizeText = "", rootText = "", ...extensions] = text.slice(0, -1).split("\n");
  const size = parseSize(sizeText);
  const root = parseRoot(rootText);
  if (origin === "" || size === null || root === null) return null;
  const remarks = extensions.map(parseRemark).filter((remark) => remark !== null);
  return { origin, size, root, remarks };
};

const formatRemark = (remark: Remark): string =>
  remark.kind === "adopted"
    ? `adopted ${remark.size} ${remark.at}`
    : `restored ${remark.size} ${encodeBase64(remark.root)} ${remark.at} ${remark.backup}`;

const parseRemark = (line: string): Remark | null => {
  const [kind, sizeText = "", ...rest] = line.split(" ");
  const size = parseSize(sizeText);
  if (size === null) return null;
  if (kind === "adopted" && rest.length === 1) return { kind, size, at: rest[0] ?? "" };
  const [rootText = "", at = "", backup = ""] = rest;
  const root = parseRoot(rootText);
  if (kind !== "restored" || rest.length !== 3 || root === null) return null;
  return { kind, size, root, at, backup };
};

const parseSize = (text: string): number | null => {
  const size = Number(text);
  return /^(0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(size) ? size : null;
};

const parseRoot = (text: string): Uint8Array | null => {
  const root = decodeBase64(text);
  return root?.length === HASH_BYTES ? root : null;
};
