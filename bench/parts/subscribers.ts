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
  /** How many frames came since, by their delay in whole milliseconds. */
  readonly read: {
    readonly asks: object;
    readonly answers: { readonly frames: number; readonly delays: readonly number[] };
  };
};
