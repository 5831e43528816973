/**
 * Calls `work` from so many callers at once, each again as soon as it is answered, for so long.
 * Answers how many calls a second were answered. Calls under way at the end are waited for and counted,
 * with the time that they took.
 */
export const rateOf = async (
  callers: number,
  durationMs: number,
  work: (caller: number) => Promise<unknown>,
): Promise<number> => {
  const started = performance.now();
  const until = started + durationMs;
  let done = 0;
  const call = async (caller: number): Promise<void> => {
    while (performance.now() < until) {
      await work(caller);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return (done / (performance.now() - started)) * 1_000;
};
