import { DomainError } from "../kernel/errors.ts";
import { formatOfName, type ImportFormat } from "./detectFormat.ts";
import { type ImportItem, unreadable } from "./imported.ts";
import { MAX_ITEMS, readImport } from "./readImport.ts";
import { isZip, readZip } from "./zip.ts";

/** The metadata of a file. */
type ImportFile = {
  readonly bytes: Uint8Array;
  /** Empty where it has none. */
  readonly name: string;
  readonly format?: ImportFormat | undefined;
};

/**
 * Reads a file of tests or a ZIP archive of such files. The format is `format`, else derived from the file's name, else from its
 * content. An unreadable file of an archive becomes one failed item. Throws DomainError `import.unreadable` if the file, or
 * the archive as a whole, is unreadable.
 */
export const readImportFile = ({ bytes, name, format }: ImportFile): readonly ImportItem[] => {
  if (!isZip(bytes)) return readImport(textOf(bytes), format ?? formatOfName(name) ?? undefined);
  const items: ImportItem[] = [];
  for (const entry of readZip(bytes)) {
    if ("bytes" in entry && isAuxiliary(entry.name)) continue;
    items.push(...itemsOf(entry, format));
    if (items.length > MAX_ITEMS) {
      throw unreadable(`it has more than ${MAX_ITEMS} tests. Split it`);
    }
  }
  if (items.length === 0) throw unreadable("the archive contains no test");
  return items;
};

/** Files of macOS, editors and Git, and documentation. */
const isAuxiliary = (name: string): boolean =>
  /(?:^|\/)(?:__MACOSX\/|\.|Thumbs\.db$|README|LICENSE)/i.test(name);

const itemsOf = (
  entry: ReturnType<typeof readZip>[number],
  format: ImportFormat | undefined,
): readonly ImportItem[] => {
  const { name } = entry;
  if ("problem" in entry) return [{ ok: false, name: null, problem: `${name}: ${entry.problem}` }];
  const own = format ?? formatOfName(name);
  if (own === null || own === undefined) {
    return [{ ok: false, name: null, problem: `${name}: The extension is not supported.` }];
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
    throw unreadable("it is not UTF-8 text");
  }
};
