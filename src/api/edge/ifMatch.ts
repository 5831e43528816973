import { ApiError } from "../apiError.ts";

/** An entity tag (RFC 9110, 8.8.3), weak or strong, and what follows it: a comma or the end. */
const TAG = /[\t ]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*(?:,|$)/y;
/** Between the tags of a list there may be nothing at all (RFC 9110, 5.6.1). */
const NOTHING = /[\t ]*,/y;

/** So many tags are read at most: a version has one. */
const MAX_TAGS = 100;

/**
 * The versions that `If-Match` lets through; null without the header and with `*`, which only asks that there
 * is something. Weak tags never match, and neither does a tag that is none of ours: an empty list is always stale
 * (RFC 9110, 13.1.1). Throws 400 when it is no list of entity tags.
 */
export const parseIfMatch = (header: string | undefined): readonly number[] | null => {
  if (header === undefined || header.trim() === "*") return null;
  const versions: number[] = [];
  let tags = 0;
  let at = 0;
  while (at < header.length) {
    NOTHING.lastIndex = at;
    TAG.lastIndex = at;
    if (NOTHING.test(header)) {
      at = NOTHING.lastIndex;
      continue;
    }
    const tag = TAG.exec(header);
    if (!tag) break;
    at = TAG.lastIndex;
    tags += 1;
    const [, weak, value = ""] = tag;
    if (!weak && /^[1-9]\d{0,14}$/.test(value)) versions.push(Number(value));
  }
  if (tags === 0 || tags > MAX_TAGS || header.slice(at).trim() !== "") {
    throw new ApiError(
      400,
      'If-Match must be the ETag that an answer gave, in its quotes, such as "3"; several with commas between; or *.',
    );
  }
  return versions;
};
