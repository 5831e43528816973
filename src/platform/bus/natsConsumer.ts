import { setTimeout as delay } from "node:timers/promises";
import { createInbox as createReplySubject, type Msg, type NatsConnection, nanos } from "nats";
import type { Logger } from "../logger.ts";
import { createInbox } from "./inbox.ts";
import type { ConnectionState } from "./natsConnectionState.ts";
import { toJob } from "./natsMessages.ts";
import type { Job, JobConsumer } from "./port.ts";

/** How long the server keeps one request for work open. */
const PULL_MS = 5_000;
const REPAIR_MS = 250;

export type PullOptions = {
  readonly connection: NatsConnection;
  readonly requestSubject: string;
  readonly capacity: number;
  readonly ackWaitMs: number;
  readonly line: ConnectionState;
  /** Makes the stream and the consumer again where they are missing. */
  readonly repair: () => Promise<void>;
  readonly logger?: Logger;
};

/**
 * Takes jobs from a durable pull consumer: one open request for one job at a time, so that never more than `capacity` are held.
 * The replies come to a subject of its own: once that is unsubscribed the server drops the open request.
 */
export const pullConsumer = (options: PullOptions): JobConsumer => {
  const { connection, capacity, line } = options;
  const inbox = createInbox<Job>(Number.POSITIVE_INFINITY);
  const replySubject = createReplySubject();
  let held = 0;
  let asking = false;
  let recovering = false;
  let overdue: NodeJS.Timeout | undefined;
  let closed = false;

  const pull = (): void => {
    if (closed || asking || recovering || held >= capacity || connection.isClosed()) return;
    asking = true;
    // No answer at all means that the server restarted and forgot the request.
    overdue = setTimeout(() => void recover(), PULL_MS + 1_000);
    overdue.unref();
    connection.publish(
      options.requestSubject,
      JSON.stringify({ batch: 1, expires: nanos(PULL_MS) }),
      { reply: replySubject },
    );
  };

  const answered = (): void => {
    clearTimeout(overdue);
    asking = false;
  };

  /** Asks anew, once stream and consumer are known to be there. A server that is back has forgotten the request. */
  const recover = async (): Promise<void> => {
    if (recovering) return;
    recovering = true;
    clearTimeout(overdue);
    while (!closed && !connection.isClosed()) {
      try {
        await line.whenUp();
        await options.repair();
        break;
      } catch (error) {
        options.logger?.debug({ err: error }, "the work queue cannot be reached");
        await delay(REPAIR_MS, undefined, { ref: false });
      }
    }
    recovering = false;
    asking = false;
    pull();
  };

  const onReply = (message: Msg): void => {
    const status = message.headers?.code ?? 0;
    if (status === NO_MESSAGES || status === REQUEST_EXPIRED) {
      answered();
      pull();
    } else if (status !== 0) {
      void recover();
    } else if (closed || held >= capacity) {
      message.respond("-NAK");
    } else {
      answered();
      held += 1;
      inbox.push(toJob(connection, message, releaseOnce()));
      pull();
    }
  };

  /** A job that is never ended stops counting when the server takes it back. */
  const releaseOnce = (): (() => void) => {
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      clearTimeout(takenBack);
      held -= 1;
      pull();
    };
    const takenBack = setTimeout(release, options.ackWaitMs);
    takenBack.unref();
    return release;
  };

  const subscription = connection.subscribe(replySubject, {
    callback: (_error, message) => onReply(message),
  });
  const stopWatching = line.onBack(() => void recover());
  pull();

  return {
    [Symbol.asyncIterator]: () => inbox[Symbol.asyncIterator](),
    close: async () => {
      if (closed) return;
      closed = true;
      clearTimeout(overdue);
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
