import { readFileSync } from "node:fs";

/** What nodemailer is given of SMTP_URL. */
export type MailServer = { readonly url: string; readonly tls?: { readonly ca: Buffer } };

/**
 * Reads SMTP_URL for nodemailer, which takes the rest of it as it is: `tlsCAFile=/path/ca.crt` names an authority
 * that is trusted instead of the public ones. Throws when that file cannot be read.
 */
export const mailServer = (text: string): MailServer => {
  const url = new URL(text);
  const file = url.searchParams.get("tlsCAFile");
  if (file === null) return { url: text };
  url.searchParams.delete("tlsCAFile");
  return { url: url.href, tls: { ca: readFileSync(file) } };
};
