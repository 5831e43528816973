import { readFileSync } from "node:fs";

/** Options of nodemailer from SMTP_URL. */
export type MailServer = { readonly url: string; readonly tls?: { readonly ca: Buffer } };

/**
 * Converts SMTP_URL for nodemailer. `tlsCAFile=/path/ca.crt` is a certificate authority trusted instead of the public
 * ones; other parts are passed on. Throws if the file cannot be read.
 */
export const mailServer = (text: string): MailServer => {
  const url = new URL(text);
  const file = url.searchParams.get("tlsCAFile");
  if (file === null) return { url: text };
  url.searchParams.delete("tlsCAFile");
  return { url: url.href, tls: { ca: readFileSync(file) } };
};
