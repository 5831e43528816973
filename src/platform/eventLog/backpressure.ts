import { Writable } from "node:stream";
import type { EventStoreDBClient } from "@eventstore/db-client";

/**
 * How many messages may wait for a connection where nothing is known of it: one less than a stream of
 * objects holds before it says that it is full.
 */
const UNSEEN = 15;

/** Where a client's appends stand on their way out. */
export type Backpressure = {
  /** Whether the client takes one more append without queueing it. `unsettled`: of how many it has not told the outcome. */
  hasPlace(unsettled: number): boolean;
  /** Notes that an append is being handed over. */
  take(): void;
};

/**
 * Watches how full the stream is through which a client sends its appends. What does not fit the client
 * puts into a queue of its own, and what is in that queue when the connection breaks is rejected where
 * nobody can catch it, which would end the process; so nothing is handed over that does not fit. The
 * client has no name for its stream: it is found among the calls that it would end when it is disposed
 * of, and where it is not, only so many appends go out unsettled as would fit if none had been sent.
 * `onRoom` is called when there may be room again.
 */
export const watchBackpressure = (client: EventStoreDBClient, onRoom: () => void): Backpressure => {
  let known: Writable | null = null;
  /** Handed over in this turn of the event loop: they reach the stream before the next one. */
  let onTheirWay = 0;
  let isTurning = false;
  const awaited = new WeakSet<Writable>();

  const endTurn = (): void => {
    if (isTurning) return;
    isTurning = true;
    setImmediate(() => {
      isTurning = false;
      onTheirWay = 0;
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
    // One that broke never drains: the next one has room.
    stream.once("close", settle);
  };

  return {
    hasPlace: (unsettled) => {
      const stream = callOf(client);
      if (!stream) return unsettled < UNSEEN;
      if (stream !== known) {
        // A new one: what waited for it may all be about to be written.
        known = stream;
        onTheirWay = unsettled;
        endTurn();
      }
      if (stream.writableNeedDrain) {
        awaitDrain(stream);
        return false;
      }
      return stream.writableLength + onTheirWay < stream.writableHighWaterMark;
    },
    take: () => {
      onTheirWay += 1;
      endTurn();
    },
  };
};

/** The one call that the client has open, if it is one that takes messages. */
const callOf = (client: EventStoreDBClient): Writable | null => {
  const { disposableStreams: calls } = client as unknown as { disposableStreams?: Set<unknown> };
  if (!(calls instanceof Set) || calls.size !== 1) return null;
  const [call] = calls;
  return call instanceof Writable ? call : null;
};
