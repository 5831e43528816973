import type { EventStoreDBClient } from "@eventstore/db-client";

/** The time limit of a disposal: on a dead connection, calls do not end. */
const TIMEOUT_MS = 2_000;

/** Ends a client and its calls, for at most 2 s. */
export const disposeClient = async (client: EventStoreDBClient): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS);
  });
  try {
    await Promise.race([client.dispose(), timeout]);
    // With discovery, the channel may be created only after many attempts.
    await Promise.race([closeChannel(client), timeout]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * The client leaves its connection open for half an hour and has no method to close it. If the private method is
 * missing, the server closes the connection after its idle timeout.
 */
const closeChannel = async (client: EventStoreDBClient): Promise<void> => {
  const { getChannel } = client as unknown as { getChannel?: () => Promise<{ close(): void }> };
  // With discovery, there may never be a channel.
  await getChannel?.().then(
    (channel) => channel.close(),
    () => undefined,
  );
};
