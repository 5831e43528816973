import type { Worker } from "node:worker_threads";
import { type ImportItem, unreadable } from "../../domain/formats/imported.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { startWorkerThread } from "../../platform/workerThread.ts";
import type { ImportAnswer, ImportFile } from "./importThread.ts";

/** Larger files are read in a thread of their own, as are archives: both can take seconds of CPU time. */
const MAX_INLINE_BYTES = 256 * 1_024;
const ZIP_SIGNATURE = "PK\u0003\u0004";
/** The number of files that are read at once. Others wait. */
const MAX_THREADS = 2;
/** The memory limit of a thread. An archive inflates to 40 MB at most. */
const MAX_MEMORY_MB = 512;

const waiting: (() => void)[] = [];
let running = 0;

/**
 * Reads a file of tests or a ZIP archive of such files without blocking the process. Throws DomainError
 * `import.unreadable` if the file, or the archive as a whole, is unreadable.
 */
export const readImportFile = async (file: ImportFile): Promise<readonly ImportItem[]> => {
  const isZip = Buffer.from(file.bytes.subarray(0, 4)).toString("latin1") === ZIP_SIGNATURE;
  if (!isZip && file.bytes.length <= MAX_INLINE_BYTES) {
    // Loaded on first use: it contains six parsers.
    const formats = await import("../../domain/formats/readImportFile.ts");
    return formats.readImportFile(file);
  }
  if (running >= MAX_THREADS) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await readInThread(file);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
};

const readInThread = async (file: ImportFile): Promise<readonly ImportItem[]> => {
  const bytes = Uint8Array.from(file.bytes);
  const thread = startWorkerThread("importThread", import.meta.url, {
    workerData: { ...file, bytes } satisfies ImportFile,
    transferList: [bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  const answer = await answerOf(thread);
  if (answer.kind === "read") return answer.items;
  if (answer.code === null) throw new Error(`An import file could not be read: ${answer.message}`);
  throw new DomainError(answer.code, answer.message);
};

const answerOf = (thread: Worker): Promise<ImportAnswer> =>
  new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", (error) => {
      const isTooLarge = (error as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
      reject(isTooLarge ? unreadable("it takes too much memory. Split it") : error);
    });
    thread.once("exit", () => reject(new Error("The thread that reads import files ended")));
  });
