/**
 * While events come so fast, they gather between two commits: a commit of many costs little more than one of a few,
 * and there would be a hundred a second. The faster they come the longer, for the more work there is besides.
 */
const BUSY = { perMs: 0.6, gatherMs: 20 };
const VERY_BUSY = { perMs: 1, gatherMs: 40 };
/** How fast they come is judged by about so long, in milliseconds: a few may come together by chance. */
const WINDOW_MS = 200;

/** Says for how long events should gather before the next commit, in milliseconds, as one with `count` of them is made. */
export const createPace = (now: () => number = () => performance.now()) => {
  let perMs = 0;
  let at = now();
  return (count: number): number => {
    const passed = now() - at;
    at += passed;
    const kept = Math.exp(-passed / WINDOW_MS);
    // Even arrivals come to the same however they are cut, also after a commit that took long.
    perMs = perMs * kept + (passed > 0 ? (count / passed) * (1 - kept) : count / WINDOW_MS);
    if (perMs > VERY_BUSY.perMs) return VERY_BUSY.gatherMs;
    return perMs > BUSY.perMs ? BUSY.gatherMs : 0;
  };
};
