/** Time for open handles to close by themselves, in milliseconds. */
const TIMEOUT_MS = 1_000;

/** Exits with `process.exitCode` after a second: an open connection must not keep the process alive. */
export const forceExitAfterTimeout = (): void => {
  setTimeout(() => process.exit(), TIMEOUT_MS).unref();
};
