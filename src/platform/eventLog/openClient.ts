import { EventStoreDBClient } from "@eventstore/db-client";
import { forClient } from "./connectionString.ts";

/** EventStoreDB's own default. */
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
/** Replaces -1, "never": about the longest delay of a Node.js timer, 23 days. */
const NEVER_MS = 2_000_000_000;

let opened = 0;

/**
 * Creates a client with a connection of its own. The gRPC library shares a connection among clients of equal
 * address and settings, even if it is dead: a replacement for a dead client would be dead too. So each client
 * gets a distinct setting. Throws if a certificate file cannot be read.
 */
export const openClient = (url: string): EventStoreDBClient => {
  opened += 1;
  try {
    return EventStoreDBClient.connectionString(withExtendedTimeout(forClient(url), opened % 1_000));
  } catch (error) {
    // The client's error quotes the connection string with its password.
    if (error instanceof Error && "connectionString" in error) {
      throw new Error("The connection string is invalid");
    }
    throw error;
  }
};

/** Extends the keep-alive timeout of a connection string by appending the setting: the client uses the last value. */
export const withExtendedTimeout = (url: string, longerMs: number): string => {
  const string = url.trim().replace(/\/+$/, "");
  const asked = [...string.matchAll(KEEP_ALIVE_TIMEOUT)].at(-1)?.[1];
  const timeout = asked === undefined ? KEEP_ALIVE_TIMEOUT_MS : Number(asked);
  const bounded = timeout < 0 ? NEVER_MS : Math.min(timeout, NEVER_MS);
  return `${string}${string.includes("?") ? "&" : "?"}keepAliveTimeout=${bounded + longerMs}`;
};

/** The client ignores case, `-` and `_` in names of settings. */
const KEEP_ALIVE_TIMEOUT = /[?&]\s*keep[-_]?alive[-_]?timeout\s*=\s*(-?\d+)/gi;
