/** How long a delivered job may stay unacknowledged before it comes again. */
export const ACK_WAIT_MS = 30_000;

/** Within this time the same id is put into a queue once. */
export const DUPLICATE_WINDOW_MS = 120_000;

/** What a subscriber may lag behind before messages are dropped (it sees the gap in the sequence numbers). */
export const SUBSCRIPTION_LIMIT = 65_536;

/** Queue names become part of NATS stream names and subjects. Throws on any other character. */
export const checkQueueName = (queue: string): string => {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(queue)) throw new Error(`Not a queue name: ${queue}`);
  return queue;
};

/** Subjects to publish to: tokens without wildcards. Throws otherwise. */
export const checkSubject = (subject: string): string => {
  if (!/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(subject)) throw new Error(`Not a subject: ${subject}`);
  return subject;
};

/** Subjects to subscribe to: `*` for one token, `>` at the end for the rest. Throws otherwise. */
export const checkPattern = (pattern: string): string => {
  if (!/^(>|([^\s.*>]+|\*)(\.([^\s.*>]+|\*))*(\.>)?)$/.test(pattern)) {
    throw new Error(`Not a subject pattern: ${pattern}`);
  }
  return pattern;
};

/** Whether a subject fits a pattern, by NATS's rules. */
export const fits = (pattern: string, subject: string): boolean => {
  const wanted = pattern.split(".");
  const tokens = subject.split(".");
  for (const [index, token] of wanted.entries()) {
    if (token === ">") return tokens.length > index;
    if (index >= tokens.length || (token !== "*" && token !== tokens[index])) return false;
  }
  return tokens.length === wanted.length;
};
