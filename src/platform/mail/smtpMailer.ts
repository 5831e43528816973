import { certificateFaults, diagnoseConnection } from "../connectionFailure.ts";
import { mailServer } from "./mailServer.ts";
import { messageOf } from "./message.ts";
import { type Mailer, MailRefusedError, type PictureOf } from "./port.ts";

/** A server that says nothing for so long is taken for away, in milliseconds. */
const SILENCE_MS = 10_000;
/** However much it says meanwhile: a message that is not taken by then is tried again later. */
const WHOLE_MS = 60_000;

/**
 * Sends by SMTP. `url` is `smtp://user:password@host:587` (STARTTLS where the server has it) or
 * `smtps://…`, with `?tlsCAFile=/path` for an authority of one's own; `from` is what stands in From, such as
 * `Runledger <mail@example.org>`.
 */
export const smtpMailer = (options: {
  readonly url: string;
  readonly from: string;
  /** How long a silent server is waited for (10 s). */
  readonly silenceMs?: number;
  /** How long one message may take (60 s), with pictures and all. */
  readonly wholeMs?: number;
  readonly pictureOf?: PictureOf;
}): Mailer => {
  const timeout = options.silenceMs ?? SILENCE_MS;
  /**
   * Loaded with the first mail: a service that is at rest does without. Each mail has a transport, and with it a
   * connection, of its own: authorities that SMTP_URL names are read again.
   */
  const open = async () => {
    const { default: nodemailer } = await import("nodemailer");
    return nodemailer.createTransport({
      ...mailServer(options.url),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  return {
    keeps: false,
    send: async (mail) => {
      const message = await messageOf(mail, options.from, options.pictureOf ?? noPicture);
      try {
        const signal = AbortSignal.timeout(options.wholeMs ?? WHOLE_MS);
        await (await open()).sendMail({ ...message, signal });
      } catch (error) {
        throw withoutAddress(error);
      }
    },
    forget: async () => undefined,
    close: async () => undefined,
  };
};

const noPicture: PictureOf = async () => null;

/** What the server said may quote the address: only its code and the command that it refused are passed on. */
const withoutAddress = (error: unknown): Error => {
  const { responseCode, command, code, originalCode } = error as {
    readonly [Key in "responseCode" | "command" | "code" | "originalCode"]?: unknown;
  };
  const where = typeof command === "string" ? ` to ${command.split(" ")[0]}` : "";
  if (typeof responseCode === "number") {
    const why = `The mail server answered ${responseCode}${where}`;
    // RFC 5321, 4.2.1: 5yz is for good. Of a refused sign-in or connection, the operator can mend it.
    const isForGood = responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
    return isForGood ? new MailRefusedError(why) : new Error(why);
  }
  const fault = certificateFaults[String(originalCode)];
  if (fault !== undefined) return new Error(`The mail server's certificate ${fault}`);
  if (diagnoseConnection(error).kind === "file") {
    return new Error("SMTP_URL names a file of certificates that cannot be read");
  }
  if (code === "EABORT") return new Error("The mail server took too long");
  return new Error(`The mail server could not be reached (${String(code ?? "unknown")})`);
};
