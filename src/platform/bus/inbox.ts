/** A queue between callbacks and one `for await` loop. */
export type Inbox<Item> = AsyncIterable<Item> & {
  /** Adds an item. Returns false if the inbox is full or closed; then the item is dropped. */
  push(item: Item): boolean;
  /** Ends the loop. Returns the remaining items. */
  close(): Item[];
};

/** `limit`: the maximum of items; further ones are dropped. */
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
