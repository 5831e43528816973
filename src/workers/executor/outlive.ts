import type { BrowserType } from "playwright";

type Message = { readonly id?: number };

/** The part inside Playwright that hands on the messages of its browsers. */
type Connection = {
  dispatch(message: Message): void;
  readonly _callbacks: ReadonlyMap<number, { reject(error: unknown): void }>;
};

const guarded = new WeakSet<Connection>();

/**
 * Keeps the process alive where Playwright is handed a message about something that has just gone with its page, such
 * as the response of a page that a stopped test was on its way to: it throws then where nobody catches it. The call
 * that waits for the message fails instead; an event is nobody's any more.
 */
export const outliveLostObjects = (
  browserType: BrowserType,
  onLog: (message: string) => void,
): void => {
  const { _connection: connection } = browserType as unknown as { _connection?: Connection };
  if (!connection || guarded.has(connection)) return;
  guarded.add(connection);
  const dispatch = connection.dispatch.bind(connection);
  connection.dispatch = (message) => {
    const waiting = message.id === undefined ? undefined : connection._callbacks.get(message.id);
    try {
      dispatch(message);
    } catch (error) {
      waiting?.reject(error);
      onLog(`A message of a browser came too late: ${String(error)}`);
    }
  };
};
