import type { CDPSession, Page } from "playwright";
import { within } from "../../platform/within.ts";
import type { HiddenFields } from "./hiddenFields.ts";

/** How long pictures still under way may take once the last step has ended (steps settle within 5 s). */
export const SETTLE_MS = 5_000;
/** How long the next step waits for the last one's picture before it changes the page. */
const HOLD_MS = 1_000;
/** A step that only looks at the page has so long to end before the last one's picture is taken without it. */
const LOOK_MS = 150;
const JPEG_QUALITY = 80;

/** Takes a test's automatic pictures beside its steps. */
export type Camera = {
  /** Starts to take the page's picture as it is now, and does not wait for it. It is that of all steps whose pictures are due. */
  shoot(number: number): void;
  /**
   * The step's picture is due, and is taken in a moment: the next step only looks at the page, so that one picture
   * shows what both left, when both are over by then.
   */
  shootSoon(number: number): void;
  /** Resolves when the last picture is taken, at most a second later: a picture shows its step and not the next. */
  beforeChange(): Promise<void>;
  /** Resolves when all pictures are taken or given up, within SETTLE_MS. */
  settle(): Promise<void>;
};

/**
 * A camera for the page that is looked at when it shoots. Pictures are JPEG of the visible part, asked for in one message to the browser;
 * one that cannot be taken (the page is gone) is left out. A picture of several steps is delivered for each of them:
 * `sameAs` is the first of them.
 */
export const createCamera = (
  subject: () => { readonly page: Page; readonly session: CDPSession | null },
  hidden: HiddenFields,
  deliver: (number: number, bytes: Buffer, sameAs: number | null) => void,
): Camera => {
  const underWay = new Set<Promise<void>>();
  let last: Promise<void> = Promise.resolve();
  /** The steps whose picture is due, and the time when it is taken at the latest. */
  const due: number[] = [];
  let soon: NodeJS.Timeout | undefined;

  const take = async (): Promise<Buffer> => {
    const { page, session } = subject();
    if (hidden.isNeeded()) {
      const how = { type: "jpeg", quality: JPEG_QUALITY, timeout: SETTLE_MS } as const;
      return hidden.paintOver(page, (painting) => page.screenshot({ ...how, ...painting }));
    }
    if (session) {
      const shot = { format: "jpeg", quality: JPEG_QUALITY, optimizeForSpeed: true } as const;
      const answer = await session.send("Page.captureScreenshot", shot).catch(() => null);
      if (answer) return Buffer.from(answer.data, "base64");
    }
    return page.screenshot({ type: "jpeg", quality: JPEG_QUALITY, timeout: SETTLE_MS });
  };

  const shootDue = (): void => {
    clearTimeout(soon);
    soon = undefined;
    const [first, ...others] = due.splice(0);
    if (first === undefined) return;
    const isPainted = hidden.isNeeded();
    const picture = take().then(
      (bytes) => {
        // One that was begun before there was anything to hide, and may show it all the same.
        if (isPainted !== hidden.isNeeded()) return;
        deliver(first, bytes, null);
        for (const number of others) deliver(number, bytes, first);
      },
      () => {},
    );
    last = picture;
    underWay.add(picture);
    void picture.then(() => underWay.delete(picture));
  };

  return {
    shoot: (number) => {
      due.push(number);
      shootDue();
    },
    shootSoon: (number) => {
      due.push(number);
      soon ??= setTimeout(shootDue, LOOK_MS).unref();
    },
    beforeChange: () => {
      shootDue();
      return atMost(last, HOLD_MS);
    },
    settle: () => {
      shootDue();
      return atMost(Promise.all(underWay), SETTLE_MS);
    },
  };
};

/** Waits for a promise, at most `timeoutMs` milliseconds. */
const atMost = async (promise: Promise<unknown>, timeoutMs: number): Promise<void> => {
  await within(promise, timeoutMs, () => undefined);
};
