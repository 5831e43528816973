import type { NatsConnection } from "nats";
import { PartUnavailableError, type PartHealth } from "../partHealth.ts";

/** Whether the server is there. The client connects again by itself, for ever. */
export type ConnectionState = {
  isUp(): boolean;
  /** Resolves at once while the server is there, else when it is, or when the connection was closed for good. */
  whenUp(): Promise<void>;
  /** Calls back each time that the server is there again, until the returned function is called. */
  onBack(listener: () => void): () => void;
};

/** Follows a connection, and tells `parts` when it goes and when it is back. */
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
        parts.note("bus", new PartUnavailableError("bus", "cannot be reached"));
      } else if (type === "reconnect") {
        isUp = true;
        parts.note("bus", null);
        tell();
      }
    }
    // Closed: nobody is to wait any longer.
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
