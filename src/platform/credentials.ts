/** Replaces the password of every URL in a text: `postgres://user:***@host`. Rather too much than too little: passwords hold slashes. */
export const withoutCredentials = (text: string): string =>
  text.replace(/([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s@]*@/gi, "$1:***@");

/**
 * A connection string without anything that could be a secret: scheme, hosts and path; no user, password or token, and
 * nothing of what stands behind `?`. Of several with commas between, each. What cannot be told apart is left out.
 */
export const addressOf = (url: string): string =>
  url
    .split(/,(?=\s*[a-z][a-z0-9+.-]*:\/\/)/i)
    .map((one) => one.trim().match(ADDRESS)?.slice(1, 3).join("") ?? "…")
    .join(", ");

/** `scheme://user:password@host:port,host:port/path?anything`. */
const ADDRESS =
  /^([a-z][a-z0-9+.-]*:\/\/)(?:[^@?#]*@)?((?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?:,[\w.-]+(?::\d+)?)*(?:\/[^@?#]*)?)(?:[?#].*)?$/is;
