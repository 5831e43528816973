/** What `sslmode` may be. */
const MODES = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"] as const;

/**
 * What is wrong with the TLS of a connection string (`postgres://…?sslmode=…&sslrootcert=…`), as what it should be;
 * null when nothing is.
 */
export const databaseUrlProblem = (url: string): string | null => {
  const mode = new URL(url).searchParams.get("sslmode");
  return mode === null || (MODES as readonly string[]).includes(mode)
    ? null
    : `a connection string whose sslmode is one of ${MODES.join(", ")}`;
};

/**
 * A connection string whose TLS means the same in every release of the client. As the client has had it, nothing
 * that asks for TLS trusts anybody: `prefer` and `require` are `verify-full`, and so is `verify-ca` unless it names
 * the authority; then the host's name does not count, as everywhere. `no-verify` trusts whoever answers.
 */
export const withExplicitTls = (url: string): string => {
  const parsed = new URL(url);
  const mode = parsed.searchParams.get("sslmode");
  const isOfAuthority = mode === "verify-ca" && parsed.searchParams.has("sslrootcert");
  if (isOfAuthority) parsed.searchParams.set("uselibpqcompat", "true");
  else if (mode === "prefer" || mode === "require" || mode === "verify-ca") {
    parsed.searchParams.set("sslmode", "verify-full");
  } else return url;
  return parsed.href;
};
