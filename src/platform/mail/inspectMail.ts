import type SMTPConnection from "nodemailer/lib/smtp-connection/index.js";
import { mailServer } from "./mailServer.ts";

/** Result of a connection test. */
export type MailServerFound = {
  /** Host name from the response to EHLO. */
  readonly greeting: string;
  readonly encrypted: boolean;
  /** Whether user and password were accepted; null if SMTP_URL has none. */
  readonly signedIn: boolean | null;
};

/**
 * Connects to the mail server of SMTP_URL with TLS and credentials as for sending, without sending anything. Rejects if
 * the connection, the certificate or the sign-in fails.
 */
export const inspectMail = async (smtpUrl: string, timeoutMs: number): Promise<MailServerFound> => {
  const [{ default: Connection }, { parseConnectionUrl }] = await Promise.all([
    import("nodemailer/lib/smtp-connection/index.js"),
    import("nodemailer/lib/shared/index.js"),
  ]);
  const { url, tls } = mailServer(smtpUrl);
  const { auth, ...options } = parseConnectionUrl(url) as SMTPConnection["options"] & {
    auth?: { user: string; pass: string };
  };
  const connection = new Connection({
    ...options,
    ...(tls && { tls: { ...options.tls, ...tls } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  try {
    await settled(connection, (done) => connection.connect(done));
    const greeting = String(connection.lastServerResponse || "").split(/\r?\n/)[0] ?? "";
    if (auth) {
      await settled(connection, (done) =>
        connection.login({ user: auth.user, pass: auth.pass }, done),
      );
    }
    connection.quit();
    return {
      // The response to EHLO begins with the host name.
      greeting: greeting.replace(/^250[- ]/, "").split(/\s/)[0] ?? "",
      encrypted: connection.secure,
      signedIn: auth ? connection.authenticated : null,
    };
  } finally {
    connection.close();
  }
};

/** Awaits one SMTP command. Connection errors arrive as events. */
const settled = (
  connection: SMTPConnection,
  begin: (done: (error?: Error | null) => void) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    connection.once("error", reject);
    begin((error) => {
      if (error) reject(error);
      else resolve();
    });
  });
