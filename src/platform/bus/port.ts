/** A live message. Subjects are NATS subjects: tokens separated by dots, `*` matches one token, `>` the rest. */
export type BusMessage = {
  readonly subject: string;
  readonly payload: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type BusSubscription = AsyncIterable<BusMessage> & { close(): void };

/** A piece of work from the queue. Exactly one of `ack`, `retryLater` ends it; otherwise it comes again after the queue's ack wait. */
export type Job = {
  readonly id: string;
  readonly payload: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How often it has been delivered, from 1. */
  readonly deliveries: number;
  ack(): Promise<void>;
  /** Gives it back, to come again after `delayMs`. */
  retryLater(delayMs: number): Promise<void>;
};

export type JobConsumer = AsyncIterable<Job> & { close(): Promise<void> };

/**
 * What is live. Subjects deliver at most once; the work queue at least once.
 * Losing everything in it loses nothing: the log has it, and the dispatcher offers it again.
 */
export type Bus = {
  publish(subject: string, payload: string, headers?: Readonly<Record<string, string>>): void;
  subscribe(subject: string): BusSubscription;
  /** Puts work in a queue. The same id again, within two minutes, is not put in twice. */
  enqueue(
    queue: string,
    id: string,
    payload: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** Takes work from a queue, never holding more than `capacity` unacknowledged jobs. */
  consume(queue: string, options: { capacity: number }): Promise<JobConsumer>;
  /**
   * Calls back each time that the bus is there again after it was away, until the returned function is
   * called. What was published or put in a queue meanwhile may be lost.
   */
  onBack(listener: () => void): () => void;
  /** Rejects when the bus cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
};
