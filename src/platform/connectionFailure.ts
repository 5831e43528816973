import { withoutCredentials } from "./credentials.ts";

/** Why a part could not be connected to. */
export type ConnectionFailure = {
  /**
   * `absent`: nobody answers, which may pass. `credentials`, `certificate`, `tls` and `file` are for somebody to
   * mend: who we are is refused, who it is cannot be believed, one of the two speaks TLS alone, a file that the
   * setting names cannot be read. `database`: the server is there, and has none of that name. `unclear`: something
   * else, in its own words.
   */
  readonly kind: "absent" | "credentials" | "certificate" | "tls" | "file" | "database" | "unclear";
  /** What is wrong with it, as the end of a sentence that begins with the part. Holds no secret. */
  readonly why: string;
};

/** What is wrong with a certificate, by the code that TLS gives. */
export const certificateFaults: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "has signed itself",
  SELF_SIGNED_CERT_IN_CHAIN: "is signed by nobody that is known here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "is signed by nobody that is known here",
  UNABLE_TO_GET_ISSUER_CERT: "is signed by nobody that is known here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "is signed by nobody that is known here",
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not good yet",
  CERT_REVOKED: "was revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: "is for another name",
};

/** gRPC passes on the text alone, in the words of OpenSSL and of Node. The first that fits counts. */
const CERTIFICATE_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/self-signed certificate in certificate chain/i, "is signed by nobody that is known here"],
  [/self-signed certificate/i, "has signed itself"],
  [
    /unable to (verify the first|get (local )?issuer) certificate/i,
    "is signed by nobody that is known here",
  ],
  [/certificate has expired/i, "has expired"],
  [/certificate is not yet valid/i, "is not good yet"],
  [/does not match certificate's altnames/i, "is for another name"],
];

/** PostgreSQL's codes, NATS's, the log client's, nodemailer's. */
const CREDENTIALS =
  /^(28P01|28000|AUTHORIZATION_VIOLATION|AUTHENTICATION_EXPIRED|ACCOUNT_EXPIRED|BAD_CREDS|BAD_AUTHENTICATION|EAUTH|access-denied)$/;

const ABSENCES: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED|CONNECTION_REFUSED/, "nobody listens there"],
  [/ENOTFOUND|EAI_AGAIN|Name resolution failed/, "nobody knows the name of its host"],
  [/EHOSTUNREACH|ENETUNREACH|EHOSTDOWN/, "no way leads there"],
  [
    /ETIMEDOUT|CONNECTION_TIMEOUT|DEADLINE_EXCEEDED|deadline-exceeded|Deadline exceeded|timeout|does not answer/i,
    "it does not answer",
  ],
  [
    /ECONNRESET|EPIPE|CONNECTION_CLOSED|Connection terminated|socket hang up|Connection dropped/i,
    "it hangs up",
  ],
  [/^57P0[123]$|starting up|shutting down/, "it is starting or stopping"],
  [/^53/, "it takes no more connections"],
  [/^08/, "it hangs up"],
  [/Failed to discover/, "none of its servers answers"],
  // Of gRPC, when the connection was closed before either side had said a word.
  [
    /No connection established.*Failed to connect/,
    "it hangs up at once, as one does that takes encrypted connections alone",
  ],
  // Of gRPC, NATS's client and nodemailer; a mail server greets with a number, also to say no.
  [
    /No connection established.*Protocol error|unexpected response from server|Invalid greeting\. response=(?!\d{3})/,
    "something else answers there",
  ],
];

/** Reads why a connection was not made off the error of any of the clients, with what it was caused by. */
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
  return { kind: "unclear", why: withoutCredentials(said.at(-1) ?? "it says nothing of use") };
};

type Link = { readonly code: string; readonly message: string; readonly path: string | null };
type Rule = (link: Link) => ConnectionFailure | null;

const fileTrouble: Rule = ({ code, message, path }) => {
  if (path !== null && /^(ENOENT|EACCES|EISDIR|EPERM|ENOTDIR)$/.test(code)) {
    return { kind: "file", why: `it names the file ${path}, which cannot be read (${code})` };
  }
  return /Failed to load certificate/.test(message)
    ? { kind: "file", why: "it names a file of certificates that is not there" }
    : null;
};

const certificateTrouble: Rule = ({ code, message }) => {
  const fault =
    certificateFaults[code] ?? CERTIFICATE_TEXTS.find(([pattern]) => pattern.test(message))?.[1];
  return fault === undefined ? null : { kind: "certificate", why: `its certificate ${fault}` };
};

const tlsTrouble: Rule = ({ code, message }) => {
  if (/no encryption|must use (SSL|TLS|STARTTLS)|tls_required/i.test(message)) {
    return { kind: "tls", why: "it takes encrypted connections alone" };
  }
  if (/certificate required|bad certificate/i.test(message)) {
    return { kind: "tls", why: "it asks for a certificate of ours" };
  }
  const isUnencrypted =
    /does not support SSL|wrong version number|packet length too long/i.test(message) ||
    (code === "SERVER_OPT_NA" && message === "tls");
  if (isUnencrypted) return { kind: "tls", why: "it does not take encrypted connections" };
  return /^(ERR_SSL_|EPROTO$)/.test(code)
    ? { kind: "tls", why: `it does not come to terms about encryption (${code})` }
    : null;
};

const credentialsTrouble: Rule = ({ code, message }) =>
  code === "access-denied" && !/unauthenticated/i.test(message)
    ? {
        kind: "credentials",
        why: "it does not know the user, or gives no right to all its streams",
      }
    : CREDENTIALS.test(code) || /unauthenticated|Authorization Violation/i.test(message)
      ? { kind: "credentials", why: "it does not know the user, password or token" }
      : null;

/** PostgreSQL's code of a database that is not there. */
const databaseTrouble: Rule = ({ code, message }) =>
  code === "3D000" ? { kind: "database", why: message } : null;

const absence: Rule = ({ code, message }) => {
  const found = ABSENCES.find(([pattern]) => pattern.test(code) || pattern.test(message));
  return found ? { kind: "absent", why: found[1] } : null;
};

/** Deeper than any client wraps what happened. */
const MOST_LINKS = 12;

/** An error and what it came of, the outermost first; each once. */
const causesOf = (error: unknown): readonly Link[] => {
  const seen = new Set<unknown>();
  const links: Link[] = [];
  const waiting: unknown[] = [error];
  while (waiting.length > 0 && links.length < MOST_LINKS) {
    const next = waiting.shift();
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    const { code, type, message, path, cause, chainedError, errors, _raw } = next as Fields;
    links.push({
      code: typeof type === "string" ? type : typeof code === "string" ? code : "",
      message: typeof message === "string" ? message : "",
      path: typeof path === "string" ? path : null,
    });
    // What the clients of NATS and of the log keep what they wrap under, and several addresses of one name.
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
