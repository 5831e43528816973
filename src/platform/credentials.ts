/** Replaces the passwords of URLs in a text: `postgres://user:***@host`. Matches greedily, because passwords may contain slashes. */
export const withoutCredentials = (text: string): string =>
  text.replace(/([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s@]*@/gi, "$1:***@");

/**
 * The scheme, hosts and path of a connection string, or of several separated by commas. User, password, token and query
 * are removed. An address that cannot be parsed becomes "…".
 */
export const addressOf = (url: string): string =>
  url
    .split(/,(?=\s*[a-z][a-z0-9+.-]*:\/\/)/i)
    .map((one) => one.trim().match(ADDRESS)?.slice(1, 3).join("") ?? "…")
    .join(", ");

/** `scheme://user:password@host:port,host:port/path?anything`. */
const ADDRESS =
  /^([a-z][a-z0-9+.-]*:\/\/)(?:[^@?#]*@)?((?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?:,[\w.-]+(?::\d+)?)*(?:\/[^@?#]*)?)(?:[?#].*)?$/is;
