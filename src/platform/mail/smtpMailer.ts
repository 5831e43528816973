import { certificateFaults, diagnoseConnection } from "../connectionFailure.ts";
import { mailServer } from "./mailServer.ts";
import { messageOf } from "./message.ts";
import { type Mailer, MailRefusedError, type PictureOf } from "./port.ts";

/** Timeout for connection, greeting and inactivity, in milliseconds. */
const SILENCE_MS = 10_000;
/** Time limit for a whole message, in milliseconds. */
const WHOLE_MS = 60_000;

/**
 * Sends mail by SMTP. `url` is `smtp://user:password@host:587` (STARTTLS if available) or `smtps://…`, with
 * `?tlsCAFile=/path` for a private certificate authority; `from` is the sender, e.g. `Runledger <mail@example.org>`.
 */
export const smtpMailer = (options: {
  readonly url: string;
  readonly from: string;
  /** Default: 10 000. */
  readonly silenceMs?: number;
  /** Default: 60 000. */
  readonly wholeMs?: number;
  readonly pictureOf?: PictureOf;
}): Mailer => {
  const timeout = options.silenceMs ?? SILENCE_MS;
  /**
   * Loaded with the first mail, to save memory until then. Each mail uses its own connection, so that a changed
   * certificate file takes effect.
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

/** Server responses may quote the address: only the code and the refused command are reported. */
const withoutAddress = (error: unknown): Error => {
  const { responseCode, command, code, originalCode } = error as {
    readonly [Key in "responseCode" | "command" | "code" | "originalCode"]?: unknown;
  };
  const where = typeof command === "string" ? ` to ${command.split(" ")[0]}` : "";
  if (typeof responseCode === "number") {
    const why = `The mail server answered ${responseCode}${where}`;
    // RFC 5321, 4.2.1: 5yz is permanent. A refused sign-in or connection is a configuration error, so it is retried.
    const isPermanent = responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
    return isPermanent ? new MailRefusedError(why) : new Error(why);
  }
  const fault = certificateFaults[String(originalCode)];
  if (fault !== undefined) return new Error(`The mail server's certificate ${fault}`);
  if (diagnoseConnection(error).kind === "file") {
    return new Error("Cannot read the certificate file of SMTP_URL");
  }
  if (code === "EABORT") return new Error("The mail server took too long");
  return new Error(`The mail server could not be reached (${String(code ?? "unknown")})`);
};
