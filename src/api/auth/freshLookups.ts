/** A look-up that takes longer than this is not waited for by the next, in milliseconds. */
const PATIENCE_MS = 800;

/**
 * Look-ups of what must be as new as the request that asks for it: each begins after it was asked for. However
 * many ask for one key at the same time, one look-up is under way and one waits, which all who come meanwhile share.
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
    if (!before || performance.now() - before.since > PATIENCE_MS) return begin(key, find);
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
