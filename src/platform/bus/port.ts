/** A live message. Subjects are NATS subjects: tokens separated by dots, `*` matches one token, `>` the rest. */
export type BusMessage = {
  readonly subject: string;
  readonly payload: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type BusSubscription = AsyncIterable<BusMessage> & { close(): void };

/** A job from a work queue. Call either `ack` or `retryLater`; otherwise it is delivered again after the ack wait. */
export type Job = {
  readonly id: string;
  readonly payload: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The number of deliveries, from 1. */
  readonly deliveries: number;
  ack(): Promise<void>;
  /** Returns the job to the queue for delivery after `delayMs`. */
  retryLater(delayMs: number): Promise<void>;
};

export type JobConsumer = AsyncIterable<Job> & { close(): Promise<void> };

/**
 * Messages between processes: subjects deliver at most once, work queues at least once. Its contents may be
 * lost at any time: they derive from the log, and the dispatcher enqueues jobs again.
 */
export type Bus = {
  publish(subject: string, payload: string, headers?: Readonly<Record<string, string>>): void;
  subscribe(subject: string): BusSubscription;
  /** Adds a job to a queue, unless a job with this id was added in the last two minutes. */
  enqueue(
    queue: string,
    id: string,
    payload: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** Takes jobs from a queue, with at most `capacity` unacknowledged ones. */
  consume(queue: string, options: { capacity: number }): Promise<JobConsumer>;
  /**
   * Adds a listener for reconnections. Messages and jobs of the outage may be lost. Returns a function that
   * removes the listener.
   */
  onBack(listener: () => void): () => void;
  /** Rejects if the bus is unavailable. */
  ping(): Promise<void>;
  close(): Promise<void>;
};
