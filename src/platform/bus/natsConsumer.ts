import { setTimeout as delay } from "node:timers/promises";
import { createInbox as createReplySubject, type Msg, type NatsConnection, nanos } from "nats";
import type { Logger } from "../logger.ts";
import { createInbox, type Inbox } from "./inbox.ts";
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
  const { connection, state } = options;
  const inbox = createInbox<Job>(Number.POSITIVE_INFINITY);
  const puller: Puller = {
    ...{ options, inbox, replySubject: createReplySubject() },
    ...{ held: 0, isPulling: false, isRecovering: false, pullTimer: undefined, closed: false },
  };
  const subscription = connection.subscribe(puller.replySubject, {
    callback: (_error, message) => onReply(puller, message),
  });
  const stopWatching = state.onBack(() => void recover(puller));
  pull(puller);

  return {
    [Symbol.asyncIterator]: () => inbox[Symbol.asyncIterator](),
    close: async () => {
      if (puller.closed) return;
      puller.closed = true;
      clearTimeout(puller.pullTimer);
      stopWatching();
      const unseen = inbox.close();
      if (connection.isClosed()) return;
      subscription.unsubscribe();
      await Promise.all(unseen.map((job) => job.retryLater(0)));
    },
  };
};

type Puller = {
  readonly options: PullOptions;
  readonly inbox: Inbox<Job>;
  readonly replySubject: string;
  /** The number of jobs that are delivered and not yet released. */
  held: number;
  isPulling: boolean;
  isRecovering: boolean;
  pullTimer: NodeJS.Timeout | undefined;
  closed: boolean;
};

const pull = (puller: Puller): void => {
  const { connection, requestSubject, capacity } = puller.options;
  const isBusy = puller.isPulling || puller.isRecovering || puller.held >= capacity;
  if (isBusy || puller.closed || connection.isClosed()) return;
  puller.isPulling = true;
  // Without any reply, the server has restarted and lost the request.
  puller.pullTimer = setTimeout(() => void recover(puller), PULL_MS + 1_000);
  puller.pullTimer.unref();
  connection.publish(requestSubject, JSON.stringify({ batch: 1, expires: nanos(PULL_MS) }), {
    reply: puller.replySubject,
  });
};

/** Pulls again after stream and consumer exist. A restarted server has lost the pull request. */
const recover = async (puller: Puller): Promise<void> => {
  if (puller.isRecovering) return;
  const { connection, state, repair, logger } = puller.options;
  puller.isRecovering = true;
  clearTimeout(puller.pullTimer);
  while (!puller.closed && !connection.isClosed()) {
    try {
      await state.whenUp();
      await repair();
      break;
    } catch (error) {
      logger?.debug({ err: error }, "the work queue cannot be reached");
      await delay(REPAIR_MS, undefined, { ref: false });
    }
  }
  puller.isRecovering = false;
  puller.isPulling = false;
  pull(puller);
};

const onReply = (puller: Puller, message: Msg): void => {
  const { connection, capacity } = puller.options;
  const status = message.headers?.code ?? 0;
  if (status === NO_MESSAGES || status === REQUEST_EXPIRED) {
    endPull(puller);
    pull(puller);
  } else if (status !== 0) {
    void recover(puller);
  } else if (puller.closed || puller.held >= capacity) {
    message.respond("-NAK");
  } else {
    endPull(puller);
    puller.held += 1;
    puller.inbox.push(toJob(connection, message, releaseOnce(puller)));
    pull(puller);
  }
};

const endPull = (puller: Puller): void => {
  clearTimeout(puller.pullTimer);
  puller.isPulling = false;
};

/** A job that is neither acknowledged nor returned is released when the server delivers it again. */
const releaseOnce = (puller: Puller): (() => void) => {
  let released = false;
  const release = (): void => {
    if (released) return;
    released = true;
    clearTimeout(expiry);
    puller.held -= 1;
    pull(puller);
  };
  const expiry = setTimeout(release, puller.options.ackWaitMs);
  expiry.unref();
  return release;
};

const NO_MESSAGES = 404;
const REQUEST_EXPIRED = 408;
