/** Procedures of a subscriber process. */
export type SubscriberProcedures = {
  /** Connects `each` subscribers to every run. */
  readonly connect: {
    readonly request: {
      readonly url: string;
      readonly cookie: string;
      readonly runIds: readonly string[];
      readonly each: number;
    };
    readonly response: { readonly connected: number };
  };
  /** Resets the counters. */
  readonly reset: { readonly request: object; readonly response: object };
  /** Resolves after `frames` frames since the reset. */
  readonly waitForFrames: {
    readonly request: { readonly frames: number };
    readonly response: object;
  };
  /** Stops reading on a share of the sockets. Returns their number. */
  readonly stall: {
    readonly request: { readonly share: number };
    readonly response: { readonly stalled: number };
  };
  /** The number of frames since the reset, by delay in whole milliseconds. */
  readonly read: {
    readonly request: object;
    readonly response: { readonly frames: number; readonly delays: readonly number[] };
  };
};
