import { ApiError } from "../apiError.ts";

/** A weak or strong entity tag (RFC 9110, 8.8.3), followed by a comma or the end. */
const TAG = /[\t ]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*(?:,|$)/y;
/** An empty list element (RFC 9110, 5.6.1). */
const NOTHING = /[\t ]*,/y;

const MAX_TAGS = 100;

/**
 * The versions accepted by `If-Match`; null without the header or with `*`. Weak and unknown tags never match
 * (RFC 9110, 13.1.1). Throws ApiError 400 for a malformed header.
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
      'If-Match must be the ETag of a response with its quotes, such as "3", a comma-separated list of ETags, or *.',
    );
  }
  return versions;
};
