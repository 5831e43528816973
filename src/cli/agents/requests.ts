import { setTimeout as pause } from "node:timers/promises";
import type { AnswerToAgent } from "../../domain/agents/protocol.ts";
import type { Unsent } from "./outbox.ts";

type Kind = AnswerToAgent["type"];
type Question<Type extends Kind> = Omit<Extract<Unsent, { type: Type }>, "ask">;
type Answer<Type extends Kind> = Extract<AnswerToAgent, { type: Type }>["answer"];

export type Requests = ReturnType<typeof createRequests>;

/** Sends requests to the service and matches the answers to them. */
export const createRequests = (post: (message: Unsent) => unknown) => {
  const waiting = new Map<number, (message: AnswerToAgent) => void>();
  let asks = 0;

  return {
    /** Handles an answer. Answers that arrive after the time limit are ignored. */
    answered: (message: AnswerToAgent): void => waiting.get(message.ask)?.(message),

    /** Returns the answer, across reconnections; null after `limitMs` or when `signal` is aborted. */
    ask: async <Type extends Kind>(
      type: Type,
      question: Omit<Question<Type>, "type">,
      limitMs: number,
      signal: AbortSignal,
    ): Promise<Answer<Type> | null> => {
      asks += 1;
      const mine = asks;
      const over = new AbortController();
      const answered = new Promise<AnswerToAgent>((resolve) => waiting.set(mine, resolve));
      post({ ...question, type, ask: mine } as unknown as Unsent);
      try {
        const late = pause(limitMs, null, { signal: AbortSignal.any([signal, over.signal]) });
        const message = await Promise.race([answered, late.catch(() => null)]);
        return message?.type === type ? (message.answer as Answer<Type> | null) : null;
      } finally {
        over.abort();
        waiting.delete(mine);
      }
    },
  };
};
