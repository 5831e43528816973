import { DomainError } from "../kernel/errors.ts";
import { formatOfName, type ImportFormat } from "./detectFormat.ts";
import { type ImportItem, unreadable } from "./imported.ts";
import { MAX_ITEMS, readImport } from "./readImport.ts";
import { isZip, readZip } from "./zip.ts";

/** What is said of a file besides its bytes. */
type ImportFile = {
  readonly bytes: Uint8Array;
  /** Empty where it has none. */
  readonly name: string;
  readonly format?: ImportFormat | undefined;
};

/**
 * Reads a file of tests, or a ZIP archive of such files: each of its tests for itself. The format is the one that is named, else
 * that of the file's name, else what its content looks like. Of an archive, a file that cannot be read is one bad item.
 * Throws DomainError `import.unreadable` where nothing of it can be read.
 */
export const readImportFile = ({ bytes, name, format }: ImportFile): readonly ImportItem[] => {
  if (!isZip(bytes)) return readImport(textOf(bytes), format ?? formatOfName(name) ?? undefined);
  const items: ImportItem[] = [];
  for (const entry of readZip(bytes)) {
    if ("bytes" in entry && isBeside(entry.name)) continue;
    items.push(...itemsOf(entry, format));
    if (items.length > MAX_ITEMS) {
      throw unreadable(`it has more than ${MAX_ITEMS} tests. Divide it`);
    }
  }
  if (items.length === 0) throw unreadable("there is no test in the archive");
  return items;
};

/** What archives hold besides their files: of macOS, of editors, of Git. */
const isBeside = (name: string): boolean =>
  /(?:^|\/)(?:__MACOSX\/|\.|Thumbs\.db$|README|LICENSE)/i.test(name);

const itemsOf = (
  entry: ReturnType<typeof readZip>[number],
  format: ImportFormat | undefined,
): readonly ImportItem[] => {
  const { name } = entry;
  if ("problem" in entry) return [{ ok: false, name: null, problem: `${name}: ${entry.problem}` }];
  const own = format ?? formatOfName(name);
  if (own === null || own === undefined) {
    return [{ ok: false, name: null, problem: `${name}: It is not told by its name what it is.` }];
  }
  try {
    return readImport(textOf(entry.bytes), own).map((item) =>
      item.ok ? item : { ...item, problem: `${name}: ${item.problem}` },
    );
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [{ ok: false, name: null, problem: `${name}: ${error.message}` }];
  }
};

const textOf = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unreadable("it is not text in UTF-8");
  }
};
