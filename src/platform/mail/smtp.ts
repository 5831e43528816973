import nodemailer from "nodemailer";
import { messageOf } from "./message.ts";
import { type Mailer, MailRefusedError, type PictureOf } from "./port.ts";

/** A server that says nothing for so long is taken for away, in milliseconds. */
const SILENCE_MS = 10_000;

/**
 * Sends by SMTP. `url` is `smtp://user:password@host:587` (STARTTLS where the server has it) or
 * `smtps://…`; `from` is what stands in From, such as `Runledger <mail@example.org>`.
 */
export const smtpMailer = (options: {
  readonly url: string;
  readonly from: string;
  /** How long a silent server is waited for (10 s). */
  readonly silenceMs?: number;
  readonly pictureOf?: PictureOf;
}): Mailer => {
  const timeout = options.silenceMs ?? SILENCE_MS;
  const transport = nodemailer.createTransport({
    url: options.url,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    keeps: false,
    send: async (mail) => {
      const message = await messageOf(mail, options.from, options.pictureOf ?? noPicture);
      try {
        await transport.sendMail(message);
      } catch (error) {
        throw withoutAddress(error);
      }
    },
    forget: async () => undefined,
    close: async () => transport.close(),
  };
};

const noPicture: PictureOf = async () => null;

/** What the server said may quote the address: only its code and the command that it refused are passed on. */
const withoutAddress = (error: unknown): Error => {
  const { responseCode, command, code } = error as {
    responseCode?: unknown;
    command?: unknown;
    code?: unknown;
  };
  const where = typeof command === "string" ? ` to ${command.split(" ")[0]}` : "";
  if (typeof responseCode === "number") {
    const why = `The mail server answered ${responseCode}${where}`;
    // RFC 5321, 4.2.1: 5yz is for good. Of a refused sign-in or connection, the operator can mend it.
    const isForGood = responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
    return isForGood ? new MailRefusedError(why) : new Error(why);
  }
  return new Error(`The mail server could not be reached (${String(code ?? "unknown")})`);
};
