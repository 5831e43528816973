/** Receiver of a run's events as WebSocket frames. */
export type Subscriber = {
  send(frame: Buffer): void;
  /** Resolves when the send buffer has drained, or the connection has closed. */
  ready(): Promise<void>;
};
