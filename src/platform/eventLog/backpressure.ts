import { Writable } from "node:stream";
import type { EventStoreDBClient } from "@eventstore/db-client";

/** The number of unsettled appends while the stream is not known: below the high-water mark of an object stream. */
const MAX_UNSETTLED = 15;

/** The room in the outgoing stream of a client. */
export type Backpressure = {
  /** Whether the client can send another append without queueing it. `unsettled`: the number of unsettled appends. */
  hasRoom(unsettled: number): boolean;
  /** Reports that an append is passed to the client. */
  take(): void;
};

/**
 * Watches the outgoing stream of a client. The client queues appends that do not fit in the stream, and if the
 * connection breaks it rejects the queue in a way that cannot be caught and would end the process. So no append
 * may be passed to the client without room. The stream is private: it is found among the client's disposable
 * calls; otherwise the number of unsettled appends is limited. `onRoom` is called when there may be room again.
 */
export const watchBackpressure = (client: EventStoreDBClient, onRoom: () => void): Backpressure => {
  let known: Writable | null = null;
  /** Appends of this turn of the event loop, which are not in the stream yet. */
  let passed = 0;
  let isTurning = false;
  const awaited = new WeakSet<Writable>();

  const endTurn = (): void => {
    if (isTurning) return;
    isTurning = true;
    setImmediate(() => {
      isTurning = false;
      passed = 0;
      onRoom();
    });
  };

  const awaitDrain = (stream: Writable): void => {
    if (awaited.has(stream)) return;
    awaited.add(stream);
    const settle = (): void => {
      stream.off("drain", settle);
      stream.off("close", settle);
      awaited.delete(stream);
      onRoom();
    };
    stream.once("drain", settle);
    // A broken stream never drains; its successor has room.
    stream.once("close", settle);
  };

  return {
    hasRoom: (unsettled) => {
      const stream = callOf(client);
      if (!stream) return unsettled < MAX_UNSETTLED;
      if (stream !== known) {
        // A new stream: all unsettled appends may be about to be written to it.
        known = stream;
        passed = unsettled;
        endTurn();
      }
      if (stream.writableNeedDrain) {
        awaitDrain(stream);
        return false;
      }
      return stream.writableLength + passed < stream.writableHighWaterMark;
    },
    take: () => {
      passed += 1;
      endTurn();
    },
  };
};

/** The client's only open call, if it is a writable stream. */
const callOf = (client: EventStoreDBClient): Writable | null => {
  const { disposableStreams: calls } = client as unknown as { disposableStreams?: Set<unknown> };
  if (!(calls instanceof Set) || calls.size !== 1) return null;
  const [call] = calls;
  return call instanceof Writable ? call : null;
};
