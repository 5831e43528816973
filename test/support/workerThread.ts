import { startWorkerThread as start } from "../../src/platform/workerThread.ts";
import { isBuildFresh } from "./program.ts";

/**
 * Takes the place of `src/platform/workerThread.ts` in tests (vitest.config.ts): starts threads from `dist` if it was
 * built from the present sources. From the sources, each thread compiles them first, which takes twice the time.
 */
export const startWorkerThread: typeof start = (name, beside, options) =>
  start(name, isBuildFresh ? builtFrom(beside) : beside, options);

/** The built file of a source file, both as URLs. */
const builtFrom = (source: string): string =>
  source.replace("/src/", "/dist/").replace(/\.ts$/, ".js");
