import type { Logger } from "./logger.ts";

/** A model that completes a conversation. */
export type LanguageModel = {
  /** What it answers to instructions and a question; null when it is slow, down, busy or answers nothing usable. Never rejects. */
  ask(instructions: string, question: string): Promise<string | null>;
};

type LanguageModelSettings = {
  /** Where its `/chat/completions` is, without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
};

/** How long an answer may take, in ms. */
const TIMEOUT_MS = 10_000;
/** The longest answer that is read, in bytes. */
const MAX_ANSWER = 64 * 1024;
/** Questions at once; more are not asked. */
const MAX_OPEN = 4;
/** After so many failures in a row it is left alone for a while. */
const MAX_FAILURES = 3;
const REST_MS = 60_000;

/**
 * A model behind an API that speaks OpenAI's chat completions. It is never waited for longer than `timeoutMs`,
 * and left alone for a minute when it fails again and again. Neither questions nor answers are logged.
 */
export const createLanguageModel = (
  { baseUrl, apiKey, model }: LanguageModelSettings,
  logger: Logger,
  { timeoutMs = TIMEOUT_MS, restMs = REST_MS } = {},
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
    if (!response.ok) throw new Error(`It answered ${response.status}`);
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

/** Reads a body; throws as soon as it is longer than `limit` bytes. */
const readUpTo = async (response: Response, limit: number): Promise<string> => {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.byteLength;
    // Leaving the loop cancels the rest.
    if (length > limit) throw new Error("Its answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
};

/** The text of the first choice. */
const contentOf = (text: string): string => {
  const body: unknown = JSON.parse(text);
  const choices = property(body, "choices");
  const [first] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const content = property(property(first, "message"), "content");
  if (typeof content !== "string") throw new Error("It answered no completion");
  return content;
};

const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
