import type { EventStoreDBClient } from "@eventstore/db-client";

/** How long a client is waited for: its calls end when they are cancelled, if the connection still does. */
const PATIENCE_MS = 2_000;

/** Ends a client and its calls. Never waits for longer than 2 s: a call that does not end must not hold up a stop, or the next connection. */
export const disposeClient = async (client: EventStoreDBClient): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  try {
    await Promise.race([client.dispose(), late]);
    // With discovery a channel may only come about after many tries, and is closed then.
    await Promise.race([closeChannel(client), late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * The client ends its calls and leaves its connection open, for half an hour: it has no name for closing it.
 * Where its method for that is no longer found the connection is left to the server's idle time-out.
 */
const closeChannel = async (client: EventStoreDBClient): Promise<void> => {
  const { getChannel } = client as unknown as { getChannel?: () => Promise<{ close(): void }> };
  // With discovery the channel may never have come about.
  await getChannel?.().then(
    (channel) => channel.close(),
    () => undefined,
  );
};
