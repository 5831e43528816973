/** How long the process may take to end by itself once everything has stopped, in milliseconds. */
const LINGER_MS = 1_000;

/** Ends the process soon, with its exit code: a connection to somebody who never answers must not keep it alive. */
export const forceExitAfterTimeout = (): void => {
  setTimeout(() => process.exit(), LINGER_MS).unref();
};
