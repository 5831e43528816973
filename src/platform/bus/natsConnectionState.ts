import type { NatsConnection } from "nats";
import { type PartHealth, PartUnavailableError } from "../partHealth.ts";

/** The state of a NATS connection. The client reconnects by itself, without a limit. */
export type ConnectionState = {
  isUp(): boolean;
  /** Resolves when the connection is up, or when it was closed permanently. */
  whenUp(): Promise<void>;
  /** Adds a listener for reconnections. Returns a function that removes it. */
  onBack(listener: () => void): () => void;
};

/** Tracks the state of a connection and reports it to `parts`. */
export const watchConnection = (connection: NatsConnection, parts: PartHealth): ConnectionState => {
  const listeners = new Set<() => void>();
  let isUp = true;
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const watch = async (): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === "disconnect" && !connection.isClosed()) {
        isUp = false;
        parts.report("bus", new PartUnavailableError("bus", "cannot be reached"));
      } else if (type === "reconnect") {
        isUp = true;
        parts.report("bus", null);
        tell();
      }
    }
    // Closed: release the waiters.
    tell();
  };
  void watch();

  const onBack: ConnectionState["onBack"] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    isUp: () => isUp && !connection.isClosed(),
    onBack,
    whenUp: () =>
      new Promise((resolve) => {
        if (isUp || connection.isClosed()) {
          resolve();
          return;
        }
        const stop = onBack(() => {
          stop();
          resolve();
        });
      }),
  };
};
