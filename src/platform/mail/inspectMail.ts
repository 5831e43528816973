import type SMTPConnection from "nodemailer/lib/smtp-connection/index.js";
import { mailServer } from "./mailServer.ts";

/** What a mail server turned out to be. */
export type MailServerFound = {
  /** Its own name, as its greeting says it. */
  readonly greeting: string;
  readonly encrypted: boolean;
  /** Whether user and password were taken; null where SMTP_URL has none. */
  readonly signedIn: boolean | null;
};

/**
 * Greets the mail server of SMTP_URL as the service would, with TLS and its user and password, and says goodbye: nothing
 * is sent. Rejects when it cannot be reached, believed or signed in to.
 */
export const inspectMail = async (
  smtpUrl: string,
  patienceMs: number,
): Promise<MailServerFound> => {
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
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
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
      // Of the answer to EHLO: the name, which may be followed by anything.
      greeting: greeting.replace(/^250[- ]/, "").split(/\s/)[0] ?? "",
      encrypted: connection.secure,
      signedIn: auth ? connection.authenticated : null,
    };
  } finally {
    connection.close();
  }
};

/** The end of one exchange; an error of the connection itself comes as an event. */
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
