import { readdirSync, statSync } from "node:fs";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");
const BUILT = path.join(ROOT, "dist/program/runledger.js");

const newest = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (latest, entry) =>
      entry.isFile()
        ? Math.max(latest, changedAt(path.join(entry.parentPath, entry.name)))
        : latest,
    0,
  );

const changedAt = (file: string): number => {
  const { mtimeMs, ctimeMs } = statSync(file);
  return Math.max(mtimeMs, ctimeMs);
};

/** Whether `dist/program` was built from the present sources. */
export const isBuildFresh = ((): boolean => {
  try {
    return statSync(BUILT).mtimeMs >= newest(path.join(ROOT, "src"));
  } catch {
    return false;
  }
})();

/**
 * Arguments of Node to start `runledger`: the build, if no source has changed since (it starts several times
 * as fast), otherwise the sources.
 */
export const program: readonly string[] = isBuildFresh
  ? [path.join(ROOT, "bin/runledger.js")]
  : ["--import", import.meta.resolve("tsx"), path.join(ROOT, "src/cli/main.ts")];
