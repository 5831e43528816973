import { parentPort, workerData } from "node:worker_threads";
import type { ImportFormat } from "../../domain/formats/detectFormat.ts";
import type { ImportItem } from "../../domain/formats/imported.ts";
import { readImportFile } from "../../domain/formats/readImportFile.ts";
import { DomainError } from "../../domain/kernel/errors.ts";

/** A file of tests. `name` is empty if it has none. */
export type ImportFile = {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly format?: ImportFormat | undefined;
};

/** `code`: that of a DomainError, null for another error. */
export type ImportAnswer =
  | { readonly kind: "read"; readonly items: readonly ImportItem[] }
  | { readonly kind: "failed"; readonly code: string | null; readonly message: string };

const read = (file: ImportFile): ImportAnswer => {
  try {
    return { kind: "read", items: readImportFile(file) };
  } catch (error) {
    const code = error instanceof DomainError ? error.code : null;
    return { kind: "failed", code, message: error instanceof Error ? error.message : "" };
  }
};

/** The thread that reads one import file. */
parentPort?.postMessage(read(workerData as ImportFile));
