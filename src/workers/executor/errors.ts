/** The longest text of an error that is reported, in bytes of UTF-8. */
const MAX_ERROR_BYTES = 2048;

/** A step could not be done or what it asserts is not so: the test fails. The message is for a person. */
export class StepError extends Error {
  readonly locator: string | null;

  constructor(message: string, locator: string | null = null) {
    super(shorten(message));
    this.name = "StepError";
    this.locator = locator;
  }
}

/** There is nothing that the step's target names. */
export class NotFoundError extends StepError {
  constructor(message: string) {
    super(message);
    this.name = "NotFoundError";
  }
}

/** The page was closed while the mouse was at work in it: what was done had begun, and may be what closed it. */
export class ClosedMeanwhileError extends StepError {
  constructor(message: string, locator: string | null) {
    super(message, locator);
    this.name = "ClosedMeanwhileError";
  }
}

/** A picture is not like its baseline: the step fails, and the test goes on, since nothing else depends on it. */
export class PictureDiffersError extends StepError {
  constructor(message: string, locator: string | null = null) {
    super(message, locator);
    this.name = "PictureDiffersError";
  }
}

/** The step does not apply here, and the test goes on without it. The reason is for a person. */
export class StepSkipped extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "StepSkipped";
  }
}

/** The test cannot be judged: the browser is gone, or an address was refused. The test is errored. */
export class CannotJudgeError extends Error {
  constructor(message: string) {
    super(shorten(message));
    this.name = "CannotJudgeError";
  }
}

/** Cuts a message to what may be reported. */
export const shorten = (message: string): string => {
  const bytes = Buffer.from(message, "utf8");
  if (bytes.length <= MAX_ERROR_BYTES) return message;
  // A character that the cut goes through is left out.
  return `${bytes
    .subarray(0, MAX_ERROR_BYTES - 3)
    .toString("utf8")
    .replace(/\uFFFD+$/, "")}…`;
};

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

const withoutColours = (text: string): string => text.replaceAll(COLOURS, "");

/** The text of any error as one that a person can read: no colours, no stack, no call log. */
export const plainMessage = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return withoutColours(text)
    .replace(/\n*Call log:[\s\S]*$/, "")
    .replace(/^(?:locator|page|frame|elementHandle|keyboard|browserContext)\.\w+: /, "")
    .replace(/^(?:Error|TimeoutError): /, "")
    .trim();
};

/** Whether Playwright's call failed because the page was closed once the mouse was at work, as its call log has it. */
export const isClosedMeanwhile = (error: unknown): boolean => {
  const message = withoutColours(error instanceof Error ? error.message : "");
  const isClosed = /has been closed|Target closed/i.test(message);
  return isClosed && /^ *- +performing (?:dbl)?click action$/m.test(message);
};

/** Why Playwright could not act on an element it had found, read from its call log; null when the log does not say. */
export const reasonFromCallLog = (error: unknown): string | null => {
  const log = error instanceof Error ? error.message : "";
  if (/did not change its state/.test(log)) return "it did not change its state";
  const covering =
    /(<[^>]{1,300}>[^\n]{0,200}?) (?:from .{1,200} subtree )?intercepts pointer events/.exec(log);
  if (covering) return `it is covered by ${covering[1]}`;
  if (/element is not enabled/.test(log)) return "it is disabled";
  if (/element is not editable/.test(log)) return "it cannot be edited (read-only)";
  if (/element is outside of the viewport/.test(log))
    return "it lies outside of the page's visible area";
  if (/element is not stable/.test(log)) return "it does not stop moving";
  if (/element is not visible/.test(log)) return "it is not visible";
  if (/waiting for scheduled navigations to finish/.test(log))
    return "the page it led to did not open";
  return null;
};
