import type { Logger } from "./logger.ts";

/** A model that completes a conversation. */
export type LanguageModel = {
  /** Returns the answer; null if the model is unavailable, busy, too slow or its answer is unusable. Never rejects. */
  ask(instructions: string, question: string): Promise<string | null>;
};

type LanguageModelSettings = {
  /** The base URL of `/chat/completions`, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
};

/** The time limit of a request in milliseconds. */
const TIMEOUT_MS = 10_000;
/** The maximum size of a response in bytes. */
const MAX_ANSWER = 64 * 1024;
/** The maximum of concurrent requests; further questions get null. */
const MAX_OPEN = 4;
/** After this number of failures in a row, no requests are sent for a while (circuit breaker). */
const MAX_FAILURES = 3;
const OPEN_CIRCUIT_MS = 60_000;

/**
 * A model behind an API compatible with OpenAI's chat completions. Requests have a time limit, and pause for a
 * minute after repeated failures. Questions and answers are not logged.
 */
export const createLanguageModel = (
  { baseUrl, apiKey, model }: LanguageModelSettings,
  logger: Logger,
  { timeoutMs = TIMEOUT_MS, restMs = OPEN_CIRCUIT_MS } = {},
): LanguageModel => {
  let open = 0;
  let failures = 0;
  let restsUntil = 0;

  const complete = async (instructions: string, question: string): Promise<string> => {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        temperature: 0,
        max_tokens: 2_000,
        messages: [
          { role: "system", content: instructions },
          { role: "user", content: question },
        ],
      }),
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readUpTo(response, MAX_ANSWER);
    if (!response.ok) throw new Error(`The response has status ${response.status}`);
    return contentOf(text);
  };

  return {
    ask: async (instructions, question) => {
      if (open >= MAX_OPEN || performance.now() < restsUntil) return null;
      open++;
      try {
        const answer = await complete(instructions, question);
        failures = 0;
        return answer;
      } catch (error) {
        failures++;
        if (failures >= MAX_FAILURES) {
          failures = 0;
          restsUntil = performance.now() + restMs;
        }
        const reason = error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
        logger.warn({ reason }, "the language model did not answer");
        return null;
      } finally {
        open--;
      }
    },
  };
};

/** Reads a body. Throws if it is longer than `limit` bytes. */
const readUpTo = async (response: Response, limit: number): Promise<string> => {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.byteLength;
    if (length > limit) throw new Error("The answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
};

const contentOf = (text: string): string => {
  const body: unknown = JSON.parse(text);
  const choices = property(body, "choices");
  const [first] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const content = property(property(first, "message"), "content");
  if (typeof content !== "string") throw new Error("The response has no completion");
  return content;
};

const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
