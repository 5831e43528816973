import type { FromAgent } from "../../domain/agents/protocol.ts";

/** A message before it has its number. */
export type Unsent = FromAgent extends infer Message
  ? Message extends FromAgent
    ? Omit<Message, "seq">
    : never
  : never;

/**
 * What an agent has to say, in order, kept until the service has acknowledged it: over any number of
 * connections. Numbers grow with each message that is sent, also when it is sent again.
 */
export const createOutbox = () => {
  type Kept = { readonly message: Unsent; seq: number; readonly done: () => void };
  let kept: Kept[] = [];
  let seq = 0;
  let send: ((message: FromAgent) => void) | null = null;
  const idle: (() => void)[] = [];

  const say = (message: Unsent): number => {
    seq += 1;
    send?.({ ...message, seq } as FromAgent);
    return seq;
  };
  const keepThose = (isKept: (one: Kept) => boolean): void => {
    const all = kept;
    kept = all.filter(isKept);
    for (const one of all) if (!kept.includes(one)) one.done();
    if (kept.length > 0) return;
    for (const tell of idle.splice(0)) tell();
  };

  return {
    /** Says something that must arrive. Resolves once it is acknowledged, or forgotten. */
    post: (message: Unsent): Promise<void> =>
      new Promise((resolve) => {
        const one: Kept = { message, seq: 0, done: resolve };
        kept.push(one);
        if (send) one.seq = say(message);
      }),
    /** Says something that is of this moment alone. */
    mention: (message: Unsent): void => {
      if (send) say(message);
    },
    /** Numbers the first message of a connection, which is said before all others. */
    hello: (message: Unsent): FromAgent => {
      seq += 1;
      return { ...message, seq } as FromAgent;
    },
    /** A connection is there: what was not acknowledged is said again, in order. */
    open: (line: (message: FromAgent) => void): void => {
      send = line;
      for (const one of kept) one.seq = say(one.message);
    },
    closed: (): void => {
      send = null;
    },
    acknowledged: (which: number): void => keepThose((one) => one.seq !== which),
    /** Forgets what was to be said of an execution: it is another's now. */
    forget: (executionId: string): void =>
      keepThose(
        ({ message }) => !("execution_id" in message) || message.execution_id !== executionId,
      ),
    /** The executions of which something is not acknowledged yet. */
    executions: (): readonly string[] => [
      ...new Set(
        kept.flatMap(({ message }) => ("execution_id" in message ? [message.execution_id] : [])),
      ),
    ],
    /** Resolves once everything is acknowledged. */
    empty: (): Promise<void> =>
      kept.length === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  };
};

export type Outbox = ReturnType<typeof createOutbox>;
