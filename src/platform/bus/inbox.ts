/** A mailbox between callbacks and one `for await` loop. */
export type Inbox<Item> = AsyncIterable<Item> & {
  /** false when it is full or closed, and the item was dropped. */
  push(item: Item): boolean;
  /** Ends the loop; returns what was pushed and never taken. */
  close(): Item[];
};

/** Makes a mailbox that holds at most `limit` items: what a reader does not take in time is dropped, never kept without bound. */
export const createInbox = <Item>(limit: number): Inbox<Item> => {
  let items: Item[] = [];
  let closed = false;
  let wake: (() => void) | null = null;
  const signal = (): void => {
    wake?.();
    wake = null;
  };

  return {
    push: (item) => {
      if (closed || items.length >= limit) return false;
      items.push(item);
      signal();
      return true;
    },
    close: () => {
      closed = true;
      const left = items;
      items = [];
      signal();
      return left;
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const item = items.shift();
        if (item !== undefined) yield item;
        else if (closed) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
};
