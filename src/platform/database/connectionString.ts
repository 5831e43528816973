/** The values of `sslmode`. */
const MODES = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"] as const;

/** The expected value if the `sslmode` of a connection string is invalid; null if it is valid. */
export const databaseUrlProblem = (url: string): string | null => {
  const mode = new URL(url).searchParams.get("sslmode");
  return mode === null || (MODES as readonly string[]).includes(mode)
    ? null
    : `a connection string whose sslmode is one of ${MODES.join(", ")}`;
};

/**
 * Makes `sslmode` independent of the release of the client: `prefer` and `require` become `verify-full`, and so
 * does `verify-ca` without `sslrootcert`; with it, the host name is not verified. `no-verify` accepts any certificate.
 */
export const withExplicitTls = (url: string): string => {
  const parsed = new URL(url);
  const mode = parsed.searchParams.get("sslmode");
  const hasAuthority = mode === "verify-ca" && parsed.searchParams.has("sslrootcert");
  if (hasAuthority) parsed.searchParams.set("uselibpqcompat", "true");
  else if (mode === "prefer" || mode === "require" || mode === "verify-ca") {
    parsed.searchParams.set("sslmode", "verify-full");
  } else return url;
  return parsed.href;
};
