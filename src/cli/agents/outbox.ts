import type { FromAgent } from "../../domain/agents/protocol.ts";

/** A message without its sequence number. */
export type Unsent = FromAgent extends infer Message
  ? Message extends FromAgent
    ? Omit<Message, "seq">
    : never
  : never;

type Kept = { readonly message: Unsent; seq: number; readonly done: () => void };

/**
 * The messages of an agent, in order, kept across connections until the service has acknowledged them. Each
 * transmission, also a repeated one, gets the next sequence number.
 */
export const createOutbox = () => {
  let kept: Kept[] = [];
  let seq = 0;
  let send: ((message: FromAgent) => void) | null = null;
  const idle: (() => void)[] = [];

  const transmit = (message: Unsent): number => {
    seq += 1;
    send?.({ ...message, seq } as FromAgent);
    return seq;
  };
  const retain = (isKept: (one: Kept) => boolean): void => {
    const all = kept;
    kept = all.filter(isKept);
    for (const one of all) if (!kept.includes(one)) one.done();
    if (kept.length > 0) return;
    for (const resolve of idle.splice(0)) resolve();
  };

  return {
    /** Sends a message that must arrive. Resolves once it is acknowledged or forgotten. */
    post: (message: Unsent): Promise<void> =>
      new Promise((resolve) => {
        const one: Kept = { message, seq: 0, done: resolve };
        kept.push(one);
        if (send) one.seq = transmit(message);
      }),
    /** Sends a message once, if connected. */
    mention: (message: Unsent): void => {
      if (send) transmit(message);
    },
    /** Numbers the first message of a connection. */
    hello: (message: Unsent): FromAgent => {
      seq += 1;
      return { ...message, seq } as FromAgent;
    },
    /** Uses a new connection and sends the unacknowledged messages again, in order. */
    open: (transport: (message: FromAgent) => void): void => {
      send = transport;
      for (const one of kept) one.seq = transmit(one.message);
    },
    closed: (): void => {
      send = null;
    },
    acknowledged: (which: number): void => retain((one) => one.seq !== which),
    /** Discards the messages of an execution that now belongs to another agent. */
    forget: (executionId: string): void =>
      retain(({ message }) => !("execution_id" in message) || message.execution_id !== executionId),
    /** The executions that have unacknowledged messages. */
    executions: (): readonly string[] => [...new Set(kept.flatMap(executionsOf))],
    /** Resolves once every message is acknowledged. */
    empty: (): Promise<void> =>
      kept.length === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  };
};

const executionsOf = ({ message }: Kept): string[] =>
  "execution_id" in message ? [message.execution_id] : [];

export type Outbox = ReturnType<typeof createOutbox>;
