import { startWorkerThread as start } from "../../src/platform/workerThread.ts";
import { isBuildFresh } from "./program.ts";

/** Threads of the bundled program lie beside it. */
const PROGRAM = new URL("../../dist/program/runledger.js", import.meta.url).href;

/**
 * Takes the place of `src/platform/workerThread.ts` in tests (vitest.config.ts): starts threads from `dist/program` if
 * it was built from the present sources. From the sources, each thread compiles them first, which takes twice the time.
 */
export const startWorkerThread: typeof start = (name, beside, options) =>
  start(name, isBuildFresh ? PROGRAM : beside, options);
