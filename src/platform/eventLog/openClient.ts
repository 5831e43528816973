import { EventStoreDBClient } from "@eventstore/db-client";
import { letOrphansGo } from "./orphans.ts";

/** EventStoreDB's own default. */
const KEEP_ALIVE_TIMEOUT_MS = 10_000;

let opened = 0;

/**
 * Makes a client with a connection of its own. The gRPC library shares one connection among all clients of
 * the same address and settings, also one that nobody answers any more: a client that is made because
 * another fell silent would be as silent. So every client has a setting that no other has.
 */
export const openClient = (url: string): EventStoreDBClient => {
  letOrphansGo();
  opened += 1;
  const [address = "", query = ""] = url.split("?");
  const settings = new URLSearchParams(query);
  const asked = Number(settings.get(KEEP_ALIVE_TIMEOUT) ?? KEEP_ALIVE_TIMEOUT_MS);
  settings.set(KEEP_ALIVE_TIMEOUT, String(Math.max(asked, 0) + (opened % 1_000)));
  return EventStoreDBClient.connectionString(`${address}?${settings}`);
};

const KEEP_ALIVE_TIMEOUT = "keepAliveTimeout";
