/** The time after which an unacknowledged job is delivered again. */
export const ACK_WAIT_MS = 30_000;

/** The time in which a job id is accepted once. */
export const DUPLICATE_WINDOW_MS = 120_000;

/** The buffer of a subscriber in messages; further messages are dropped, which leaves a gap in the sequence numbers. */
export const SUBSCRIPTION_LIMIT = 65_536;

/** Checks a queue name, which becomes part of NATS stream names and subjects. Throws if it is invalid. */
export const checkQueueName = (queue: string): string => {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(queue)) throw new Error(`Not a queue name: ${queue}`);
  return queue;
};

/** Checks a subject to publish to: tokens without wildcards. Throws if it is invalid. */
export const checkSubject = (subject: string): string => {
  if (!/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(subject)) throw new Error(`Not a subject: ${subject}`);
  return subject;
};

/** Checks a subject to subscribe to: `*` matches one token, `>` at the end the rest. Throws if it is invalid. */
export const checkPattern = (pattern: string): string => {
  if (!/^(>|([^\s.*>]+|\*)(\.([^\s.*>]+|\*))*(\.>)?)$/.test(pattern)) {
    throw new Error(`Not a subject pattern: ${pattern}`);
  }
  return pattern;
};

/** Whether a subject matches a pattern by the rules of NATS. */
export const fits = (pattern: string, subject: string): boolean => {
  const wanted = pattern.split(".");
  const tokens = subject.split(".");
  for (const [index, token] of wanted.entries()) {
    if (token === ">") return tokens.length > index;
    if (index >= tokens.length || (token !== "*" && token !== tokens[index])) return false;
  }
  return tokens.length === wanted.length;
};
