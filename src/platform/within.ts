/**
 * The value of a promise, or the value of `late` if the promise takes longer than `limitMs` milliseconds.
 * Rejects if the promise does, or if `late` throws. The promise itself is not ended.
 */
export const within = async <Value, Late>(
  promise: Promise<Value>,
  limitMs: number,
  late: () => Late,
): Promise<Value | Late> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  try {
    return await Promise.race([promise, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
};
