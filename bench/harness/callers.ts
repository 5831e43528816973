/**
 * Runs `callers` concurrent loops over `work` for `durationMs`. Returns completed calls per second.
 * Waits for the calls in flight at the end and counts them and their time.
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
