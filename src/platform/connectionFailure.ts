import { withoutCredentials } from "./credentials.ts";

/** The cause of a failed connection. */
export type ConnectionFailure = {
  /**
   * `absent`: the server does not answer, possibly temporarily. `credentials`: the server refuses the user.
   * `certificate`: its certificate is not trusted. `tls`: only one side uses TLS. `file`: a file of the setting
   * cannot be read. `database`: the server has no database of that name. `unclear`: any other error.
   */
  readonly kind: "absent" | "credentials" | "certificate" | "tls" | "file" | "database" | "unclear";
  /** The reason, as the end of a sentence whose subject is the server. Holds no secret. */
  readonly why: string;
};

/** Certificate errors by their TLS code. */
export const certificateFaults: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "is signed by an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "is signed by an unknown authority",
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not valid yet",
  CERT_REVOKED: "was revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: "is for another host name",
};

/** gRPC passes on only the message of OpenSSL or Node.js. The first match counts. */
const CERTIFICATE_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/self-signed certificate in certificate chain/i, "is signed by an unknown authority"],
  [/self-signed certificate/i, "is self-signed"],
  [
    /unable to (verify the first|get (local )?issuer) certificate/i,
    "is signed by an unknown authority",
  ],
  [/certificate has expired/i, "has expired"],
  [/certificate is not yet valid/i, "is not valid yet"],
  [/does not match certificate's altnames/i, "is for another host name"],
];

/** Codes of PostgreSQL, NATS, the log client and nodemailer. */
const CREDENTIALS =
  /^(28P01|28000|AUTHORIZATION_VIOLATION|AUTHENTICATION_EXPIRED|ACCOUNT_EXPIRED|BAD_CREDS|BAD_AUTHENTICATION|EAUTH|access-denied)$/;

const ABSENCES: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED|CONNECTION_REFUSED/, "the connection is refused"],
  [/ENOTFOUND|EAI_AGAIN|Name resolution failed/, "its host name cannot be resolved"],
  [/EHOSTUNREACH|ENETUNREACH|EHOSTDOWN/, "its network is unreachable"],
  [
    /ETIMEDOUT|CONNECTION_TIMEOUT|DEADLINE_EXCEEDED|deadline-exceeded|Deadline exceeded|timeout|does not answer/i,
    "it does not answer",
  ],
  [
    /ECONNRESET|EPIPE|CONNECTION_CLOSED|Connection terminated|socket hang up|Connection dropped/i,
    "it closes the connection",
  ],
  [/^57P0[123]$|starting up|shutting down/, "it is starting or stopping"],
  [/^53100$/, "its disk is full: free some space"],
  [/^53200$/, "it is out of memory"],
  [/^53/, "it accepts no more connections"],
  [/^08/, "it closes the connection"],
  [/Failed to discover/, "no server of the cluster answers"],
  // gRPC, if the connection was closed before any data.
  [
    /No connection established.*Failed to connect/,
    "it closes the connection at once, possibly because it requires TLS",
  ],
  // gRPC, the NATS client and nodemailer. A mail server always greets with a number.
  [
    /No connection established.*Protocol error|unexpected response from server|Invalid greeting\. response=(?!\d{3})/,
    "another kind of server answers",
  ],
];

/** Finds the cause of a failed connection in an error of any client and its causes. */
export const diagnoseConnection = (error: unknown): ConnectionFailure => {
  const links = causesOf(error);
  const rules = [
    ...[fileTrouble, certificateTrouble, tlsTrouble, credentialsTrouble],
    ...[databaseTrouble, absence],
  ];
  for (const rule of rules) {
    for (const link of links) {
      const trouble = rule(link);
      if (trouble) return trouble;
    }
  }
  const said = links.map(({ message }) => message).filter((message) => message !== "");
  return { kind: "unclear", why: withoutCredentials(said.at(-1) ?? "the error has no message") };
};

type Link = { readonly code: string; readonly message: string; readonly path: string | null };
type Rule = (link: Link) => ConnectionFailure | null;

const fileTrouble: Rule = ({ code, message, path }) => {
  if (path !== null && /^(ENOENT|EACCES|EISDIR|EPERM|ENOTDIR)$/.test(code)) {
    return { kind: "file", why: `it names the file ${path}, which cannot be read (${code})` };
  }
  return /Failed to load certificate/.test(message)
    ? { kind: "file", why: "it names a certificate file that does not exist" }
    : null;
};

const certificateTrouble: Rule = ({ code, message }) => {
  const fault =
    certificateFaults[code] ?? CERTIFICATE_TEXTS.find(([pattern]) => pattern.test(message))?.[1];
  return fault === undefined ? null : { kind: "certificate", why: `its certificate ${fault}` };
};

const tlsTrouble: Rule = ({ code, message }) => {
  if (/no encryption|must use (SSL|TLS|STARTTLS)|tls_required/i.test(message)) {
    return { kind: "tls", why: "it requires TLS" };
  }
  if (/certificate required|bad certificate/i.test(message)) {
    return { kind: "tls", why: "it requires a client certificate" };
  }
  const isUnencrypted =
    /does not support SSL|wrong version number|packet length too long/i.test(message) ||
    (code === "SERVER_OPT_NA" && message === "tls");
  if (isUnencrypted) return { kind: "tls", why: "it does not support TLS" };
  return /^(ERR_SSL_|EPROTO$)/.test(code)
    ? { kind: "tls", why: `the TLS handshake failed (${code})` }
    : null;
};

const credentialsTrouble: Rule = ({ code, message }) =>
  code === "access-denied" && !/unauthenticated/i.test(message)
    ? {
        kind: "credentials",
        why: "the user is unknown or has no permission for all streams",
      }
    : CREDENTIALS.test(code) || /unauthenticated|Authorization Violation/i.test(message)
      ? { kind: "credentials", why: "the user, password or token is wrong" }
      : null;

/** PostgreSQL: the database does not exist. */
const databaseTrouble: Rule = ({ code, message }) =>
  code === "3D000" ? { kind: "database", why: message } : null;

const absence: Rule = ({ code, message }) => {
  const found = ABSENCES.find(([pattern]) => pattern.test(code) || pattern.test(message));
  return found ? { kind: "absent", why: found[1] } : null;
};

/** The maximum depth of causes. */
const MAX_CAUSES = 12;

/** An error and its causes, the outermost first, without duplicates. */
const causesOf = (error: unknown): readonly Link[] => {
  const seen = new Set<unknown>();
  const links: Link[] = [];
  const waiting: unknown[] = [error];
  while (waiting.length > 0 && links.length < MAX_CAUSES) {
    const next = waiting.shift();
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    const { code, type, message, path, cause, chainedError, errors, _raw } = next as Fields;
    links.push({
      code: typeof type === "string" ? type : typeof code === "string" ? code : "",
      message: typeof message === "string" ? message : "",
      path: typeof path === "string" ? path : null,
    });
    // The fields in which clients keep causes; `errors`: several addresses of one host.
    waiting.push(cause, chainedError, _raw, ...(Array.isArray(errors) ? errors : []));
  }
  return links;
};

type Fields = Readonly<
  Partial<
    Record<
      "code" | "type" | "message" | "path" | "cause" | "chainedError" | "errors" | "_raw",
      unknown
    >
  >
>;
