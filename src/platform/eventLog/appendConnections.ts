import type { EventStoreDBClient } from "@eventstore/db-client";
import { sleep } from "../sleep.ts";
import { type Backpressure, watchBackpressure } from "./backpressure.ts";
import { disposeClient } from "./dispose.ts";
import { openClient } from "./openClient.ts";

/** The maximum of unsettled appends. If the connection breaks, the outcome of all of them is unknown. */
const MAX_IN_FLIGHT = 512;

/** The interval of attempts to create a client. */
const RETRY_MS = 500;

/** A client with its number of unsettled appends. */
export type AppendConnection = {
  readonly client: EventStoreDBClient;
  inFlight: number;
  readonly backpressure: Backpressure;
};

type ConnectionsDeps = {
  readonly url: string;
  /** The maximum wait for room. */
  readonly timeoutMs: number;
  readonly logger?: { warn(fields: object, message: string): void };
};

/** One connection at a time, which admits a limited number of appends and is replaced if it does not answer. */
export type AppendConnections = {
  readonly deps: ConnectionsDeps;
  current: AppendConnection;
  /** Resolves when a silent connection has been replaced. */
  replacing: Promise<void> | null;
  closed: boolean;
  readonly waiting: ((connection: AppendConnection) => void)[];
};

export const openAppendConnections = (deps: ConnectionsDeps): AppendConnections => {
  const connections: AppendConnections = {
    deps,
    current: connect(deps.url, () => admit(connections)),
    replacing: null,
    closed: false,
    waiting: [],
  };
  return connections;
};

const connect = (url: string, onRoom: () => void): AppendConnection => {
  const client = openClient(url);
  return { client, inFlight: 0, backpressure: watchBackpressure(client, onRoom) };
};

/** Waits for room for an append; null if there is none in time. The caller releases the connection. */
export const takeConnection = (
  connections: AppendConnections,
): Promise<AppendConnection | null> => {
  const { waiting, deps } = connections;
  if (waiting.length === 0 && isOpen(connections)) return Promise.resolve(enter(connections));
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(admitted), 1);
      resolve(null);
    }, deps.timeoutMs);
    const admitted = (to: AppendConnection): void => {
      clearTimeout(timer);
      resolve(to);
    };
    waiting.push(admitted);
  });
};

export const releaseConnection = (
  connections: AppendConnections,
  connection: AppendConnection,
): void => {
  connection.inFlight -= 1;
  admit(connections);
};

/** Replaces a connection that did not answer an append in time. */
export const replaceConnection = (
  connections: AppendConnections,
  silent: AppendConnection,
): void => {
  const { replacing, closed, current, deps } = connections;
  if (replacing || closed || current !== silent) return;
  deps.logger?.warn({}, "The event log does not answer appends; reconnecting");
  connections.replacing = disposeClient(silent.client)
    .then(() => connectAgain(connections))
    .then((next) => {
      connections.current = next;
      connections.replacing = null;
      admit(connections);
    });
};

export const closeConnections = async (connections: AppendConnections): Promise<void> => {
  connections.closed = true;
  await connections.replacing;
  await disposeClient(connections.current.client);
};

/** Retries until it succeeds: a certificate file may be in replacement. */
const connectAgain = async (connections: AppendConnections): Promise<AppendConnection> => {
  const { url, logger } = connections.deps;
  for (;;) {
    try {
      return connect(url, () => admit(connections));
    } catch (error) {
      logger?.warn({ err: error }, "Creating a client of the event log failed");
      await sleep(RETRY_MS);
      if (connections.closed) return connections.current;
    }
  }
};

const admit = (connections: AppendConnections): void => {
  while (connections.waiting.length > 0 && isOpen(connections)) {
    connections.waiting.shift()?.(enter(connections));
  }
};

const enter = ({ current }: AppendConnections): AppendConnection => {
  current.inFlight += 1;
  current.backpressure.take();
  return current;
};

const isOpen = ({ current, replacing }: AppendConnections): boolean =>
  current.inFlight < MAX_IN_FLIGHT && !replacing && current.backpressure.hasRoom(current.inFlight);
