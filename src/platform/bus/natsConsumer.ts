import { setTimeout as delay } from "node:timers/promises";
import { createInbox as createReplySubject, type Msg, type NatsConnection, nanos } from "nats";
import type { Logger } from "../logger.ts";
import { createInbox } from "./inbox.ts";
import type { ConnectionState } from "./natsConnectionState.ts";
import { toJob } from "./natsMessages.ts";
import type { Job, JobConsumer } from "./port.ts";

/** The time for which the server keeps a pull request open. */
const PULL_MS = 5_000;
const REPAIR_MS = 250;

export type PullOptions = {
  readonly connection: NatsConnection;
  readonly requestSubject: string;
  readonly capacity: number;
  readonly ackWaitMs: number;
  readonly state: ConnectionState;
  /** Creates the stream and the consumer if missing. */
  readonly repair: () => Promise<void>;
  readonly logger?: Logger;
};

/**
 * Takes jobs from a durable pull consumer with one pull request for one job at a time, so that at most `capacity` jobs
 * are held. Replies arrive on a subject of its own: when it is unsubscribed, the server drops the open request.
 */
export const pullConsumer = (options: PullOptions): JobConsumer => {
  const { connection, capacity, state } = options;
  const inbox = createInbox<Job>(Number.POSITIVE_INFINITY);
  const replySubject = createReplySubject();
  let held = 0;
  let isPulling = false;
  let recovering = false;
  let pullTimer: NodeJS.Timeout | undefined;
  let closed = false;

  const pull = (): void => {
    if (closed || isPulling || recovering || held >= capacity || connection.isClosed()) return;
    isPulling = true;
    // Without any reply, the server has restarted and lost the request.
    pullTimer = setTimeout(() => void recover(), PULL_MS + 1_000);
    pullTimer.unref();
    connection.publish(
      options.requestSubject,
      JSON.stringify({ batch: 1, expires: nanos(PULL_MS) }),
      { reply: replySubject },
    );
  };

  const onAnswer = (): void => {
    clearTimeout(pullTimer);
    isPulling = false;
  };

  /** Pulls again after stream and consumer exist. A restarted server has lost the pull request. */
  const recover = async (): Promise<void> => {
    if (recovering) return;
    recovering = true;
    clearTimeout(pullTimer);
    while (!closed && !connection.isClosed()) {
      try {
        await state.whenUp();
        await options.repair();
        break;
      } catch (error) {
        options.logger?.debug({ err: error }, "the work queue cannot be reached");
        await delay(REPAIR_MS, undefined, { ref: false });
      }
    }
    recovering = false;
    isPulling = false;
    pull();
  };

  const onReply = (message: Msg): void => {
    const status = message.headers?.code ?? 0;
    if (status === NO_MESSAGES || status === REQUEST_EXPIRED) {
      onAnswer();
      pull();
    } else if (status !== 0) {
      void recover();
    } else if (closed || held >= capacity) {
      message.respond("-NAK");
    } else {
      onAnswer();
      held += 1;
      inbox.push(toJob(connection, message, releaseOnce()));
      pull();
    }
  };

  /** A job that is neither acknowledged nor returned is released when the server delivers it again. */
  const releaseOnce = (): (() => void) => {
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      clearTimeout(expiry);
      held -= 1;
      pull();
    };
    const expiry = setTimeout(release, options.ackWaitMs);
    expiry.unref();
    return release;
  };

  const subscription = connection.subscribe(replySubject, {
    callback: (_error, message) => onReply(message),
  });
  const stopWatching = state.onBack(() => void recover());
  pull();

  return {
    [Symbol.asyncIterator]: () => inbox[Symbol.asyncIterator](),
    close: async () => {
      if (closed) return;
      closed = true;
      clearTimeout(pullTimer);
      stopWatching();
      const unseen = inbox.close();
      if (connection.isClosed()) return;
      subscription.unsubscribe();
      await Promise.all(unseen.map((job) => job.retryLater(0)));
    },
  };
};

const NO_MESSAGES = 404;
const REQUEST_EXPIRED = 408;
