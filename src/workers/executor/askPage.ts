import type { CDPSession, Frame, Page } from "playwright";

const sessions = new WeakMap<Page, CDPSession>();

/** Makes a page's session the way to ask it. */
export const askThrough = (page: Page, session: CDPSession | null): void => {
  if (session) sessions.set(page, session);
};

/** A page's session; null when there is none. */
export const sessionOf = (page: Page): CDPSession | null => sessions.get(page) ?? null;

const opened = new WeakMap<Page, Promise<CDPSession | null>>();

/** A page's session, opened where it has none: a second tab. null in browsers without such sessions. */
export const openSession = (page: Page): Promise<CDPSession | null> => {
  const known = sessions.get(page);
  if (known) return Promise.resolve(known);
  const opening =
    opened.get(page) ??
    page
      .context()
      .newCDPSession(page)
      .catch(() => null);
  opened.set(page, opening);
  return opening;
};

/**
 * The value of an expression in a page, JSON. In one message where there is a session: Playwright puts scripts of
 * its own into each document before the first. Rejects when the page cannot be asked, or the expression throws.
 */
export const askPage = async <Value>(page: Page, expression: string): Promise<Value> => {
  const session = sessions.get(page);
  if (!session) return page.evaluate(expression) as Promise<Value>;
  const answer = await session.send("Runtime.evaluate", { expression, returnByValue: true });
  if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text);
  return answer.result.value as Value;
};

/** The same of whatever a test looks at: a frame has no session of its own. */
export const askView = <Value>(view: Page | Frame, expression: string): Promise<Value> =>
  "context" in view
    ? askPage<Value>(view, expression)
    : (view.evaluate(expression) as Promise<Value>);
