import { EventStoreDBClient } from "@eventstore/db-client";
import { forClient } from "./connectionString.ts";

/** EventStoreDB's own default. */
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
/** Stands for "never", which is -1 in a connection string: 23 days, the longest that a timer of Node takes, almost. */
const NEVER_MS = 2_000_000_000;

let opened = 0;

/**
 * Makes a client with a connection of its own. The gRPC library shares one connection among all clients of
 * the same address and settings, also one that nobody answers any more: a client that is made because
 * another fell silent would be as silent. So every client has a setting that no other has.
 * Throws when a file of certificates cannot be read.
 */
export const openClient = (url: string): EventStoreDBClient => {
  opened += 1;
  try {
    return EventStoreDBClient.connectionString(withTimeoutOfItsOwn(forClient(url), opened % 1_000));
  } catch (error) {
    // What the client says of a string that it cannot read quotes it, with its password.
    if (error instanceof Error && "connectionString" in error) {
      throw new Error("The client cannot make anything of the connection string");
    }
    throw error;
  }
};

/**
 * A connection string whose keep-alive time-out is so many milliseconds longer. Everything else stays as it
 * is written: of a setting that is named twice the client takes the last.
 */
export const withTimeoutOfItsOwn = (url: string, longerMs: number): string => {
  const string = url.trim().replace(/\/+$/, "");
  const asked = [...string.matchAll(KEEP_ALIVE_TIMEOUT)].at(-1)?.[1];
  const timeout = asked === undefined ? KEEP_ALIVE_TIMEOUT_MS : Number(asked);
  const bounded = timeout < 0 ? NEVER_MS : Math.min(timeout, NEVER_MS);
  return `${string}${string.includes("?") ? "&" : "?"}keepAliveTimeout=${bounded + longerMs}`;
};

/** The client looks at neither case nor hyphens in the names of settings. */
const KEEP_ALIVE_TIMEOUT = /[?&]\s*keep[-_]?alive[-_]?timeout\s*=\s*(-?\d+)/gi;
