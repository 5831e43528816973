const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;
const KEY_MAX = 1_000;

export const isSegment = (text: string): boolean => SEGMENT.test(text);

/** The segments of a key. Throws Error if it does not consist of `/`-separated segments of `[A-Za-z0-9._-]`, none starting with a dot. */
export const segmentsOf = (key: string): readonly string[] => {
  const segments = key.split("/");
  if (key.length > KEY_MAX || !segments.every(isSegment)) {
    throw new Error(`Not a blob key: ${JSON.stringify(key.slice(0, 80))}`);
  }
  return segments;
};
