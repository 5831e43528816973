import { CannotJudgeError, plainMessage, StepError } from "../errors.ts";
import { refusalOf } from "../networkPolicy.ts";
import type { PerformStep } from "./context.ts";
import { inWords, quoted } from "./polling.ts";

/** The meaning of the most frequent network errors. */
const NETWORK_ERRORS: Readonly<Record<string, string>> = {
  ERR_CONNECTION_REFUSED: "nothing answers at that address (connection refused)",
  ERR_NAME_NOT_RESOLVED: "there is no such host (the name does not resolve)",
  ERR_CONNECTION_TIMED_OUT: "the host does not answer (connection timed out)",
  ERR_ADDRESS_UNREACHABLE: "the host cannot be reached",
  ERR_INTERNET_DISCONNECTED: "there is no network here",
  ERR_EMPTY_RESPONSE: "the server closed the connection without an answer",
  ERR_CONNECTION_RESET: "the server broke the connection off",
  ERR_TOO_MANY_REDIRECTS: "it redirects for ever",
  ERR_UNSAFE_PORT: "browsers refuse that port",
  ERR_ABORTED:
    "there is no page at that address (an answer with nothing in it, or a download), or it went elsewhere at once",
};

/** Opens an address, or a path on the base URL, in the whole of the tab, and waits until the page has loaded. */
export const navigate: PerformStep = async ({
  page,
  stage,
  step,
  baseUrl,
  timeouts,
  networkPolicy,
  beforeChange,
}) => {
  const address = absoluteAddress(step.value, baseUrl);
  const refusal = await refusalOf(address, networkPolicy);
  if (refusal) throw new CannotJudgeError(`Refused to open ${quoted(address)}: ${refusal}`);
  await beforeChange();
  stage.toFrame(null);
  try {
    await page.goto(address, { timeout: timeouts.navigationMs });
  } catch (error) {
    throw new StepError(
      `Could not open ${quoted(address)}: ${whyNot(error, timeouts.navigationMs)}.`,
    );
  }
};

/** The address that a `navigate` step means. Throws StepError when it is a path and there is no base URL. */
export const absoluteAddress = (value: string, baseUrl: string | null): string => {
  const text = value.trim();
  if (URL.canParse(text)) return text;
  if (!baseUrl) {
    throw new StepError(
      `${quoted(text)} is a path, and the run has no base URL to put it on. Give a base URL, or write the full address.`,
    );
  }
  if (!URL.canParse(text, baseUrl)) {
    throw new StepError(`${quoted(text)} on the base URL ${quoted(baseUrl)} is no address.`);
  }
  return new URL(text, baseUrl).href;
};

const whyNot = (error: unknown, timeoutMs: number): string => {
  const message = plainMessage(error);
  if (/Timeout \d+ms exceeded/.test(message)) {
    return `the page did not finish loading within ${inWords(timeoutMs)}`;
  }
  if (/Download is starting/.test(message)) return "the address is a download, and no page";
  const code = /net::(ERR_\w+)/.exec(message)?.[1];
  if (code) return NETWORK_ERRORS[code] ?? code.slice(4).toLowerCase().replaceAll("_", " ");
  return message.split("\n")[0] ?? message;
};
