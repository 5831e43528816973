/** What a process of subscribers can be asked. */
export type SubscriberRequests = {
  /** Connects so many subscribers to each run. */
  readonly connect: {
    readonly asks: {
      readonly url: string;
      readonly cookie: string;
      readonly runIds: readonly string[];
      readonly each: number;
    };
    readonly answers: { readonly connected: number };
  };
  /** Begins to count anew. */
  readonly count: { readonly asks: object; readonly answers: object };
  /** Resolves once so many frames have come since. */
  readonly reach: { readonly asks: { readonly frames: number }; readonly answers: object };
  /** Has this share of the subscribers read nothing any more; answers how many these are. */
  readonly stall: {
    readonly asks: { readonly share: number };
    readonly answers: { readonly stalled: number };
  };
  /** How many frames came since, by their delay in whole milliseconds. */
  readonly read: {
    readonly asks: object;
    readonly answers: { readonly frames: number; readonly delays: readonly number[] };
  };
};
