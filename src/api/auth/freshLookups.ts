/** A new lookup does not wait for one that takes longer than this, in milliseconds. */
const MAX_WAIT_MS = 800;

/**
 * Shares concurrent lookups without stale results: every lookup begins after it was requested. Per key, one lookup runs
 * and one waits, shared by all requests in the meantime.
 */
export const freshLookups = <Value>() => {
  type UnderWay = { readonly asked: Promise<Value>; readonly since: number };
  const underWay = new Map<string, UnderWay>();
  const waiting = new Map<string, Promise<Value>>();

  const begin = (key: string, find: () => Promise<Value>): Promise<Value> => {
    const asked = find().finally(() => {
      if (underWay.get(key)?.asked === asked) underWay.delete(key);
    });
    underWay.set(key, { asked, since: performance.now() });
    return asked;
  };

  return (key: string, find: () => Promise<Value>): Promise<Value> => {
    const before = underWay.get(key);
    if (!before || performance.now() - before.since > MAX_WAIT_MS) return begin(key, find);
    const known = waiting.get(key);
    if (known) return known;
    const next = before.asked
      .catch(() => undefined)
      .then(() => {
        waiting.delete(key);
        return begin(key, find);
      });
    waiting.set(key, next);
    return next;
  };
};
